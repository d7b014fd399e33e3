import type { PaymentMethod } from '#shared/doctypes/payment-method.ts'
import { useSmallList } from '#web/lib/api/frappe.tsx'
import { tCard } from './messages.ts'

const fields = ['name', 'brand', 'last4', 'exp_month', 'exp_year', 'is_default'] as const

/** A card as the page reads it. */
export type Card = Pick<PaymentMethod, (typeof fields)[number]>

/** The organization's cards, the default one first, live. Asks nothing where nothing is charged. */
export function usePaymentMethods(isCharged: boolean) {
  const loaded = useSmallList(isCharged ? 'Payment Method' : null, { fields, order_by: 'creation desc', limit: 100 })
  return { ...loaded, data: loaded.data?.toSorted((one, other) => (other.is_default ?? 0) - (one.is_default ?? 0)) }
}

/** Names of the brands that the provider writes in lower case. */
const brands: Readonly<Record<string, string>> = {
  amex: 'American Express',
  diners: 'Diners Club',
  discover: 'Discover',
  jcb: 'JCB',
  mastercard: 'Mastercard',
  unionpay: 'UnionPay',
  visa: 'Visa',
}

/** "Visa ending 4242". */
export function cardName({ brand, last4 }: Pick<Card, 'brand' | 'last4'>): string {
  return tCard('list.card', {
    brand: brands[brand?.toLowerCase() ?? ''] ?? (brand || tCard('list.unknown_brand')),
    last4: last4 ?? '',
  })
}
