import { call } from '../api/api.ts'
import { boot } from '../session/boot.ts'

/** How long a found country holds (docs/contracts/screens.md, section 9). */
const keptMs = 30 * 86_400_000

/** Where a country and its day are kept in local storage (docs/contracts/screens.md, section 7). */
const codeKey = (ip: string): string => `country_code_${ip}`
const dateKey = (ip: string): string => `country_code_date_${ip}`

/** The kept country of an address; null when there is none or it is too old. */
function keptCode(ip: string, now: number): string | null {
  try {
    const code = localStorage.getItem(codeKey(ip))
    const age = now - Date.parse(localStorage.getItem(dateKey(ip)) ?? '')
    return code && age >= 0 && age < keptMs ? code : null
  } catch {
    // A browser that refuses storage is asked again each time.
    return null
  }
}

function keep(ip: string, code: string, now: number): void {
  try {
    localStorage.setItem(codeKey(ip), code)
    localStorage.setItem(dateKey(ip), new Date(now).toISOString())
  } catch {
    // As above.
  }
}

/**
 * The visitor's country by the address, two lower-case letters; '' when it cannot be told or the look-up fails. Found ones
 * are kept for 30 days.
 */
export async function visitorCountry(now: number = Date.now()): Promise<string> {
  const { ip } = boot()
  if (!ip) return ''
  const kept = keptCode(ip, now)
  if (kept !== null) return kept
  try {
    const { country_code: code } = await call<{ country_code: string }>(
      'easydash.api.geo.country',
      { ip },
      { verb: 'GET' },
    )
    // An unknown country may be known tomorrow.
    if (code) keep(ip, code, now)
    return code
  } catch {
    // Only a suggestion: the person chooses the country.
    return ''
  }
}
