import { controller, type Controller, type ExternalCall } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { Engine } from '#server/engines/engine.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { assertNotLocked } from '#server/jobs/enqueue.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg, untranslated } from '#shared/localized-message.ts'
import { maxAliases, type AliasMode } from '#shared/rules/site-aliases.ts'
import { parseSiteDomain } from '#shared/rules/site-domains.ts'
import type { SitesDeps } from '../deps.ts'
import { engineFor, requireCapability, siteRef, serverOf } from '../engine-of.ts'
import { writeSite } from '../job-parts.ts'
import { siteCall } from '../site-call.ts'
import { watchedSave } from '../watched-change.ts'
import { sitesDomain } from '../site-names.ts'
import { aliasFields, forgetTaken } from './alias-fields.ts'
import { enqueueDomainChange } from './change-domain-job.ts'
import { aliasesOfSite, domainsOfSite, removeDomain, writeDomain, type DomainRow } from './domain-table.ts'
import { assertAvailable, claimDomain, enteredDomain, giveBack, type Giver } from './new-domain.ts'
import { assertOneName } from '../network/network-actions.ts'
import { pushAliases } from './push-aliases.ts'

/** Actions about the names of a site. The store checks state and permissions first. */
export function domainsActions(deps: SitesDeps): Controller {
  return controller(SiteDoctype, {
    actions: {
      async add_alias(site, args, { tx }) {
        const domain = await entered(deps, tx, site, args.domain)
        assertNotPrimary(site, domain)
        assertOneName(site, domain, args.mode)
        const aliases = await modesOf(tx, site)
        if (aliases.has(domain))
          throw new AppError('invalid', msg`“${domain}” is already an alias of this site.`, { field: 'domain' })
        return giveAliases(deps, tx, site, aliases.set(domain, args.mode), oneName(domain, args.mode))
      },

      async set_alias_mode(site, args, { tx }) {
        const { domain, aliases } = await known(deps, tx, site, args.domain)
        if (!aliases.has(domain)) throw noAlias(domain)
        assertOneName(site, domain, args.mode)
        return giveAliases(deps, tx, site, aliases.set(domain, args.mode), oneName(domain, args.mode))
      },

      async remove_alias(site, args, { tx }) {
        const { domain, aliases } = await known(deps, tx, site, args.domain)
        if (!aliases.delete(domain)) {
          const isTaken = (site.aliases ?? []).some((alias) => alias.domain === domain && alias.taken === 1)
          if (!isTaken) throw noAlias(domain)
          await forgetTaken(tx, site, domain)
        }
        return giveAliases(deps, tx, site, aliases, oneName(domain))
      },

      async set_aliases(site, args, { tx }) {
        await assertNotLocked(tx, site)
        const [engine, server] = [engineFor(deps.engines, site), await serverOf(tx, site)]
        const domains = new Set((args.domains ?? []).map((text) => enteredDomain(deps, engine, server, text)))
        for (const domain of domains) {
          assertNotPrimary(site, domain)
          assertOneName(site, domain, args.mode)
        }
        const wanted = new Map([...domains].map((domain) => [domain, args.mode]))
        const said = { detail: [...domains].join(', '), after: { mode: args.mode }, result: { domains: [...domains] } }
        return giveAliases(deps, tx, site, wanted, { ...said, field: 'domains' })
      },

      async preview_domain_change(site, args, { tx }) {
        const domain = await entered(deps, tx, site, args.domain)
        assertNotPrimary(site, domain)
        await assertAvailable(tx, site, domain)
        return siteCall(deps, tx, site, {
          needs: 'domain_change',
          async run(engine, ref) {
            const found = await engine.domains.findAddresses(ref, domain, args.after || null)
            return { domain, url: engine.siteUrl({ ...ref, domain }), ...found }
          },
        })
      },

      async change_domain(site, args, { tx }) {
        const { engine, server } = await requireCapability(deps, tx, site, 'domain_change')
        const domain = enteredDomain(deps, engine, server, args.domain)
        assertNotPrimary(site, domain)
        assertOneName(site, site.domain, args.old_domain)
        return args.dry_run === 1
          ? dryRun(deps, tx, site, domain)
          : enqueueDomainChange(deps, tx, site, domain, args.old_domain)
      },
    },
  })
}

/** What changing the primary domain would replace, part after part. */
async function dryRun(deps: SitesDeps, tx: Tx, site: Site, domain: string): Promise<ExternalCall> {
  await assertNotLocked(tx, site)
  await assertAvailable(tx, site, domain)
  return siteCall(deps, tx, site, {
    needs: 'domain_change',
    entry: null,
    async run(engine, ref) {
      const tables = new Map<string, { table: string; rows: number; replacements: number }>()
      let after: string | null = null
      do {
        const part: Awaited<ReturnType<typeof engine.domains.findAddresses>> = await engine.domains.findAddresses(
          ref,
          domain,
          after,
        )
        for (const { table, rows, places } of part.tables) {
          const sum = tables.get(table) ?? { table, rows: 0, replacements: 0 }
          tables.set(table, { table, rows: sum.rows + rows, replacements: sum.replacements + places })
        }
        if (part.after !== null && part.after === after) throw new Error('The search for addresses does not go on')
        after = part.after
      } while (after !== null)
      const found = [...tables.values()]
      return { tables: found, replacements: found.reduce((sum, { replacements }) => sum + replacements, 0) }
    },
  })
}

async function entered(deps: SitesDeps, tx: Tx, site: Site, text: string): Promise<string> {
  await assertNotLocked(tx, site)
  return enteredDomain(deps, engineFor(deps.engines, site), await serverOf(tx, site), text)
}

