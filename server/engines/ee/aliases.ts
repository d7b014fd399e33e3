import { isOneOf } from '#shared/is-one-of.ts'
import { msg } from '#shared/localized-message.ts'
import { checkDomain } from '#shared/rules/formats.ts'
import { aliasModes, maxAliases } from '#shared/rules/site-aliases.ts'
import { EngineError } from '../engine.ts'
import { sameAliases, type EngineAlias } from '../site-domains.ts'
import type { SiteRef } from '../site-ref.ts'
import type { EeContext } from './ee-context.ts'
import { aliasesOf, readInventory, writtenAliasesOf, type EeRow } from './inventory.ts'
import { look, mutate, outputOf } from './remote.ts'
import { enabledSite, existingSite } from './site-of.ts'

/** Those that came from here and are still there. Somebody may have made others on the server, which are left alone. */
export async function ownAliases(context: EeContext, site: SiteRef, row: EeRow): Promise<EngineAlias[]> {
  const output = outputOf(await look(context, site.server, { script: 'own-aliases', args: [site.domain] }))
  const present = aliasesOf(row)
  const modes = new Map(
    output.split('\n').flatMap((line): [string, EngineAlias['mode']][] => {
      const [domain = '', mode = ''] = line.split(' ')
      return present.includes(domain) && isOneOf(aliasModes, mode) ? [[domain, mode]] : []
    }),
  )
  return [...modes].map(([domain, mode]) => ({ domain, mode }))
}

const linesOf = (aliases: readonly EngineAlias[]): string =>
  aliases.map(({ domain, mode }) => `${domain} ${mode}`).join('\n')

/** See `SiteDomains.setAliases`. */
export async function setAliases(
  context: EeContext,
  site: SiteRef,
  aliases: readonly EngineAlias[],
  signal?: AbortSignal,
): Promise<void> {
  const { row } = await existingSite(context, site)
  assertAliases(aliases, site, row)
  const { rows } = await readInventory(context, site.server)
  const others = rows.filter(({ site_url: domain }) => domain !== site.domain)
  const taken = aliases.find(
    ({ domain }) =>
      domain === site.domain || others.some((one) => one.site_url === domain || aliasesOf(one).includes(domain)),
  )
  if (taken)
    throw new EngineError('conflict', msg`“${taken.domain}” belongs to a site of this server.`, {
      nextAction: msg`Choose another name.`,
    })
  const before = await ownAliases(context, site, row)
  const present = aliasesOf(row)
  const wanted = aliases.map(({ domain }) => domain)
  const added = wanted.filter((domain) => !present.includes(domain))
  const removed = before.map(({ domain }) => domain).filter((domain) => !wanted.includes(domain))
  const written = writtenAliasesOf(row).filter((name) => removed.includes(name.toLowerCase()))
  if (added.length + removed.length > 0) assertChangeable(row)
  await mutate(context, site.server, {
    id: `ee-${site.id}-aliases`,
    script: 'aliases',
    args: [site.domain, added.join(','), written.join(',')],
    variables: { wanted: linesOf(aliases) },
    signal,
    assertPossible: () => enabledSite(context, site, signal),
    async isDone() {
      const { row: now } = await existingSite(context, site)
      const own = await ownAliases(context, site, now)
      return sameAliases(own, aliases) && removed.every((domain) => !aliasesOf(now).includes(domain))
    },
  })
  context.certificates.delete(site.id)
}

/** Throws EngineError `conflict` for a site whose compose file would already be changed when EasyEngine refuses. */
export function assertChangeable({ site_ssl: kind }: EeRow): void {
  if (!kind || kind === 'le') return
  throw new EngineError('conflict', msg`EasyEngine changes aliases only of sites without SSL, or with Let’s Encrypt.`, {
    nextAction: msg`Use Let’s Encrypt, or turn off SSL, then change the aliases.`,
  })
}

/** Throws EngineError for aliases that a site on a server cannot have. */
export function assertAliases(aliases: readonly EngineAlias[], site: SiteRef, row: EeRow): void {
  const names = aliases.map(({ domain }) => domain)
  if (names.length > maxAliases || new Set(names).size !== names.length || names.some((name) => checkDomain(name)))
    throw new EngineError('invalid', msg`These are no valid names of a site.`, { nextAction: msg`Choose other names.` })
  if (row.site_type === 'wp' && aliases.some(({ mode }) => mode === 'serve'))
    throw new EngineError(
      'unsupported',
      msg`WordPress on a server answers under its primary domain only: it sends visitors of others there.`,
      { nextAction: msg`Let the alias redirect to ${site.domain}.` },
    )
}
