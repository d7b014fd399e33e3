import { countryOf } from '#shared/rules/countries.ts'
import { deviceName, deviceOf } from './device-name.ts'
import type { AccountsDeps } from '../deps.ts'

/** Where a request comes from, in terms its owner can recognize. */
export interface SignInOrigin {
  /** From a fixed list, e.g. "Firefox on Windows". */
  device: string
  /** Two lowercase letters; '' if unknown. */
  country: string
}

/** Device and country of a request. */
export function signInOrigin(
  { countries }: Pick<AccountsDeps, 'countries'>,
  request: { ip: string | null; userAgent: string | null },
): SignInOrigin {
  return { device: deviceName(deviceOf(request.userAgent)), country: countries.codeOf(request.ip) }
}

/** Time, device and country of a request, formatted for an email. The sender of the request cannot choose any of it. */
export function requestDetails(
  deps: Pick<AccountsDeps, 'countries'>,
  request: { ip: string; userAgent: string },
  now: Date = new Date(),
): (readonly [label: string, value: string])[] {
  const { device, country } = signInOrigin(deps, request)
  const name = countryOf(country)?.name
  return [['Time', mailTime(now)], ['Device', device], ...(name ? [['Country', name] as const] : [])]
}

const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

/** A time for display, e.g. "3 May 2026 at 14:05 UTC". */
function mailTime(time: Date): string {
  return `${format.format(time)} UTC`
}
