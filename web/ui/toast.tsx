import { Info } from 'lucide-react'
import { showToast, dismissToast, updateToast, type ToastInput, type ToastVariant } from '#web/lib/toasts.ts'
import { Glyph } from './status.tsx'

/** The sign of a toast's tone; none for the default. */
export function ToastIcon({ variant }: { variant: ToastVariant }) {
  if (variant === 'default') return null
  if (variant === 'info') return <Info size={16} strokeWidth={1.75} className="text-m-info" aria-hidden="true" />
  return <Glyph tone={({ success: 'ok', warning: 'warn', danger: 'bad' } as const)[variant]} />
}

/** Shows, changes and takes away toasts. They are drawn by `ToastArea`. */
export function useToast(): {
  toast: (input: ToastInput) => number
  update: (id: number, patch: Partial<ToastInput>) => void
  dismiss: (id?: number) => void
} {
  return { toast: showToast, update: updateToast, dismiss: dismissToast }
}
