import { isObject } from '#shared/parse-json.ts'
import { countryOf } from '#shared/rules/countries.ts'
import type { Countries } from './country.ts'
import { safeFetch } from './fetch.ts'
import type { Log } from '../log/log.ts'

/** Maximum time a page waits for a country. */
const lookupTimeoutMs = 4000

/**
 * Looks up the country of an address: two lowercase letters, '' if it is unknown or the lookup fails. Uses our own database,
 * or the operator's service in `IP_LOOKUP_URL` with the address as the last part of the path; the service responds
 * `{"country_code": "DE"}`. The server sends the request, because the pages' content security policy blocks other hosts.
 */
export function createCountryLookup(options: {
  readonly url: string | null
  readonly countries: Countries
  readonly log: Pick<Log, 'warn'>
}): (ip: string) => Promise<string> {
  const { url, countries, log } = options
  if (url === null) return (ip) => Promise.resolve(countries.codeOf(ip))
  return async (ip) => {
    try {
      const response = await safeFetch(`${url}/${encodeURIComponent(ip)}`, {
        profile: 'operator',
        timeoutMs: lookupTimeoutMs,
        maxBytes: 64 * 1024,
        headers: { accept: 'application/json' },
      })
      if (response.status !== 200) throw new Error(`The service answered ${response.status}.`)
      const body: unknown = JSON.parse(response.body.toString())
      const code = isObject(body) ? body['country_code'] : null
      return typeof code === 'string' && code.length === 2 ? (countryOf(code)?.code ?? '') : ''
    } catch (error) {
      log.warn('The country of a visitor could not be looked up', { error })
      return ''
    }
  }
}
