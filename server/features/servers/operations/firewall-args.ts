import { isCidr, isExternalAddress } from '#server/platform/network/addresses.ts'
import type { Args } from '#shared/doctype.ts'
import type { Server, ServerDoctype } from '#shared/doctypes/server.ts'
import { AppError } from '#shared/errors.ts'
import { msg, type LocalizedMessage } from '#shared/localized-message.ts'

/** What the firewall of a server is to be. */
export type FirewallArgs = { enabled: 0 | 1; allow: readonly string[]; block: readonly string[] }

/** Rules are checked one by one for every packet. */
const maxAddresses = 100

/** The firewall as a call asks for it. Throws `invalid` for what is no address, and for what would keep out everybody or the machine itself. */
export function firewallArgs(server: Server, args: Args<typeof ServerDoctype, 'firewall'>): FirewallArgs {
  const allow = addresses('allow', args.allow ?? server.firewall?.allow ?? [])
  const block = addresses('block', args.block ?? server.firewall?.block ?? [])
  for (const address of block) {
    const [base = '', bits] = address.split('/')
    if (allow.includes(address)) throw invalid('block', msg`${address} is allowed, too.`)
    if (bits !== undefined && Number(bits) < (base.includes(':') ? 16 : 8))
      throw invalid('block', msg`${address} is too large a part of the internet.`)
    if (!isExternalAddress(base))
      throw invalid('block', msg`${address} is inside the network; the sites themselves need such addresses.`)
  }
  return { enabled: args.enabled, allow, block }
}

function addresses(field: 'allow' | 'block', given: readonly string[]): string[] {
  const found = [...new Set(given.map((one) => one.trim().toLowerCase()))].filter((one) => one !== '')
  if (found.length > maxAddresses) throw invalid(field, msg`Use at most ${maxAddresses} addresses; ranges save some.`)
  const wrong = found.find((one) => !isCidr(one))
  if (wrong === undefined) return found
  throw invalid(
    field,
    msg`${wrong.slice(0, 60)} is neither an address such as 203.0.113.5 nor a range such as 203.0.113.0/24.`,
  )
}

const invalid = (field: string, message: LocalizedMessage) =>
  new AppError('invalid', message, { field, excType: 'ValidationError' })
