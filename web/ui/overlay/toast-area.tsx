import { X } from 'lucide-react'
import * as Radix from 'radix-ui/toast'
import { useEffect, useLayoutEffect, useRef, useState, type FocusEvent, type RefObject } from 'react'
import { Link } from '#web/lib/routing/router.tsx'
import { t } from '#web/lib/i18n/messages.ts'
import {
  dismissToast,
  takeToastAction,
  toastDurationMs,
  toastSwipePx,
  useToasts,
  type Toast,
} from '#web/lib/browser/toasts.ts'
import { buttonStyle } from '../button.tsx'
import { IconButton } from '../icon-button.tsx'
import { ToastIcon } from './toast-icon.tsx'
import { standAbove } from './toast-place.ts'

/** Where the focus went when it came to the toasts, and where from. */
interface Focused {
  area: HTMLElement
  from: EventTarget | null
}

function giveFocusBack(focused: Focused | null): void {
  const { activeElement } = document
  if (!focused || !(activeElement instanceof HTMLElement) || !focused.area.contains(activeElement)) return
  if (focused.from instanceof HTMLElement && focused.from.isConnected) focused.from.focus({ preventScroll: true })
  // Left there it would stop the clock of the next one.
  else activeElement.blur()
}

/** When a toast goes with the focus in it, the focus goes back. The library leaves it with the list of toasts. */
function useFocusBack(focused: RefObject<Focused | null>): void {
  useLayoutEffect(() => {
    const giveBack = (): void => giveFocusBack(focused.current)
    // After the last one while the list is still there; between two React gives the list its focus back, until here.
    giveBack()
    return giveBack
  }, [focused])
}

/** False until the window has been in front: the library stops its clock when one leaves it, not for who is away. */
function useInFront(): boolean {
  const [inFront, setInFront] = useState(() => document.hasFocus())
  useEffect(() => {
    if (inFront) return
    const come = (): void => setInFront(true)
    addEventListener('focus', come)
    return () => removeEventListener('focus', come)
  }, [inFront])
  return inFront
}

/** The list of toasts, which is around the card, is what has a place on screen. */
function placeList(card: HTMLElement | null): (() => void) | undefined {
  return card?.parentElement ? standAbove(card.parentElement) : undefined
}

function ToastCard({ toast, focused }: { toast: Toast; focused: RefObject<Focused | null> }) {
  useFocusBack(focused)
  const inFront = useInFront()
  const { action, description, variant } = toast
  const act = (): void => takeToastAction(toast)
  return (
    <Radix.Root
      ref={placeList}
      open
      onOpenChange={() => dismissToast(toast.id)}
      type={variant === 'danger' ? 'foreground' : 'background'}
      duration={inFront ? toastDurationMs : Infinity}
      className="pop flex items-start gap-3 rounded-pop border border-border bg-raised p-3 pr-2 shadow-pop data-[swipe=move]:translate-x-(--radix-toast-swipe-move-x)"
      // The page scrolls under a finger; and also below a dialog that came later a toast takes presses.
      style={{ touchAction: 'pan-y', pointerEvents: 'auto' }}
    >
      {variant !== 'default' && (
        <span className="mt-0.5 shrink-0">
          <ToastIcon variant={variant} />
        </span>
      )}
      <div className="min-w-0 flex-1">
        <Radix.Title className="font-semibold wrap-anywhere">{toast.title}</Radix.Title>
        {/* The library reads out what it finds in a row: without a space as one word. */}
        {description && ' '}
        {description && (
          <Radix.Description className="mt-0.5 text-table wrap-anywhere text-muted">{description}</Radix.Description>
        )}
      </div>
      {action?.href && (
        <Link to={action.href} className={buttonStyle({ size: 'sm' })} onClick={act}>
          {action.label}
        </Link>
      )}
      {action && !action.href && (
        <Radix.Action altText={action.label} className={buttonStyle({ size: 'sm' })} onClick={act}>
          {action.label}
        </Radix.Action>
      )}
      <Radix.Close asChild>
        <IconButton size="md" label={t('common.close')} className="-mt-1">
          <X size={14} strokeWidth={1.75} />
        </IconButton>
      </Radix.Close>
    </Radix.Root>
  )
}

/**
 * A toast and its clock. F8 moves the focus to it; pointer, focus and another window stop its clock; Esc, a push to the
 * right and its button close it. Only there with a toast: the library keeps its clock stopped for the next one when one
 * goes under the pointer.
 */
function ToastPanel({ toast }: { toast: Toast }) {
  const focused = useRef<Focused | null>(null)
  const onFocus = ({ currentTarget: area, relatedTarget: from }: FocusEvent<HTMLElement>): void => {
    if (!(from instanceof Node && area.contains(from))) focused.current = { area, from }
  }
  return (
    <div onFocus={onFocus}>
      <Radix.Provider label={t('common.notification')} swipeThreshold={toastSwipePx}>
        <ToastCard key={toast.id} toast={toast} focused={focused} />
        <Radix.Viewport
          label={`${t('common.notifications')} ({hotkey})`}
          className="pointer-events-none fixed right-4 bottom-4 z-[60] w-[380px] max-w-[calc(100vw-32px)] max-md:inset-x-4 max-md:bottom-[calc(16px+env(safe-area-inset-bottom))] max-md:w-auto"
        />
      </Radix.Provider>
    </div>
  )
}

/** Draws the toasts, one at a time. */
export function ToastArea() {
  const { current } = useToasts()
  // Nothing is read out from here. Modal dialogs hide all of the page but what has this attribute: a toast stays in reach.
  return <div aria-live="off">{current && <ToastPanel toast={current} />}</div>
}
