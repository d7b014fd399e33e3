import {
  nextId,
  type Interval,
  type Invoice,
  type InvoiceLine,
  type Price,
  type StripeState,
  type Subscription,
} from './stripe-state.ts'

/** In percent, of whatever is sold and to whomever. */
const taxRate = 19

const subtotalOf = (lines: readonly InvoiceLine[]) => lines.reduce((sum, { amount }) => sum + amount, 0)

export const taxOf = ({ automaticTax }: Subscription, lines: readonly InvoiceLine[]): number =>
  automaticTax ? Math.round((subtotalOf(lines) * taxRate) / 100) : 0

/** What an invoice comes to, with the customer's balance. */
export function amountsOf({ lines, startingBalance, tax }: Pick<Invoice, 'lines' | 'startingBalance' | 'tax'>) {
  const total = subtotalOf(lines) + tax
  return { total, due: Math.max(0, total + startingBalance), ending: Math.min(0, total + startingBalance) }
}

const secondsOf = { day: 86_400, week: 7 * 86_400 }

/** So many intervals later; months and years keep the day, or end with the month. */
export function addIntervals(start: number, interval: Interval, count: number): number {
  if (interval === 'day' || interval === 'week') return start + count * secondsOf[interval]
  const from = new Date(start * 1000)
  const month = from.getUTCMonth() + count * (interval === 'year' ? 12 : 1)
  const last = new Date(Date.UTC(from.getUTCFullYear(), month + 1, 0)).getUTCDate()
  const day = Date.UTC(from.getUTCFullYear(), month, Math.min(from.getUTCDate(), last))
  return Math.floor(day / 1000) + (start % 86_400)
}

/** Where the period of this number ends; the first is 0. */
export const periodEndOf = ({ anchor, price }: Pick<Subscription, 'anchor' | 'price'>, cycle: number): number =>
  addIntervals(anchor, price.interval, price.intervalCount * (cycle + 1))

const shortDate = (seconds: number): string =>
  new Date(seconds * 1000).toLocaleDateString('en-GB', {
    day: '2-digit',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  })

/** A whole period. */
export function periodLine(state: StripeState, price: Price, start: number, end: number): InvoiceLine {
  return {
    id: nextId(state, 'il'),
    amount: price.amount,
    description: `1 × ${price.product.name} (at ${(price.amount / 100).toFixed(2)} ${price.currency} / ${price.interval})`,
    start,
    end,
    price,
    isProration: false,
  }
}

/** A share of an amount by the second, rounded to the cent; of a half, away from zero. */
export function prorated(amount: number, seconds: number, of: number): number {
  if (of <= 0) return 0
  // In whole numbers: products of cents and seconds pass what a double holds exactly.
  const [part, whole] = [BigInt(amount) * BigInt(Math.min(seconds, of)) * 2n, BigInt(of)]
  return Number((part + whole) / (whole * 2n))
}

/** What a change of the price gives back and takes for the rest of the period. */
export function prorationLines(
  state: StripeState,
  { billed, price: before, periodStart, periodEnd }: Subscription,
  price: Price,
  at: number,
): InvoiceLine[] {
  const line = (amount: number, description: string, of: Price): InvoiceLine => ({
    id: nextId(state, 'il'),
    amount,
    description: `${description} after ${shortDate(at)}`,
    start: at,
    end: periodEnd,
    price: of,
    isProration: true,
  })
  const back = prorated(billed.amount, billed.end - at, billed.end - billed.start)
  const taken = prorated(price.amount, periodEnd - at, periodEnd - periodStart)
  return [
    line(back === 0 ? 0 : -back, `Unused time on ${before.product.name}`, before),
    line(taken, `Remaining time on ${price.product.name}`, price),
  ]
}
