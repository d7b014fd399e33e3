import { randomBytes } from 'node:crypto'
import { exists } from '#server/platform/files/exists.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError, type EngineStep, type StepContext } from '../engine.ts'
import type { CloneSpec, CopySource, SiteCopies } from '../site-copies.ts'
import type { HttpAuth } from '../site-settings.ts'
import { literals } from '../site-constants.ts'
import { networkIn } from '../site-manifest.ts'
import type { SiteRef } from '../site-ref.ts'
import { nobodyStays } from '../wordpress-person.ts'
import { createArguments, type EeSpec } from './arguments.ts'
import { packableSite, packedArchive, packSite, removePacked } from './backups.ts'
import { answerStep, createStep, reserveStep, writeDatabaseLogin } from './create-steps.ts'
import type { EeContext } from './ee-context.ts'
import { databaseNameOf, databaseOf, isOn, networkOf } from './inventory.ts'
import { syncUsers } from './login.ts'
import { writeMark } from './marks.ts'
import { fillSteps, type FillArchive } from './restores.ts'
import { managedSite, runPhp } from './scripts.ts'
import { createEeServices } from './services.ts'
import { createEeSettings, setLimits } from './settings.ts'
import { readSite } from './site-of.ts'
import { becomeStaging } from './staging-content.ts'
import { finishSwap } from './swaps.ts'
import { manifestIn } from './unpack-archive.ts'
import { runWp } from './wp.ts'

/** A new site that gets files and database of an archive. */
interface FilledSite extends SiteRef {
  /** Title in WordPress; null: that of the archive. */
  readonly title: string | null
  /** An administrator of the archive, who gets what removed users wrote. Null: its first administrator. */
  readonly adminUser: string | null
}

/** What it has besides. */
interface Around {
  readonly objectCache: boolean
  /** Null: it runs no PHP. */
  readonly limits: { readonly memoryMb: number; readonly uploadMb: number } | null
  readonly httpAuth: HttpAuth | null
}

/** Copies of sites, also on another server: what is packed as for a backup takes the place of a site that was just made. */
export function createEeCopies(context: EeContext): SiteCopies {
  return { refusal, cloneSteps: (source, target) => cloneSteps(context, source, target) }
}

function cloneSteps(context: EeContext, source: SiteRef, target: CloneSpec): EngineStep[] {
  const settings = createEeSettings(context)
  const filled = fillingSteps(
    context,
    target,
    { path: packedArchive(context, target), isOwn: true },
    async ({ signal }) => {
      const { row } = await packableSite(context, source, signal)
      return {
        objectCache: isOn(row.cache_app_object),
        limits: row.site_type === 'html' ? null : await settings.read(source),
        httpAuth: target.staging?.httpAuth ?? target.httpAuth ?? null,
      }
    },
    target.staging && ((step) => becomeStaging(context, source, target, step)),
  )
  const reserve = reserveStep(context, target)
  const pack: EngineStep = {
    key: 'pack',
    label: 'Pack the original on its server, and fetch it',
    weight: 3,
    deadlineSeconds: 7_200,
    run: (step) => packSite(context, source, target.id, step),
  }
  return [
    {
      ...reserve,
      async run(step) {
        // Before anything is there of the copy.
        const { row } = await packableSite(context, source, step.signal)
        const isNetwork = networkOf(row) !== null
        const hasOwnDatabase = databaseOf(row) === 'mariadb'
        const refused = refusal({ isNetwork, hasOwnDatabase, isStaging: target.staging !== undefined })
        if (refused !== null) throw new EngineError('unsupported', refused.reason, refused)
        await reserve.run(step)
      },
    },
    unlessMade(context, target, pack),
    ...filled,
  ]
}

/** Why a network is not copied, and no site is made of its backup. */
const networkRefusal = {
  reason: msg`A network of sites (multisite) is not copied on servers: each of its sites has the address of the network in its content and its settings.`,
  nextAction: msg`Restore its backup in place.`,
}

function refusal({ isNetwork, hasOwnDatabase, isStaging }: CopySource): ReturnType<SiteCopies['refusal']> {
  if (isNetwork) return networkRefusal
  if (!isStaging || !hasOwnDatabase) return null
  return {
    reason: msg`A PHP site with a database can’t have a staging site: what is in its database, only its code knows.`,
    nextAction: msg`Clone it instead.`,
  }
}

/** The error of a site that is to be made of the backup of a network. */
export const noNewNetworks = (): EngineError => new EngineError('unsupported', networkRefusal.reason, networkRefusal)

/** A step that has nothing to do once the site is whole. */
const unlessMade = (context: EeContext, site: SiteRef, step: EngineStep): EngineStep => ({
  ...step,
  async run(own) {
    if ((await readSite(context, site, own.signal)).mark === 'live') own.log('The site exists already.')
    else await step.run(own)
  },
})

