import { X } from 'lucide-react'
import * as Radix from 'radix-ui/toast'
import { useEffect, useLayoutEffect, useRef, useState, type FocusEvent, type RefObject } from 'react'
import { Link } from '#web/lib/routing/router.tsx'
import { t } from '#web/lib/i18n/messages.ts'
import { dismissToast, takeToastAction, toastDurationMs, toastSwipePx, type Toast } from '#web/lib/browser/toasts.ts'
import { buttonStyle } from '../../button.tsx'
import { IconButton } from '../../icon-button.tsx'
import { ToastIcon } from '../toast-icon.tsx'
import { positionAboveBars } from '../toast-position.ts'

/** The toast area that received the focus, and where the focus came from. */
interface Focused {
  area: HTMLElement
  from: EventTarget | null
}

function returnFocusTo(focused: Focused | null): void {
  const { activeElement } = document
  if (!focused || !(activeElement instanceof HTMLElement) || !focused.area.contains(activeElement)) return
  if (focused.from instanceof HTMLElement && focused.from.isConnected) focused.from.focus({ preventScroll: true })
  // Focus left on a removed toast would stop the timer of the next one.
  else activeElement.blur()
}

/** Returns the focus when a focused toast is removed. The library would leave it on the toast list. */
function useFocusBack(focused: RefObject<Focused | null>): void {
  useLayoutEffect(() => {
    const restoreFocus = (): void => returnFocusTo(focused.current)
    // Runs for the last toast while its list is still mounted. Between two toasts, React restores the focus to the list
    // until here.
    restoreFocus()
    return restoreFocus
  }, [focused])
}

/**
 * False until the window has been focused. The library stops its timer on window blur, but not if the window was in the
 * background from the start.
 */
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

/** Positions the toast list, which wraps the card. */
function positionList(card: HTMLElement | null): (() => void) | undefined {
  return card?.parentElement ? positionAboveBars(card.parentElement) : undefined
}

/** Whether something that Escape closes has the focus. */
const isLayerOpen = (): boolean =>
  document.activeElement?.closest('[role=dialog], [role=alertdialog], [role=menu]') != null

function ToastCard({ toast, focused }: { toast: Toast; focused: RefObject<Focused | null> }) {
  useFocusBack(focused)
  const inFront = useInFront()
  const { action, description, variant } = toast
  const act = (): void => takeToastAction(toast)
  const card = useRef<HTMLLIElement>(null)
  const isElsewhere = useRef(false)
  return (
    <Radix.Root
      ref={(element) => {
        card.current = element
        return positionList(element)
      }}
      open
      // Escape closes what has the focus. The library takes the newest layer, which the toast is above an open drawer.
      onEscapeKeyDown={(event) => {
        isElsewhere.current = event.target instanceof Node && !card.current?.contains(event.target)
      }}
      onOpenChange={() => {
        const keeps = isElsewhere.current && isLayerOpen()
        isElsewhere.current = false
        if (!keeps) dismissToast(toast.id)
      }}
      type={variant === 'danger' && !toast.polite ? 'foreground' : 'background'}
      duration={inFront ? toastDurationMs : Infinity}
      className="pop flex items-start gap-3 rounded-pop border border-border bg-raised p-3 pr-2 shadow-pop data-[swipe=move]:translate-x-(--radix-toast-swipe-move-x)"
      // Vertical swipes scroll the page. The toast stays clickable even if a dialog opened after it.
      style={{ touchAction: 'pan-y', pointerEvents: 'auto' }}
    >
      {variant !== 'default' && (
        <span className="mt-0.5 shrink-0">
          <ToastIcon variant={variant} />
        </span>
      )}
      <div className="min-w-0 flex-1">
        <Radix.Title className="font-semibold wrap-anywhere">{toast.title}</Radix.Title>
        {/* The library announces adjacent texts; without a space they would run together. */}
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
 * A toast and its timer. F8 focuses it. Hover, focus and a blurred window pause the timer; Esc, a swipe to the right and the
 * close button dismiss it. Mounted only with a toast, because the library would keep its timer paused for the next toast if
 * one closes under the pointer.
 */
export function ToastPanel({ toast }: { toast: Toast }) {
  const focused = useRef<Focused | null>(null)
  const onFocus = ({ currentTarget: area, relatedTarget: from }: FocusEvent<HTMLElement>): void => {
    if (!(from instanceof Node && area.contains(from))) focused.current = { area, from }
  }
  return (
    <div onFocus={onFocus}>
      <Radix.Provider label={t('common.notification')} swipeThreshold={toastSwipePx}>
        <ToastCard key={`${toast.id}.${toast.version}`} toast={toast} focused={focused} />
        <Radix.Viewport
          label={`${t('common.notifications')} ({hotkey})`}
          className="pointer-events-none fixed right-4 bottom-4 z-[60] w-[380px] max-w-[calc(100vw-32px)] max-md:inset-x-4 max-md:bottom-[calc(16px+env(safe-area-inset-bottom))] max-md:w-auto"
        />
      </Radix.Provider>
    </div>
  )
}
