import { X } from 'lucide-react'
import * as Radix from 'radix-ui/toast'
import { Link } from 'react-router'
import { cx } from '#web/lib/cx.ts'
import { t } from '#web/lib/messages.ts'
import { dismissToast, toastDurationMs, toastSwipePx, useToasts, type Toast } from '#web/lib/toasts.ts'
import { buttonStyle } from './button.tsx'
import { IconButton } from './icon-button.tsx'
import { ToastIcon } from './toast-icon.tsx'

function ToastCard({ toast }: { toast: Toast }) {
  return (
    <Radix.Root
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
      {toast.variant !== 'default' && (
        <span className="mt-0.5 shrink-0">
          <ToastIcon variant={toast.variant} />
        </span>
      )}
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

/** Draws the toasts, one at a time. F8 moves the focus to it; hover and focus stop its clock. */
export function ToastArea() {
  const { current } = useToasts()
  return (
    <Radix.Provider
      duration={toastDurationMs}
      swipeDirection="right"
      swipeThreshold={toastSwipePx}
      label={t('common.notifications')}
    >
      {current && <ToastCard key={current.id} toast={current} />}
      <Radix.Viewport
        hotkey={['F8']}
        className="fixed right-4 bottom-4 z-[60] w-[380px] max-w-[calc(100vw-32px)] outline-none max-md:inset-x-4 max-md:bottom-[calc(16px+env(safe-area-inset-bottom))] max-md:w-auto"
      />
    </Radix.Provider>
  )
}
