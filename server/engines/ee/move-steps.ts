import { msg } from '#shared/localized-message.ts'
import { EngineError, type EngineStep, type StepContext } from '../engine.ts'
import type { EngineAlias } from '../site-domains.ts'
import type { HttpAuth } from '../site-settings.ts'
import type { SiteRef } from '../site-ref.ts'
import { assertAliases, assertChangeable, ownAliases, setAliases } from './aliases.ts'
import { assertSite, eePhpVersions, type EeSpec } from './arguments.ts'
import { packableSite } from './backups.ts'
import { createEeCertificates } from './certificates.ts'
import { emptySpec } from './copies.ts'
import { answerStep, createStep, reserveStep } from './create-steps.ts'
import type { EeContext } from './ee-context.ts'
import { areEventsPaused, pauseEvents } from './events.ts'
import { type EeRow, aliasesOf, isOn, networkOf } from './inventory.ts'
import { undoMove } from './move-end.ts'
import { beginMove, hasAuth, lostOf, moveOperation, noteMove, readMove, siteAs } from './move-state.ts'
import { addressesFor } from './replacements.ts'
import { addressOf } from './request.ts'
import { createEeServices } from './services.ts'
import { createEeSettings, setClosed, setDebug, setLimits } from './settings.ts'
import { existingSite, readSite } from './site-of.ts'
import { begin, busy, readSwap, swapStep, work, workdir } from './swaps.ts'
import { isPuttingBack } from './statements.ts'
import { tablePrefixOf } from './wp.ts'

/** What a change of the primary domain is about. */
export interface MoveWanted {
  readonly context: EeContext
  /** Under its domain of now. */
  readonly site: SiteRef
  readonly to: string
  /** All others that it is to have. */
  readonly aliases: readonly EngineAlias[]
  /** What visitors are asked for; the server has it, but is not asked for passwords. */
  readonly httpAuth: HttpAuth | null
}

/** Steps of a change; see `SiteDomains.changeSteps`. Everything that can be refused is before visitors have to wait. */
export function moveSteps(wanted: MoveWanted): EngineStep[] {
  const { context, site, to } = wanted
  const target = siteAs(site, { from: site.domain, to }, 'to')
  assertSite(target)
  const answer = answerStep(context, target)
  const steps: EngineStep[] = [
    {
      key: 'create_site',
      label: 'Create the site under the new domain',
      weight: 6,
      deadlineSeconds: 900,
      run: (step) => createUnder(wanted, target, step),
    },
    {
      key: 'settings',
      label: 'Take over certificate and services',
      weight: 3,
      deadlineSeconds: 900,
      run: (step) => takeSettings(wanted, target, step),
    },
    {
      key: 'pause',
      label: 'Keep visitors out',
      weight: 1,
      deadlineSeconds: 300,
      async run({ signal, log }) {
        if (site.siteType === 'wp') await pauseEvents(context, site, true, signal)
        await setClosed(context, site, true, signal)
        log(`Visitors of ${site.domain} see the maintenance page`)
      },
    },
    {
      key: 'copy',
      label: site.siteType === 'wp' ? 'Bring files and database' : 'Bring the files',
      weight: 6,
      deadlineSeconds: 7_200,
      run: (step) => bring(wanted, target, step),
    },
    { ...answer, key: 'check', label: 'Check that the site answers', weight: 1 },
  ]
  return [
    {
      key: 'reserve',
      label: 'Reserve the new domain',
      weight: 1,
      deadlineSeconds: 300,
      run: (step) => reserve(wanted, target, step),
    },
    ...steps.map((step) => ({
      ...step,
      async run(own: StepContext) {
        await assertBegun(wanted, own.signal)
        return step.run(own)
      },
    })),
  ]
}

/** A retry may go on with a change that the server has taken back meanwhile: nothing would open the site again that it closes. */
async function assertBegun({ context, site, to }: MoveWanted, signal: AbortSignal): Promise<void> {
  const move = await readMove(context, site, signal)
  if (move?.state === 'begun' && move.from === site.domain && move.to === to) return
  throw new EngineError('conflict', msg`The change of the domain was taken back before.`, {
    nextAction: msg`Change the domain once more.`,
  })
}

/** Refuses what would be lost or could not be done, then notes the change. */
async function reserve(wanted: MoveWanted, target: SiteRef, step: StepContext): Promise<void> {
  const { context, site, to, aliases } = wanted
  const { signal } = step
  const going = await readMove(context, site, signal)
  if (going?.state === 'begun' || going?.state === 'undoing') await undoMove(context, site, signal)
  const { row } = await packableSite(context, site, signal)
  if (networkOf(row) !== null)
    throw new EngineError('unsupported', msg`A network of sites (multisite) on a server keeps its domain.`, {
      nextAction: msg`Change it on the server.`,
    })
  if (row.site_type === 'php')
    throw new EngineError(
      'unsupported',
      msg`A PHP site on a server keeps its domain: EasyEngine would give the new one another database.`,
      {
        nextAction: msg`Create a site under the new domain, and bring its files there.`,
      },
    )
  if (row.site_type === 'wp' && !eePhpVersions.includes(row.php_version ?? ''))
    throw new EngineError(
      'conflict',
      msg`No new site gets PHP ${row.php_version ?? site.phpVersion}, which is not supported any more.`,
      {
        nextAction: msg`Change the PHP version of the site first.`,
      },
    )
  const swap = await readSwap(context, site, signal)
  if (swap !== null && swap.state !== 'finished') throw busy()
  if (site.siteType === 'wp' && (await isPuttingBack({ context, site, workdir }, signal)))
    throw new EngineError('conflict', msg`The database before an SQL statement is being put back.`, {
      nextAction: msg`Wait until the database is as it was before, then retry.`,
    })
  await assertNothingLost(wanted, row, signal)
  const before = await ownAliases(context, site, row)
  const own = new Set(before.map(({ domain }) => domain))
  const others = aliasesOf(row).filter((one) => !own.has(one) && one !== to)
  if (aliases.length + others.length > 0 || own.has(to)) assertChangeable(row)
  const reserved = reserveStep(context, target)
  // Says so before anything is noted.
  if (!own.has(to) && (await readSite(context, target, signal)).clash !== null) await reserved.run(step)
  const hadEvents = row.site_type === 'wp' && !(await areEventsPaused(context, site, signal))
  await beginMove(
    context,
    site,
    {
      ...{ from: site.domain, to },
      hadEvents,
      aliases: { before, after: aliases, others },
    },
    signal,
  )
  // EasyEngine creates no site whose domain is an alias.
  if (own.has(to))
    await setAliases(
      context,
      site,
      before.filter(({ domain }) => domain !== to),
      signal,
    )
  await reserved.run(step)
}

