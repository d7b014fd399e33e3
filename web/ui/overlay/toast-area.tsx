import { useToasts } from '#web/lib/browser/toasts.ts'
import { laterPart } from '../later-part.tsx'
import { layers } from './later-layers.ts'

const ToastPanel = laterPart(layers, (module) => module.ToastPanel)

/** Renders the toasts, one at a time. */
export function ToastArea() {
  const { current } = useToasts()
  // Announces nothing itself. Modal dialogs hide everything on the page except elements with this attribute, so toasts stay
  // accessible.
  return <div aria-live="off">{current && <ToastPanel toast={current} />}</div>
}
