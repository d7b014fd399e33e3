import { laterOverlay } from '../later-part.tsx'
import { layers } from './later-layers.ts'

/**
 * Shared behavior of dialogs and drawers: backdrop, focus, Esc and outside clicks. Without `trapsFocus`, the page behind is
 * inert, but what others put above the dialog meanwhile, such as a bank's authentication, can be used.
 */
export const DialogFrame = laterOverlay(layers, (module) => module.DialogFrame)
