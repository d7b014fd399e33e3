import { isIP } from 'node:net'
import type { Method } from '#server/documents/types.ts'
import { AppError } from '#shared/errors.ts'
import { data } from '#shared/fields.ts'
import { described, objectShape, textShape } from '#shared/json-schema.ts'
import type { AccountsRoom } from './room.ts'

/** The look-up of countries that `IP_LOOKUP_URL` means by default: our own table, nothing leaves the installation. */
export function geoMethod(room: Pick<AccountsRoom, 'countries' | 'rateLimiter'>): Method {
  return {
    name: 'easydash.api.geo.country',
    access: 'guest',
    tokens: 'any',
    verbs: ['GET', 'POST'],
    description: "Country of an IP address, the caller's own by default.",
    params: { ip: data({ length: 64 }) },
    returns: objectShape({
      country_code: described(textShape, 'Two lower-case letters; empty for private and unknown addresses'),
    }),
    async run({ ip }, context) {
      await room.rateLimiter.hit('geo_ip', context.ip)
      if (ip !== undefined && isIP(String(ip)) === 0)
        throw new AppError('invalid', 'This is not an IP address.', { field: 'ip', excType: 'ValidationError' })
      return { country_code: room.countries.codeOf(ip === undefined ? context.ip : String(ip)) }
    },
  }
}
