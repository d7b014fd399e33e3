import { call } from '../api/api.ts'
import { boot } from '../session/boot.ts'

/** How long a found country is kept (docs/contracts/screens.md, section 9). */
const cacheMs = 30 * 86_400_000

/** Local storage keys of a country and its date (docs/contracts/screens.md, section 7). */
const codeKey = (ip: string): string => `country_code_${ip}`
const dateKey = (ip: string): string => `country_code_date_${ip}`

/** The stored country of an IP address; null if there is none or it has expired. */
function cachedCode(ip: string, now: number): string | null {
  try {
    const code = localStorage.getItem(codeKey(ip))
    const age = now - Date.parse(localStorage.getItem(dateKey(ip)) ?? '')
    return code && age >= 0 && age < cacheMs ? code : null
  } catch {
    // Storage is blocked: look it up every time.
    return null
  }
}

function cacheCode(ip: string, code: string, now: number): void {
  try {
    localStorage.setItem(codeKey(ip), code)
    localStorage.setItem(dateKey(ip), new Date(now).toISOString())
  } catch {
    // Storage is blocked, as above.
  }
}

/**
 * The visitor's country by IP address as two lowercase letters; '' if it is unknown or the lookup fails. Results are kept
 * for 30 days.
 */
export async function visitorCountry(now: number = Date.now()): Promise<string> {
  const { ip } = boot()
  if (!ip) return ''
  const kept = cachedCode(ip, now)
  if (kept !== null) return kept
  try {
    const { country_code: code } = await call<{ country_code: string }>(
      'easydash.api.geo.country',
      { ip },
      { verb: 'GET' },
    )
    // Don't store an unknown country; a later lookup may find it.
    if (code) cacheCode(ip, code, now)
    return code
  } catch {
    // Only a suggestion: the user chooses the country.
    return ''
  }
}

/** The country to begin a form with: by IP address, else the one of the browser's language; '' if neither says one. */
export async function suggestedCountry(): Promise<string> {
  const found = await visitorCountry()
  return found || (new Intl.Locale(navigator.language).region ?? '').toLowerCase()
}
