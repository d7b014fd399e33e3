import { CreditCard, ReceiptText, ShoppingBag, type LucideIcon } from 'lucide-react'
import { ButtonLink } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { t } from './messages.ts'
import type { useSubscription } from './subscription.ts'

/** The tabs about payments. */
export type PaymentsTabName = 'purchases' | 'invoices' | 'payment-methods'

const icons: Readonly<Record<PaymentsTabName, LucideIcon>> = {
  purchases: ShoppingBag,
  invoices: ReceiptText,
  'payment-methods': CreditCard,
}

/**
 * Purchases, invoices or payment methods. As long as the installation takes no payments there are none; the page explains
 * that instead of showing empty tables.
 */
export function PaymentsTab({
  about,
  subscription: { status, error, reload },
}: {
  about: PaymentsTabName
  subscription: Pick<ReturnType<typeof useSubscription>, 'status' | 'error' | 'reload'>
}) {
  const Icon = icons[about]
  const payments = status?.payments
  if (error && !status) return <ErrorPanel title={t('plans.error_title')} error={error} onRetry={() => reload()} />
  return (
    <Card>
      {payments === undefined ? (
        <div className="grid justify-items-center gap-3 px-6 py-12">
          <Skeleton className="size-10 rounded-card" />
          <Skeleton className="h-4 w-40" />
          <Skeleton className="h-3 w-72 max-w-full" />
          <Skeleton className="mt-4 h-9 w-32" />
        </div>
      ) : (
        <EmptyState
          icon={<Icon size={20} strokeWidth={1.75} />}
          title={
            payments && about === 'payment-methods' ? t('empty.paid_payment-methods_title') : t(`empty.${about}_title`)
          }
          action={<ButtonLink to={{ hash: '#plans' }}>{t('empty.plans')}</ButtonLink>}
        >
          {payments ? t(`empty.paid_${about}`) : t(`empty.${about}`)}
        </EmptyState>
      )}
    </Card>
  )
}
