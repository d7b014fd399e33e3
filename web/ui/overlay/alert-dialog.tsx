import { laterOverlay } from '../later-part.tsx'
import { layers } from './later-layers.ts'

/**
 * Confirmation of an irreversible action. With `confirmName`, its button is off until the exact name is typed. The dialog closes after
 * `onConfirm` resolves; if it throws, the dialog stays open with the caller's `error`.
 */
export const AlertDialog = laterOverlay(layers, (module) => module.AlertDialog)
