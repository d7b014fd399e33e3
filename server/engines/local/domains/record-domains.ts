import { isOneOf } from '#shared/is-one-of.ts'
import { isObject } from '#shared/parse-json.ts'
import { aliasModes, maxAliases } from '#shared/rules/site-aliases.ts'
import type { EngineAlias } from '../../site-domains.ts'
import { isSiteDomain } from './host-names.ts'

/** A change of the primary domain that is going on, with the names before it. */
export interface DomainMove {
  readonly from: string
  readonly to: string
  readonly aliases: readonly EngineAlias[]
  /** The database before it is complete beside the current one. */
  readonly saved?: true
}

/** Keeps the valid names of a record. */
export function parseDomains(given: Readonly<Record<string, unknown>>): {
  aliases?: EngineAlias[]
  former?: string[]
  move?: DomainMove
  following?: string
} {
  const aliases = parseAliases(given['aliases'])
  const move = parseMove(given['move'])
  const { following } = given
  const former = Array.isArray(given['former']) ? given['former'].filter(isName).slice(0, maxFormer) : []
  return {
    ...(aliases.length === 0 ? {} : { aliases }),
    ...(former.length === 0 ? {} : { former }),
    ...(move === null ? {} : { move }),
    ...(isOrigin(following) ? { following } : {}),
  }
}

function parseAliases(value: unknown): EngineAlias[] {
  if (!Array.isArray(value)) return []
  return value.slice(0, maxAliases).flatMap((alias: unknown) => {
    if (!isObject(alias)) return []
    const { domain, mode } = alias
    return isName(domain) && isOneOf(aliasModes, mode) ? [{ domain, mode }] : []
  })
}

function parseMove(value: unknown): DomainMove | null {
  if (!isObject(value)) return null
  const { from, to, saved } = value
  if (!isName(from) || !isName(to)) return null
  return { from, to, aliases: parseAliases(value['aliases']), ...(saved === true ? { saved } : {}) }
}

/** Whether a value is scheme, host and port of an address. */
export const isOrigin = (value: unknown): value is string =>
  typeof value === 'string' && /^https?:\/\/[a-z0-9.-]{1,253}(?::\d{1,5})?$/.test(value)

const isName = (value: unknown): value is string => typeof value === 'string' && isSiteDomain(value)

/** Most former names that are remembered. */
const maxFormer = 100

/** The former names of a site after a change of its record: full domains that it had and no longer has. */
export function formerNames(before: SiteNames & { readonly former?: readonly string[] }, now: SiteNames): string[] {
  const names = new Set(namesOf(now))
  const gone = [...namesOf(before), ...(before.former ?? [])].filter((name) => name.includes('.') && !names.has(name))
  return [...new Set(gone)].slice(0, maxFormer)
}

interface SiteNames {
  readonly domain: string
  readonly aliases?: readonly EngineAlias[]
  readonly move?: DomainMove
}

/** All names that lead to a site, the primary one first. During a change also the one to come. */
export function namesOf(site: SiteNames): string[] {
  const { domain, aliases = [], move } = site
  const moving = move === undefined ? [] : [move.from, move.to, ...move.aliases.map((alias) => alias.domain)]
  return [...new Set([domain, ...aliases.map((alias) => alias.domain), ...moving])]
}