async function assertNothingLost(
  { context, site, to, aliases, httpAuth }: MoveWanted,
  row: EeRow,
  signal: AbortSignal,
): Promise<void> {
  const { kind } = await createEeCertificates(context).read(site, signal)
  if (kind === 'custom')
    throw new EngineError('conflict', msg`The certificate of the site is for its domain of now.`, {
      nextAction: msg`Choose another kind of certificate first, and install one for the new domain afterward.`,
    })
  assertAliases(aliases, { ...site, domain: to }, row)
  const { files, hasJobs } = await lostOf(context, site, signal)
  if (files.length > 0)
    throw new EngineError(
      'conflict',
      msg`Files of the site are where a change of the domain does not take them along: ${files.join(', ')}.`,
      {
        nextAction: msg`Remove them, or move them into the folder of files of the site or away from /opt/easyengine/sites/${site.domain}, then retry.`,
      },
    )
  if (!(await hasAuth(context, site, httpAuth, signal)))
    throw new EngineError('conflict', msg`HTTP authentication of the site was changed on the server.`, {
      nextAction: msg`Remove further users and addresses there (ee auth list ${site.domain}), and set the password on the page of the site, or turn it off.`,
    })
  if (hasJobs)
    throw new EngineError('conflict', msg`EasyEngine’s scheduler has jobs of the site that would be lost.`, {
      nextAction: msg`Note what “ee cron list ${site.domain}” says, delete them, and create them again for the new domain.`,
    })
}

/** The new site has the same kind of everything that is chosen when a site is created, and lets nobody in. */
async function createUnder({ context, site, httpAuth }: MoveWanted, target: SiteRef, step: StepContext): Promise<void> {
  const { signal } = step
  const { row } = await existingSite(context, site, signal)
  const spec: EeSpec = {
    ...emptySpec({ ...target, phpVersion: row.php_version ?? target.phpVersion }),
    ...(isOn(row.cache_app_object) ? { objectCache: true } : {}),
    ...(row.site_type === 'wp' ? { tablePrefix: await tablePrefixOf(context, site, workdir, signal) } : {}),
  }
  await createStep(context, spec).run(step)
  if (row.site_type === 'wp') await pauseEvents(context, target, true, signal)
  // Before it has what people configured.
  await setClosed(context, target, true, signal)
  await noteMove(context, site, ['configure', row.site_type], signal)
  const settings = createEeSettings(context)
  if (row.site_type !== 'html') await setLimits(context, target, await settings.read(site), { signal })
  if (httpAuth !== null) await settings.change(target, { httpAuth })
  const { maintenance } = await settings.read(site)
  if (maintenance) await settings.change(target, { maintenance })
}

async function takeSettings({ context, site }: MoveWanted, target: SiteRef, { signal, log }: StepContext) {
  const { row } = await existingSite(context, site, signal)
  const certificates = createEeCertificates(context)
  const { kind } = await certificates.read(site, signal)
  if (kind !== null && kind !== 'custom') {
    await certificates.change(target, kind, { signal, log })
    log(`The certificate of ${target.domain} is there`)
  }
  const services = createEeServices(context)
  const now = await services.read(site)
  if (now.proxyCache) await services.setProxyCache(target, true)
  if (now.mailCatcher && row.site_type !== 'html') await services.setMailCatcher(target, true)
}

/** Copies the site on its server, and replaces the address in the copy. */
async function bring({ context, site }: MoveWanted, target: SiteRef, step: StepContext): Promise<void> {
  const { signal } = step
  const more = ['move', 'all', site.siteType, '0']
  const state = await begin(context, target, { operation: moveOperation, more }, signal)
  if (state === 'begun')
    await work(context, target, 'prepare', { operation: moveOperation, more: [site.domain, '-', '0'] }, step)
  step.progress(0.5)
  const { row } = await existingSite(context, site, signal)
  const before = addressOf({ ...site, isSecure: (row.site_ssl ?? '') !== '' })
  const put = swapStep(context, target, async (url) => addressesFor({ url: before }, url))
  // Jobs have names of their own; a new site has one swap.
  await put.run({ ...step, operationId: moveOperation })
  const { debugUntil } = await createEeSettings(context).read(site)
  if (debugUntil !== null) await setDebug(context, target, debugUntil, signal)
}
