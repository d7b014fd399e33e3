import { carriesIpv4, cidrMatcher, isInnerName, leadsOutside } from '#server/platform/network/addresses.ts'
import type { Config } from '#server/platform/config/config.ts'
import { fieldLabel, type AnyDoc } from '#shared/doctype.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { AppError } from '#shared/errors.ts'
import type { Field } from '#shared/fields.ts'
import { say, term } from '#shared/sentence.ts'

/** Settings that allow what is refused otherwise. */
export type AddressConfig = Partial<Pick<Config, 'allowPrivateCidrs' | 'addressMap'>>

/** Fields of a server that hold addresses, by their format. */
const addressFields = Object.entries<Field>(ServerDoctype.fields).filter(([, { format = '' }]) =>
  ['ip', 'ipv4', 'ipv6'].includes(format),
)

/**
 * Refuses addresses of this machine and of the network it is in, in whatever form, in every field of a server: what is
 * stored here is connected to one day. Private ranges count when the operator allows them, and so do addresses whose
 * way the operator maps.
 */
export function refuseInnerAddresses(doc: AnyDoc, before: AnyDoc | null, config: AddressConfig = {}): void {
  const { allowPrivateCidrs = [], addressMap = {} } = config
  const allowed = cidrMatcher(allowPrivateCidrs)
  const isMapped = (host: string) => Object.keys(addressMap).some((key) => key.slice(0, key.lastIndexOf(':')) === host)
  const isFine = (value: string) => leadsOutside(value) || (!carriesIpv4(value) && allowed(value)) || isMapped(value)
  for (const [name, field] of addressFields) {
    const value = doc[name]
    if (typeof value !== 'string' || value === before?.[name] || isFine(value)) continue
    throw refusal(name, say`${term(fieldLabel(name, field))}: ${value} is an address inside the network.`)
  }
  const { hostname } = doc
  if (typeof hostname !== 'string' || doc['engine_host'] !== null || hostname === before?.['hostname']) return
  if (isInnerName(hostname) && allowPrivateCidrs.length === 0 && !isMapped(hostname))
    throw refusal('hostname', say`${hostname} is a name inside the network.`)
}

function refusal(field: string, message: ReturnType<typeof say>): AppError {
  return new AppError('invalid', message, {
    field,
    excType: 'ValidationError',
    nextAction: say`Enter the public address of the server. The operator of this installation can allow private ranges.`,
  })
}
