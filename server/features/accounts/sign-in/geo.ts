import { isIP } from 'node:net'
import { defineMethod, type Method } from '#server/contracts/method.ts'
import { AppError } from '#shared/errors.ts'
import { data } from '#shared/fields.ts'
import * as z from 'zod/mini'
import { described } from '#shared/schema.ts'
import { msg } from '#shared/localized-message.ts'
import type { AccountServices } from '../account-services.ts'

/**
 * Country lookup. By default it uses the built-in table and sends nothing outside; with `IP_LOOKUP_URL` it asks the
 * operator's service.
 */
export function geoMethod(services: Pick<AccountServices, 'countries' | 'findCountry' | 'rateLimiter'>): Method {
  return defineMethod({
    name: 'easydash.api.geo.country',
    access: 'guest',
    tokens: 'any',
    verbs: ['GET', 'POST'],
    description: "Country of an IP address, the caller's own by default.",
    params: { ip: data({ length: 64 }) },
    returns: z.object({
      country_code: described(z.string(), 'Two lower-case letters; empty for private and unknown addresses'),
    }),
    async run({ ip }, context) {
      await services.rateLimiter.hit('geo_ip', { address: context.ip })
      if (ip !== undefined && isIP(String(ip)) === 0)
        throw new AppError('invalid', msg`This is not an IP address.`, { field: 'ip', excType: 'ValidationError' })
      const address = ip === undefined ? context.ip : String(ip)
      return { country_code: (await services.findCountry?.(address)) ?? services.countries.codeOf(address) }
    },
  })
}
