import { embedsIpv4, cidrMatcher, isLocalName, isExternalAddress } from '#server/platform/network/addresses.ts'
import type { Config } from '#server/platform/config/config.ts'
import { fieldLabel, type AnyDoc } from '#shared/doctype.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { AppError } from '#shared/errors.ts'
import type { Field } from '#shared/fields.ts'
import { msg, labelMessage } from '#shared/localized-message.ts'

/** Settings that allow addresses which are otherwise rejected. */
export type AddressConfig = Partial<Pick<Config, 'allowPrivateCidrs' | 'addressMap'>>

/** Server fields that hold IP addresses, by their format. */
const addressFields = Object.entries<Field>(ServerDoctype.fields).filter(([, { format = '' }]) =>
  ['ip', 'ipv4', 'ipv6'].includes(format),
)

/**
 * Rejects addresses of this machine and its network, in any notation, in all address fields of a server: they may be
 * connected to later. Private ranges are accepted if the operator allows them, and so are addresses in the operator's
 * address map.
 */
export function assertPublicAddresses(doc: AnyDoc, before: AnyDoc | null, config: AddressConfig = {}): void {
  const { allowPrivateCidrs = [], addressMap = {} } = config
  const allowed = cidrMatcher(allowPrivateCidrs)
  const isMapped = (host: string) => Object.keys(addressMap).some((key) => key.slice(0, key.lastIndexOf(':')) === host)
  const isFine = (value: string) =>
    isExternalAddress(value) || (!embedsIpv4(value) && allowed(value)) || isMapped(value)
  for (const [name, field] of addressFields) {
    const value = doc[name]
    if (typeof value !== 'string' || value === before?.[name] || isFine(value)) continue
    throw invalidAddress(
      name,
      msg`${labelMessage(fieldLabel(name, field))}: ${value} is an address inside the network.`,
    )
  }
  const { hostname } = doc
  if (typeof hostname !== 'string' || doc['engine_host'] !== null || hostname === before?.['hostname']) return
  if (isLocalName(hostname) && allowPrivateCidrs.length === 0 && !isMapped(hostname))
    throw invalidAddress('hostname', msg`${hostname} is a name inside the network.`)
}

function invalidAddress(field: string, message: ReturnType<typeof msg>): AppError {
  return new AppError('invalid', message, {
    field,
    excType: 'ValidationError',
    nextAction: msg`Enter the public address of the server. The operator of this installation can allow private ranges.`,
  })
}
