import { laterOverlay } from '../later-part.tsx'
import { layers } from './later-layers.ts'

/** A panel from the right, 560 wide; a sheet on phones. The content handles its own scrolling. */
export const Drawer = laterOverlay(layers, (module) => module.Drawer)
