import { cx } from '#web/lib/cx.ts'
import { CircleCheck, Info, TriangleAlert, X } from 'lucide-react'
import { Toast as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { t } from '#web/lib/messages.ts'
import {
  dismissToast,
  showToast,
  toastDurationMs,
  toastSwipePx,
  updateToast,
  useToasts,
  type Toast,
  type ToastInput,
  type ToastVariant,
} from '#web/lib/toasts.ts'
import { buttonStyle } from './button.tsx'
import { ErrorGlyph } from './field.tsx'
import { IconButton } from './icon-button.tsx'

const icons: Record<ToastVariant, ReactNode> = {
  default: null,
  success: <CircleCheck size={16} strokeWidth={1.75} className="text-m-ok" />,
  info: <Info size={16} strokeWidth={1.75} className="text-m-info" />,
  warning: <TriangleAlert size={16} strokeWidth={1.75} className="text-m-warn" />,
  danger: <ErrorGlyph className="size-4" />,
}

/** The sign of a toast's tone. */
export function ToastIcon({ variant }: { variant: ToastVariant }) {
  return icons[variant]
}

function ToastCard({ toast }: { toast: Toast }) {
  return (
    <Radix.Root
      key={toast.id}
      type={toast.variant === 'danger' ? 'foreground' : 'background'}
      duration={toastDurationMs}
      onOpenChange={(open) => {
        if (!open) dismissToast(toast.id)
      }}
      className={cx(
        'pop flex items-start gap-3 rounded-pop border border-border bg-raised p-3 pr-2 shadow-pop',
        'data-[swipe=move]:translate-x-[var(--radix-toast-swipe-move-x)] data-[swipe=cancel]:translate-x-0 data-[swipe=cancel]:transition-transform',
      )}
    >
      {icons[toast.variant] && <span className="mt-0.5 shrink-0">{icons[toast.variant]}</span>}
      <div className="min-w-0 flex-1">
        <Radix.Title className="font-semibold wrap-anywhere">{toast.title}</Radix.Title>
        {toast.description && (
          <Radix.Description className="mt-0.5 text-table wrap-anywhere text-muted">
            {toast.description}
          </Radix.Description>
        )}
      </div>
      {toast.action && (
        <Radix.Action altText={toast.action.label} asChild onClick={toast.action.onClick}>
          {toast.action.href ? (
            <Link to={toast.action.href} className={buttonStyle({ size: 'sm' })}>
              {toast.action.label}
            </Link>
          ) : (
            <button type="button" className={buttonStyle({ size: 'sm' })}>
              {toast.action.label}
            </button>
          )}
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

/** Draws the toasts; once, around the signed-in app. F8 moves the focus to it. */
export function ToastArea({ children }: { children: ReactNode }) {
  const { current } = useToasts()
  return (
    <Radix.Provider
      duration={toastDurationMs}
      swipeDirection="right"
      swipeThreshold={toastSwipePx}
      label={t('common.notifications')}
    >
      {children}
      {current && <ToastCard key={current.id} toast={current} />}
      <Radix.Viewport
        hotkey={['F8']}
        className="fixed right-4 bottom-4 z-[60] w-[380px] max-w-[calc(100vw-32px)] outline-none max-md:inset-x-4 max-md:bottom-[calc(16px+env(safe-area-inset-bottom))] max-md:w-auto"
      />
    </Radix.Provider>
  )
}

/** Shows, changes and takes away toasts. */
export function useToast(): {
  toast: (input: ToastInput) => number
  update: (id: number, patch: Partial<ToastInput>) => void
  dismiss: (id?: number) => void
} {
  return { toast: showToast, update: updateToast, dismiss: dismissToast }
}
