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

/** A plain decimal number without needless zeros. Numbers are rounded to a millionth, because vendors send 32-bit floats. */
function decimal(amount: unknown): string | null {
  const text = typeof amount === 'number' && amount >= 0 && amount < 1e9 ? amount.toFixed(6) : amount
  if (typeof text !== 'string' || !/^\d{1,9}(?:\.\d{1,20})?$/.test(text)) return null
  return text.includes('.') ? trimEnd(trimEnd(text, '0'), '.') : text
}
