import type { ToastVariant } from '#web/lib/browser/toasts.ts'
import { StatusIcon } from '../status.tsx'

const tones = { success: 'ok', info: 'info', warning: 'warn', danger: 'bad' } as const

/** Icon of a toast's tone; none for the default. */
export function ToastIcon({ variant }: { variant: ToastVariant }) {
  return variant === 'default' ? null : <StatusIcon tone={tones[variant]} />
}
