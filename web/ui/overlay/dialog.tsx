import { laterOverlay } from '../later-part.tsx'
import { layers } from './later-layers.ts'

/** A dialog with title, content and actions. Esc and an outside click close it; focus returns to the element that opened it. */
export const Dialog = laterOverlay(layers, (module) => module.Dialog)