/** What EasyEngine creates: nothing of the database and the users that it makes stays. */
async function specOf(site: SiteRef, archive: string, { objectCache }: Around): Promise<EeSpec> {
  const { manifest } = await manifestIn(archive)
  if (networkIn(manifest) !== null) throw noNewNetworks()
  const { table_prefix: tablePrefix, type, database } = manifest
  return {
    ...emptySpec(site),
    ...(objectCache ? { objectCache: true } : {}),
    ...(tablePrefix === null ? {} : { tablePrefix }),
    ...(type === 'php' && database !== null ? { withDatabase: true } : {}),
  }
}

/** A site that gets another one's files and database. */
export const emptySpec = (site: SiteRef): EeSpec => ({
  ...site,
  ...{ title: site.domain, adminUser: 'replaced', adminEmail: `replaced@${site.domain}` },
  adminPassword: `${randomBytes(12).toString('hex')}a1`,
})

/**
 * Steps that make a site of an archive, a file of ours in the portable format, once its domain is reserved. Each looks first at what exists, and does nothing once the
 * site is whole.
 * @param around reads what it has besides, when that can be known
 * @param becomeStaging makes it a staging site, while the archive is still there
 */
export function fillingSteps(
  context: EeContext,
  target: FilledSite,
  archive: FillArchive,
  around: (step: StepContext) => Promise<Around>,
  becomeStaging?: (step: StepContext) => Promise<void>,
): EngineStep[] {
  // Throws now what a job could only fail with.
  const create = createStep(context, emptySpec(target))
  createArguments(emptySpec(target), databaseNameOf(target.id, '0'))
  const steps: EngineStep[] = [
    {
      ...create,
      async run(step) {
        const about = await around(step)
        const spec = await specOf(target, archive.path, about)
        await createStep(context, spec).run(step)
        if (spec.withDatabase) await writeDatabaseLogin(context, target, step.signal)
        const { limits, httpAuth } = about
        if (limits !== null) await setLimits(context, target, limits, { signal: step.signal })
        if (httpAuth !== null) await createEeSettings(context).change(target, { httpAuth })
        // EasyEngine made the job that runs events: none of the copy may reach anybody.
        if (becomeStaging !== undefined && target.siteType !== 'html')
          await createEeServices(context).setMailCatcher(target, true)
      },
    },
    ...fillSteps(context, target, archive),
    {
      key: 'settle',
      label: 'Give it users and keys of its own',
      weight: 2,
      deadlineSeconds: 600,
      async run(step) {
        await settle(context, target, step, becomeStaging !== undefined)
        await setConstants(context, target, archive.path, step)
        await becomeStaging?.(step)
        await finishSwap(context, target)
        await removePacked(context, target)
        await writeMark(context, target, 'live', step.signal)
      },
    },
  ]
  return [...steps.map((step) => unlessMade(context, target, step)), answerStep(context, target)]
}

/**
 * EasyEngine wrote a new `wp-config.php`: it gets what somebody had added to that of the original. The archive is removed after that, so without it a run
 * that was killed had come this far.
 */
async function setConstants(context: EeContext, site: SiteRef, archive: string, { signal, log }: StepContext) {
  if (site.siteType !== 'wp' || !(await exists(archive))) return
  const { constants = {} } = (await manifestIn(archive)).manifest
  const { workdir } = await managedSite(context, site, signal)
  for (const [name, value] of literals(constants)) {
    const args = ['config', 'set', name, value, '--raw', '--type=constant']
    await runWp(context, site, { workdir, args, signal }).catch((error: unknown) => {
      if (!(error instanceof EngineError) || error.retryable) throw error
      log(`The constant ${name} of its wp-config.php was not set: ${error.message}`)
    })
  }
}

/** Keys are those of the configuration that EasyEngine wrote. */
async function settle(
  context: EeContext,
  site: FilledSite,
  { signal, log }: StepContext,
  hidden: boolean,
): Promise<void> {
  if (site.siteType !== 'wp') return
  const managed = await managedSite(context, site, signal)
  const call = (safe: boolean) => runPhp(managed, 'settle', { title: site.title, hidden, safe }, signal)
  await call(false).catch((error: unknown) => {
    signal.throwIfAborted()
    if (!(error instanceof EngineError) || error.code !== 'unavailable') throw error
    log(`The site’s own code failed, so it was left out: ${error.message}`)
    return call(true)
  })
  const { removed } = await syncUsers(context, site, nobodyStays(site.adminUser ?? ''))
  log(`Ended sessions, and removed users that login links had created (${removed})`)
}
