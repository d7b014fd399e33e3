/** Days before a card expires in which its owner is warned. */
const warningDays = 30

/** Whether a payment card is valid, expires within 30 days, or has expired. */
export type CardExpiry = 'ok' | 'soon' | 'expired'

/** Expiry of a card, which is valid until the end of the month printed on it (`exp_month` from 1), in UTC. */
export function cardExpiry(card: { readonly exp_month: number; readonly exp_year: number }, now: number): CardExpiry {
  // Months of a Date count from 0, so this is the first day of the month after.
  const end = Date.UTC(card.exp_year, card.exp_month, 1)
  if (now >= end) return 'expired'
  return now >= end - warningDays * 86_400_000 ? 'soon' : 'ok'
}
