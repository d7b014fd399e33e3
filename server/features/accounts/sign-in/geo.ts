import { isIP } from 'node:net'
import { defineMethod, type Method } from '#server/contracts/method.ts'
import type { RawRoute } from '#server/contracts/raw-route.ts'
import { AppError } from '#shared/errors.ts'
import { data } from '#shared/fields.ts'
import * as z from 'zod/mini'
import { described } from '#shared/schema.ts'
import { msg } from '#shared/localized-message.ts'
import type { AccountServices } from '../account-services.ts'

type GeoServices = Pick<AccountServices, 'countries' | 'findCountry' | 'rateLimiter'>

/**
 * Country lookup. By default it uses the built-in table and sends nothing outside; with `IP_LOOKUP_URL` it asks the
 * operator's service.
 */
export function geoMethod(services: GeoServices): Method {
  return defineMethod({
    name: 'easydash.api.geo.country',
    access: 'guest',
    tokens: 'any',
    verbs: ['GET', 'POST'],
    description:
      "Country of an IP address, the caller's own by default. Also at `/api/geo/{ip}`, without the envelope.",
    params: { ip: data({ length: 64 }) },
    returns: z.object({
      country_code: described(z.string(), 'Two lower-case letters; empty for private and unknown addresses'),
    }),
    async run({ ip }, context) {
      await services.rateLimiter.hit('geo_ip', { address: context.ip })
      return lookUp(services, ip === undefined ? context.ip : String(ip))
    },
  })
}

/** The same as the IP-lookup service of the specification (section 7): the address is in the path. */
export function geoRoute(services: GeoServices): RawRoute {
  return {
    verb: 'GET',
    path: '/api/geo/:ip',
    bodyLimit: 1024,
    // The bucket that the method uses counts both.
    rateLimit: { limit: 3000, seconds: 60 },
    async run({ params, ip }) {
      await services.rateLimiter.hit('geo_ip', { address: ip })
      return {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(await lookUp(services, params['ip'] ?? '')),
      }
    },
  }
}

async function lookUp(services: GeoServices, address: string): Promise<{ country_code: string }> {
  if (isIP(address) === 0)
    throw new AppError('invalid', msg`This is not an IP address.`, { field: 'ip', excType: 'ValidationError' })
  return { country_code: (await services.findCountry?.(address)) ?? services.countries.codeOf(address) }
}
