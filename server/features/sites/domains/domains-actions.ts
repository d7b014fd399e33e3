import { controller, type Controller, type ExternalCall } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { Engine } from '#server/engines/engine.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import { assertNotLocked } from '#server/jobs/enqueue.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { msg, untranslated } from '#shared/localized-message.ts'
import { maxAliases } from '#shared/rules/site-aliases.ts'
import { parseSiteDomain } from '#shared/rules/site-domains.ts'
import type { SitesDeps } from '../deps.ts'
import { engineFor, requireCapability, siteRef, serverOf } from '../engine-of.ts'
import { writeSite } from '../job-parts.ts'
import { siteCall } from '../site-call.ts'
import { watchedSave } from '../watched-change.ts'
import { sitesDomain } from '../site-names.ts'
import { aliasFields, forgetTaken } from './alias-fields.ts'
import { enqueueDomainChange } from './change-domain-job.ts'
import { aliasesOfSite, domainHolder, removeDomain, writeDomain, type DomainRow } from './domain-table.ts'
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
        const giver = await claimDomain(tx, site, domain)
        const aliases = await aliasesOfSite(tx, site.name)
        if (aliases.some((alias) => alias.domain === domain))
          throw new AppError('invalid', msg`“${domain}” is already an alias of this site.`, { field: 'domain' })
        if (aliases.length >= maxAliases)
          throw new AppError('limit_reached', msg`A site can have at most ${maxAliases} aliases.`, { field: 'domain' })
        await writeDomain(tx, { domain, site: site.name, mode: args.mode })
        return changed(deps, tx, site, oneName({ domain, before: null, giver, isRemoved: false }, { mode: args.mode }))
      },

      async set_alias_mode(site, args, { tx }) {
        const { domain, row } = await known(deps, tx, site, args.domain)
        if (row === null) throw noAlias(domain)
        assertOneName(site, domain, args.mode)
        await writeDomain(tx, { ...row, mode: args.mode })
        return changed(
          deps,
          tx,
          site,
          oneName({ domain, before: row, giver: null, isRemoved: false }, { mode: args.mode }),
        )
      },

      async remove_alias(site, args, { tx }) {
        const { domain, row } = await known(deps, tx, site, args.domain)
        const isTaken = (site.aliases ?? []).some((alias) => alias.domain === domain && alias.taken === 1)
        if (row === null && !isTaken) throw noAlias(domain)
        if (row === null) await forgetTaken(tx, site, domain)
        else await removeDomain(tx, site.name, domain)
        return changed(deps, tx, site, oneName({ domain, before: row, giver: null, isRemoved: true }))
      },

      async set_aliases(site, args, { tx }) {
        const wanted = new Set<string>()
        for (const text of args.domains ?? []) {
          const domain = await entered(deps, tx, site, text)
          assertNotPrimary(site, domain)
          assertOneName(site, domain, args.mode)
          wanted.add(domain)
        }
        if (wanted.size > maxAliases)
          throw new AppError('limit_reached', msg`A site can have at most ${maxAliases} aliases.`, { field: 'domains' })
        const before = new Map(
          (await aliasesOfSite(tx, site.name)).map((row): [string, DomainRow] => [
            row.domain,
            { ...row, site: site.name },
          ]),
        )
        const names: AliasName[] = []
        for (const [domain, row] of before) {
          if (wanted.has(domain)) continue
          await removeDomain(tx, site.name, domain)
          names.push({ domain, before: row, giver: null, isRemoved: true })
        }
        for (const domain of wanted) {
          const row = before.get(domain) ?? null
          if (row?.mode === args.mode) continue
          const giver = row === null ? await claimDomain(tx, site, domain) : null
          await writeDomain(tx, { domain, site: site.name, mode: args.mode })
          names.push({ domain, before: row, giver, isRemoved: false })
        }
        const domains = [...wanted]
        const shown = { detail: domains.join(', '), after: { mode: args.mode }, result: { domains } }
        return changed(deps, tx, site, { names, ...shown })
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

/** An alias that the site should have: its row, or null. Rules that came later do not apply to it. */
async function known(
  deps: SitesDeps,
  tx: Tx,
  site: Site,
  text: string,
): Promise<{ domain: string; row: DomainRow | null }> {
  await assertNotLocked(tx, site)
  const own = sitesDomain(engineFor(deps.engines, site), await serverOf(tx, site))
  const parsed = parseSiteDomain(text, { sitesDomain: own, dashboardHost: deps.dashboardHost ?? 'localhost' })
  const domain = 'domain' in parsed ? parsed.domain : text
  const row = await domainHolder(tx, domain)
  return { domain, row: row?.site === site.name && row.mode !== 'pending' ? row : null }
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
  readonly names: readonly AliasName[]
  /** What the activity log says of it. */
  readonly detail: string
  readonly after?: Record<string, unknown>
  readonly result: Record<string, unknown>
}

const oneName = (name: AliasName, after?: Record<string, unknown>): AliasChange => ({
  ...{ names: [name], detail: name.domain, result: { domain: name.domain } },
  ...(after ? { after } : {}),
})

/** Shows the aliases in the document, then gives them to the engine. */
async function changed(deps: SitesDeps, tx: Tx, site: Site, change: AliasChange): Promise<ExternalCall> {
  const { names, detail, after, result } = change
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
