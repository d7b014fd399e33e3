import type { Tx } from '#server/contracts/transaction.ts'
import type { Engine } from '#server/engines/engine.ts'
import type { ServerRef } from '#server/engines/site-ref.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import type { AliasMode } from '#shared/rules/site-aliases.ts'
import { parseSiteDomain } from '#shared/rules/site-domains.ts'
import { serverOf } from '../engine-of.ts'
import type { SitesDeps } from '../deps.ts'
import { writeSite } from '../job-parts.ts'
import { sitesDomain } from '../site-names.ts'
import { domainHolder, lockNames, removeDomain, writeDomain } from './domain-table.ts'
import { aliasFields, markTaken } from './alias-fields.ts'

/** An archived site that gives up an alias, and what the alias was for. */
export interface Giver {
  readonly site: Site
  readonly mode: AliasMode
  /** Since when the site had it; absent in jobs that are older than this. */
  readonly added?: string
}

/** Reads the name that somebody entered for a site. Throws with the field `domain`. */
export function enteredDomain(deps: SitesDeps, engine: Engine, server: ServerRef, text: string): string {
  const dashboardHost = deps.dashboardHost ?? 'localhost'
  const parsed = parseSiteDomain(text, { sitesDomain: sitesDomain(engine, server), dashboardHost })
  if ('domain' in parsed) return parsed.domain
  throw new AppError('invalid', parsed.problem, { field: 'domain', excType: 'InvalidNameError' })
}

/**
 * Makes sure that no other site has a name, until the end of the transaction. An archived site of the same organization gives
 * up its alias. Throws with the field `domain`.
 * @returns the site that gave it up; null: none had to
 */
export async function claimDomain(tx: Tx, site: Site, domain: string): Promise<Giver | null> {
  await lockNames(tx)
  const giver = await assertAvailable(tx, site, domain)
  if (giver === null) return null
  await removeDomain(tx, giver.site.name, domain)
  await markTaken(tx, giver.site, domain)
  return giver
}

/**
 * Takes back what `claimDomain` took from an archived site, once the claimer no longer has the name. Nothing happens if the giver
 * is gone or no longer wants it, or if somebody else got the name meanwhile.
 * @returns whether the giver has it again, so that its engine must know
 */
export async function giveBack(
  tx: Tx,
  giver: Giver,
  domain: string,
  engine: Pick<Engine, 'siteUrl'>,
): Promise<boolean> {
  await lockNames(tx)
  const site = await tx.get(SiteDoctype, giver.site.name, { lock: true })
  if (!site?.aliases?.some((alias) => alias.domain === domain && alias.taken === 1)) return false
  if ((await domainHolder(tx, domain)) !== null || (await primaryHolder(tx, site, domain)) !== null) return false
  const { mode, added } = giver
  await writeDomain(tx, { domain, site: site.name, mode, ...(added === undefined ? {} : { added }) })
  await writeSite(tx, site.name, await aliasFields(tx, site, engine, await serverOf(tx, site)))
  return true
}

/** Throws with the field `domain` if another site keeps a name. Returns the archived site that would give it up, if any. */
export async function assertAvailable(tx: Tx, site: Site, domain: string): Promise<Giver | null> {
  const primary = await primaryHolder(tx, site, domain)
  if (primary !== null && primary.name !== site.name) throw taken(site, primary, domain)
  const row = await domainHolder(tx, domain)
  if (row === null || row.site === site.name) return null
  const holder = await tx.get(SiteDoctype, row.site)
  if (holder === null) return null
  const isOurs = holder.organization === site.organization
  if (!isOurs || holder.status !== 'Archived' || holder.locked_by_job !== null || row.mode === 'pending')
    throw taken(site, holder, domain)
  return { site: holder, mode: row.mode, added: row.added }
}

/** Names below the sites' domain belong to a machine, as its address does; full ones to the installation. */
async function primaryHolder(tx: Tx, site: Site, domain: string): Promise<Site | null> {
  const own = await tx.find(SiteDoctype, [
    ['domain', '=', domain],
    ['engine_host', '=', site.engine_host],
  ])
  return own ?? (await tx.find(SiteDoctype, [['domain', '=', domain]]))
}

/** Says whose name it is only to the organization that has it. */
function taken(site: Site, holder: Site, domain: string): AppError {
  const isOurs = holder.organization === site.organization
  const message = !isOurs
    ? msg`“${domain}” is in use already. Choose another name.`
    : holder.status === 'Archived'
      ? msg`“${domain}” is already the name of an archived site of yours. Choose another name.`
      : msg`“${domain}” already belongs to your site ${holder.domain}. Choose another name.`
  return new AppError('invalid', message, { field: 'domain', excType: 'UniqueValidationError' })
}
