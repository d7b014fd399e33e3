import { X } from 'lucide-react'
import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState, type PointerEvent, type RefObject } from 'react'
import { Link } from '#web/lib/router.tsx'
import { t } from '#web/lib/messages.ts'
import { dismissToast, takeToastAction, toastDurationMs, toastSwipePx, useToasts, type Toast } from '#web/lib/toasts.ts'
import { buttonStyle } from './button.tsx'
import { IconButton } from './icon-button.tsx'
import { ToastIcon } from './toast-icon.tsx'
import { standAbove } from './toast-place.ts'

/** Calls `onEnd` after `ms` of not being held up. */
function useClock(ms: number, held: boolean, onEnd: () => void): void {
  const left = useRef(ms)
  const end = useEffectEvent(onEnd)
  useEffect(() => {
    if (held) return
    const since = Date.now()
    const timer = setTimeout(() => end(), left.current)
    return () => {
      clearTimeout(timer)
      left.current -= Date.now() - since
    }
  }, [held])
}

/** How far a finger pushed to the right; past `toastSwipePx` letting go calls `onAway`. A press stays a press. */
function useSwipe(onAway: () => void) {
  const [start, setStart] = useState<number | null>(null)
  const [moved, setMoved] = useState(0)
  const stop = (): void => {
    setStart(null)
    setMoved(0)
  }
  return {
    moved,
    handlers: {
      onPointerDown: (event: PointerEvent) => {
        if (event.button === 0) setStart(event.clientX)
        // Outside of a dialog, yet no press that closes it.
        event.stopPropagation()
      },
      onPointerMove: (event: PointerEvent<HTMLElement>) => {
        if (start === null) return
        const by = Math.max(0, event.clientX - start)
        if (by > 8) event.currentTarget.setPointerCapture(event.pointerId)
        setMoved(by > 8 ? by : 0)
      },
      onPointerUp: () => {
        if (moved >= toastSwipePx) onAway()
        stop()
      },
      onPointerCancel: stop,
    },
  }
}

/** F8 moves the focus to the toast; when that goes with the focus in it, the focus goes back. */
function useFocusByKey(card: RefObject<HTMLElement | null>): void {
  // As a layout effect: its end comes while the toast still has the focus.
  useLayoutEffect(() => {
    const element = card.current
    let before: Element | null = null
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'F8' || !element) return
      if (!element.contains(document.activeElement)) before = document.activeElement
      element.focus()
    }
    document.addEventListener('keydown', onKey)
    return () => {
      document.removeEventListener('keydown', onKey)
      if (element?.contains(document.activeElement) && before instanceof HTMLElement) before.focus()
    }
  }, [card])
}

function ToastCard({ toast, away }: { toast: Toast; away: boolean }) {
  const card = useRef<HTMLDivElement>(null)
  const [pointed, setPointed] = useState(false)
  const [focused, setFocused] = useState(false)
  const close = (): void => dismissToast(toast.id)
  const { moved, handlers } = useSwipe(close)
  useClock(toastDurationMs, pointed || focused || away || moved > 0, close)
  useFocusByKey(card)
  const { action } = toast
  const act = (): void => takeToastAction(toast)
  return (
    <div
      ref={card}
      role="group"
      tabIndex={-1}
      data-state="open"
      onPointerEnter={() => setPointed(true)}
      onPointerLeave={() => setPointed(false)}
      onFocus={() => setFocused(true)}
      onBlur={(event) => setFocused(event.currentTarget.contains(event.relatedTarget))}
      onKeyDown={(event) => {
        if (event.key === 'Escape') close()
      }}
      className="pop pointer-events-auto flex touch-pan-y items-start gap-3 rounded-pop border border-border bg-raised p-3 pr-2 shadow-pop"
      style={moved > 0 ? { transform: `translateX(${moved}px)` } : undefined}
      {...handlers}
    >
      {toast.variant !== 'default' && (
        <span className="mt-0.5 shrink-0">
          <ToastIcon variant={toast.variant} />
        </span>
      )}
      <div className="min-w-0 flex-1">
        <p className="font-semibold wrap-anywhere">{toast.title}</p>
        {toast.description && <p className="mt-0.5 text-table wrap-anywhere text-muted">{toast.description}</p>}
      </div>
      {action?.href && (
        <Link to={action.href} className={buttonStyle({ size: 'sm' })} onClick={act}>
          {action.label}
        </Link>
      )}
      {action && !action.href && (
        <button type="button" className={buttonStyle({ size: 'sm' })} onClick={act}>
          {action.label}
        </button>
      )}
      <IconButton size="md" label={t('common.close')} className="-mt-1" onClick={close}>
        <X size={14} strokeWidth={1.75} />
      </IconButton>
    </div>
  )
}

/** True while the window is in the background: nobody reads then. */
function useAway(): boolean {
  const [away, setAway] = useState(false)
  useEffect(() => {
    const leave = (): void => setAway(true)
    const come = (): void => setAway(false)
    addEventListener('blur', leave)
    addEventListener('focus', come)
    return () => {
      removeEventListener('blur', leave)
      removeEventListener('focus', come)
    }
  }, [])
  return away
}

/**
 * Draws the toasts, one at a time. F8 moves the focus to it; pointer, focus and another window stop its clock; Esc, a
 * push to the right and its button close it. Part of the shell: a toast tells that the server is away, so it must not
 * need code from there.
 */
export function ToastArea() {
  const { current } = useToasts()
  const away = useAway()
  const area = useRef<HTMLElement>(null)
  const shown = current !== null
  useLayoutEffect(() => (shown && area.current ? standAbove(area.current) : undefined), [shown])
  return (
    <section
      ref={area}
      aria-label={`${t('common.notifications')} (F8)`}
      className="pointer-events-none fixed right-4 bottom-4 z-[60] w-[380px] max-w-[calc(100vw-32px)] max-md:inset-x-4 max-md:bottom-[calc(16px+env(safe-area-inset-bottom))] max-md:w-auto"
    >
      {/* Here before its content: only then it is read out. */}
      <div role="status" aria-live={current?.variant === 'danger' ? 'assertive' : 'polite'} aria-atomic="true">
        {current && <ToastCard key={current.id} toast={current} away={away} />}
      </div>
    </section>
  )
}
