import { msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { trimEnd } from '#shared/rules/trim-end.ts'
import type { MachinePrice } from './provider.ts'

/** Whether a machine can be created, and why not. */
type Availability = { readonly available: boolean; readonly reason: LocalizedMessage | null }

export const availableNow: Availability = { available: true, reason: null }

export const notOffered = (vendor: string, region: string): Availability => ({
  available: false,
  reason: msg`${vendor} doesn’t offer it in ${region}.`,
})

export const soldOut = (vendor: string): Availability => ({
  available: false,
  reason: msg`${vendor} has none left at the moment.`,
})

export const withdrawn = (vendor: string): Availability => ({
  available: false,
  reason: msg`${vendor} is withdrawing it.`,
})

/** A price of two amounts; null if one of them is no amount. */
export function priceOf(hourly: unknown, monthly: unknown, currency: string): MachinePrice | null {
  const amounts = [decimal(hourly), decimal(monthly)] as const
  return amounts[0] === null || amounts[1] === null ? null : { hourly: amounts[0], monthly: amounts[1], currency }
}

/** What two things cost together, to the last digit. Both are in the currency of the first. */
export const pricesTogether = (one: MachinePrice, other: MachinePrice): MachinePrice => ({
  hourly: sumOf(one.hourly, other.hourly),
  monthly: sumOf(one.monthly, other.monthly),
  currency: one.currency,
})

function sumOf(...amounts: readonly string[]): string {
  const places = Math.max(...amounts.map((amount) => (amount.split('.')[1] ?? '').length))
  const whole = amounts.reduce((sum, amount) => {
    const [units = '', fraction = ''] = amount.split('.')
    return sum + BigInt(units + fraction.padEnd(places, '0'))
  }, 0n)
  const digits = String(whole).padStart(places + 1, '0')
  const at = digits.length - places
  return places === 0 ? digits : withoutZeros(`${digits.slice(0, at)}.${digits.slice(at)}`)
}

const withoutZeros = (text: string) => trimEnd(trimEnd(text, '0'), '.')

/** A plain decimal number without needless zeros. Numbers are rounded to a millionth, because vendors send 32-bit floats. */
function decimal(amount: unknown): string | null {
  const text = typeof amount === 'number' && amount >= 0 && amount < 1e9 ? amount.toFixed(6) : amount
  if (typeof text !== 'string' || !/^\d{1,9}(?:\.\d{1,20})?$/.test(text)) return null
  return text.includes('.') ? withoutZeros(text) : text
}