/** A name that should be an alias of the site, and the aliases it has. Of the rules for new names, only lower case applies to it. */
async function known(
  deps: SitesDeps,
  tx: Tx,
  site: Site,
  text: string,
): Promise<{ domain: string; aliases: Map<string, AliasMode> }> {
  await assertNotLocked(tx, site)
  const own = sitesDomain(engineFor(deps.engines, site), await serverOf(tx, site))
  const parsed = parseSiteDomain(text, { sitesDomain: own, dashboardHost: deps.dashboardHost ?? 'localhost' })
  if ('problem' in parsed && text !== text.toLowerCase())
    throw new AppError('invalid', parsed.problem, { field: 'domain', excType: 'InvalidNameError' })
  return { domain: 'domain' in parsed ? parsed.domain : text, aliases: await modesOf(tx, site) }
}

/** The aliases of a site, and what they are for. */
async function modesOf(tx: Tx, site: Site): Promise<Map<string, AliasMode>> {
  return new Map((await aliasesOfSite(tx, site.name)).map(({ domain, mode }) => [domain, mode]))
}

function assertNotPrimary(site: Site, domain: string): void {
  if (domain === site.domain)
    throw new AppError('invalid', msg`“${domain}” is the primary domain of this site.`, { field: 'domain' })
}

const noAlias = (domain: string): AppError =>
  new AppError('not_found', msg`“${domain}” is no alias of this site any more.`, { field: 'domain' })

/** A name that was changed, and what to restore if the engine refuses it. */
interface AliasName {
  readonly domain: string
  /** The row before; null: there was none. */
  readonly before: DomainRow | null
  /** The archived site that had the alias, and what it had. */
  readonly giver: Giver | null
  readonly isRemoved: boolean
}

interface AliasChange {
  /** What the activity log says of it. */
  readonly detail: string
  readonly after?: Record<string, unknown>
  readonly result: Record<string, unknown>
  /** The argument that names them. */
  readonly field: 'domain' | 'domains'
}

const oneName = (domain: string, mode?: AliasMode): AliasChange => ({
  ...{ detail: domain, result: { domain }, field: 'domain' },
  ...(mode ? { after: { mode } } : {}),
})

/** Gives a site these aliases and no others: first to the document, then to the engine. */
async function giveAliases(
  deps: SitesDeps,
  tx: Tx,
  site: Site,
  wanted: ReadonlyMap<string, AliasMode>,
  { detail, after, result, field }: AliasChange,
): Promise<ExternalCall> {
  if (wanted.size > maxAliases)
    throw new AppError('limit_reached', msg`A site can have at most ${maxAliases} aliases.`, { field })
  const before = await modesOf(tx, site)
  const rows = await domainsOfSite(tx, site.name)
  const rowOf = (domain: string) => rows.find((row) => before.has(domain) && row.domain === domain) ?? null
  const names: AliasName[] = []
  for (const domain of before.keys()) {
    if (wanted.has(domain)) continue
    await removeDomain(tx, site.name, domain)
    names.push({ domain, before: rowOf(domain), giver: null, isRemoved: true })
  }
  for (const [domain, mode] of wanted) {
    if (before.get(domain) === mode) continue
    const giver = before.has(domain) ? null : await claimDomain(tx, site, domain)
    await writeDomain(tx, { domain, site: site.name, mode })
    names.push({ domain, before: rowOf(domain), giver, isRemoved: false })
  }
  const { engine, server } = await requireCapability(deps, tx, site, 'aliases')
  const now = (await tx.get(SiteDoctype, site.name)) ?? site
  await writeSite(tx, site.name, await aliasFields(tx, now, engine, server))
  const givers = new Map<string, { engine: Engine; ref: SiteRef }>()
  for (const { giver } of names)
    if (giver !== null)
      givers.set(giver.site.name, {
        engine: engineFor(deps.engines, giver.site),
        ref: siteRef(giver.site, await serverOf(tx, giver.site)),
      })
  const pushGivers = async (): Promise<void> => {
    for (const giver of givers.values()) await pushAliases(deps, giver.engine, giver.ref)
  }
  return siteCall(deps, tx, site, {
    needs: 'aliases',
    changes: true,
    entry: { detail: untranslated(detail), ...(after ? { after } : {}) },
    async run(own, ref) {
      await watchedSave(own, ref, {
        isBack: msg`The aliases are as they were before.`,
        // A new name or mode must answer, too: code of the site can fail under it.
        names: names.filter(({ isRemoved }) => !isRemoved).map(({ domain }) => domain),
        async apply() {
          // First the givers: an engine has a name only once. If this fails, the name must go back to them, too.
          await pushGivers()
          await pushAliases(deps, own, ref)
        },
        async undo() {
          let isGivenBack = false
          for (const name of names.toReversed()) isGivenBack = (await takeBack(deps, own, ref, name)) || isGivenBack
          await pushAliases(deps, own, ref)
          if (isGivenBack) await pushGivers()
        },
      })
      return result
    },
  })
}

/**
 * Restores the row of an alias that the engine did not accept, and that of the archived site that gave it up.
 * @returns whether the giver has it again
 */
async function takeBack(
  deps: SitesDeps,
  engine: Engine,
  ref: SiteRef,
  { domain, before, giver }: AliasName,
): Promise<boolean> {
  return deps.documents().transaction(systemSession('schedule'), async (tx) => {
    // A site that was deleted meanwhile has no rows, but what it took still belongs to the giver.
    const site = await tx.get(SiteDoctype, ref.id, { lock: true })
    if (site !== null) {
      if (before === null) await removeDomain(tx, site.name, domain)
      else await writeDomain(tx, before)
      await writeSite(tx, site.name, await aliasFields(tx, site, engine, await serverOf(tx, site)))
    }
    return giver !== null && (await giveBack(tx, giver, domain, engineFor(deps.engines, giver.site)))
  })
}
