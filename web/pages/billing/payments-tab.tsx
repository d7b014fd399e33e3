import { CreditCard, ReceiptText, ShoppingBag, type LucideIcon } from 'lucide-react'
import { ButtonLink } from '#web/ui/button.tsx'
import { Card } from '#web/ui/card.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { t } from './messages.ts'

/** The tabs about payments. */
type PaymentsTabName = 'purchases' | 'invoices' | 'payment-methods'

const icons: Readonly<Record<PaymentsTabName, LucideIcon>> = {
  purchases: ShoppingBag,
  invoices: ReceiptText,
  'payment-methods': CreditCard,
}

/** Purchases, invoices or payment methods: there are none, and the page explains that instead of showing empty tables. */
export function PaymentsTab({ about }: { about: PaymentsTabName }) {
  const Icon = icons[about]
  return (
    <Card>
      <EmptyState
        icon={<Icon size={20} strokeWidth={1.75} />}
        title={t(`empty.${about}_title`)}
        action={<ButtonLink to={{ hash: '#plans' }}>{t('empty.plans')}</ButtonLink>}
      >
        {t(`empty.${about}`)}
      </EmptyState>
    </Card>
  )
}
