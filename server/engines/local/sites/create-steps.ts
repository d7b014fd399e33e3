import { isObject } from '#shared/parse-json.ts'
import { mkdir, rename, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { escapeHtml } from '#server/platform/mail/escape-html.ts'
import { exists } from '#server/platform/files/exists.ts'
import { openBelow, openFolder } from '#server/platform/trees/folder.ts'
import { removeEntry } from '#server/platform/trees/remove-tree.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError, type EngineStep, type SiteResponse, type SiteSpec, type StepContext } from '../../engine.ts'
import type { AwakeSites } from '../processes/awake-sites.ts'
import type { SiteRef } from '../../site-ref.ts'
import { makeNetwork } from '../network/make-network.ts'
import { assertOptions } from '../capabilities.ts'
import type { LocalEngineOptions } from '../options.ts'
import { copyTree } from './copy-tree.ts'
import type { CachedCore } from '../core/cached-core.ts'
import type { CoreSupply } from '../core/core-supply.ts'
import { starterPage } from '../../starter-page.ts'
import { wpConfig } from './site-files.ts'
import type { LocalMysql } from '../mysql/local-mysql.ts'
import { createDatabase } from '../mysql/new-database.ts'
import { assertMysql } from '../mysql/refusals.ts'
import { assertNewSiteRef, siteIsArchived, type SiteRecord } from './site-record.ts'
import type { SiteStore } from './site-store.ts'
import type { Trees } from '../trees/trees.ts'

/** Approximate number of files in a core, for the progress bar only. */
const expectedFiles = 2_930

/** Dependencies of the create steps. */
export interface CreateDependencies {
  options: LocalEngineOptions
  store: SiteStore
  awake: AwakeSites
  trees: Trees
  phpVersions: readonly string[]
  now(): number
  /** User of a site's files; null if all sites belong to one user. */
  userOf(record: SiteRecord): number | null
  /** User id for a new site's process; null without root privileges. */
  newUid(site: string): Promise<number | null>
  cores: CoreSupply
  mysql: LocalMysql
  request(spec: SiteSpec, path: string, signal: AbortSignal): Promise<SiteResponse>
}

/** Steps that create a site. Each checks what exists first, so it can be repeated after a crash at any point. */
export function createSteps(dependencies: CreateDependencies, spec: SiteSpec): EngineStep[] {
  assertNewSiteRef(spec)
  if (!dependencies.phpVersions.includes(spec.phpVersion)) {
    throw new EngineError('invalid', msg`PHP ${spec.phpVersion} is not available here.`, {
      nextAction: msg`Choose one of ${dependencies.phpVersions}.`,
    })
  }
  if (spec.database === 'mysql') assertMysql(dependencies.mysql, spec)
  const step = (
    key: string,
    label: string,
    weight: number,
    deadlineSeconds: number,
    work: (record: SiteRecord, context: StepContext) => Promise<void>,
  ): EngineStep => ({
    key,
    label,
    weight,
    deadlineSeconds,
    run: async (context) => {
      context.signal.throwIfAborted()
      const record = await claimSite(dependencies, spec, () => (spec.database === 'mysql' ? { database: 'mysql' } : {}))
      try {
        if (record.state === 'ready') context.log('The site exists already.')
        else await work(record, context)
      } catch (error) {
        // An unfinished site needs no process, and a retry should not have to wait for the crash delay.
        await dependencies.awake.sleep(record.id)
        throw error
      }
      context.signal.throwIfAborted()
      context.progress(1)
    },
  })
  const copy = step(
    'copy_files',
    spec.siteType === 'wp' ? 'Copy WordPress files' : 'Create the folder',
    3,
    120,
    (record, context) => copyFiles(dependencies, record, spec, context),
  )
  const check = step('check', 'Check that the site answers', 2, 90, (record, context) =>
    checkSite(dependencies, record, spec, context),
  )
  const network = step('network', 'Turn on multisite', 2, 120, async (record, context) => {
    if (record.network !== undefined) return
    await inUse(dependencies, record.id, () => makeNetwork(dependencies, record, context.signal))
    context.log('The site is a network in subdirectories')
  })
  const start = step('start_php', `Start PHP ${spec.phpVersion}`, 2, 90, async (record, context) => {
    await dependencies.awake.wake(record.id, context.signal)
    context.log(`PHP ${record.phpVersion} is running`)
  })
  assertOptions(spec)
  if (spec.siteType === 'html') return [copy, check]
  if (spec.siteType === 'php') return [copy, start, check]
  return [
    step('prepare_core', 'Prepare WordPress', 1, 600, async (_record, context) => {
      const core = await dependencies.cores.prepare(context)
      context.log(`WordPress ${core.version} is ready`)
    }),
    copy,
    start,
    step('install', 'Install WordPress', 4, 120, (record, context) => install(dependencies, record, spec, context)),
    ...(spec.multisite === undefined ? [] : [network]),
    check,
  ]
}

/** The record of a new site; created on first use. `more` is called for what else it then has. */
export async function claimSite(
  dependencies: Pick<CreateDependencies, 'store' | 'newUid' | 'now'>,
  spec: SiteRef,
  more: () => Partial<SiteRecord> = () => ({}),
): Promise<SiteRecord> {
  const known = dependencies.store.get(spec.id)
  const other = dependencies.store.byDomain(spec.domain)
  if ((other !== undefined && other.id !== spec.id) || (known !== undefined && known.domain !== spec.domain)) {
    throw new EngineError('conflict', msg`Another site of this machine has this name.`, {
      nextAction: msg`Choose another name.`,
    })
  }
  if (known !== undefined) {
    if (known.state === 'creating' || known.state === 'ready') return known
    throw siteIsArchived()
  }
  const record: SiteRecord = {
    id: spec.id,
    domain: spec.domain,
    siteType: spec.siteType,
    phpVersion: spec.phpVersion,
    state: 'creating',
    copied: false,
    installed: false,
    uid: await dependencies.newUid(spec.id),
    wordpressVersion: null,
    nextCronAt: null,
    createdAt: dependencies.now(),
    ...more(),
  }
  await dependencies.store.save(record)
  return record
}

async function copyFiles(
  dependencies: CreateDependencies,
  record: SiteRecord,
  spec: SiteSpec,
  context: StepContext,
): Promise<void> {
  if (record.copied) return
  const { store, trees, cores } = dependencies
  const { signal } = context
  const { www, staging } = store.paths(record.id)
  for (const path of [staging, www]) if (await exists(path)) await trees.run('remove', { paths: [path] }, { signal })
  await mkdir(staging, { mode: 0o700 })
  const fresh = join(staging, 'www')
  if (spec.siteType === 'wp') {
    const { core, release } = await cores.hold(context)
    try {
      if (!(await cores.takeSpare(core, fresh))) {
        await copyTree(core.files, fresh, signal, (files) => context.progress(Math.min(0.95, files / expectedFiles)))
      }
    } finally {
      await release()
    }
    const login = record.database === 'mysql' ? await createDatabase(dependencies.mysql, record.id, fresh) : null
    await writeFile(join(fresh, 'wp-config.php'), wpConfig({ login }))
    record.wordpressVersion = core.version
    context.log(inPlace(core))
    if (login !== null) context.log('Created a database of its own, and a user with rights on it only')
  } else {
    await mkdir(fresh)
    const page = starterPage(spec)
    await writeFile(join(fresh, page.name), page.content)
    context.log(`Created ${page.name}`)
  }
  // The owner is changed only once everything is there; until then nobody else can access it.
  const uid = dependencies.userOf(record)
  if (uid !== null) await trees.run('own', { paths: [fresh], uid }, { signal })
  signal.throwIfAborted()
  await rename(fresh, www)
  await rmdir(staging)
  await store.save({ ...record, copied: true })
}

/** Users expect the newest WordPress: if it is another version, the log says so, and how to get the newest. */
function inPlace({ version, source }: CachedCore): string {
  const message = `The files of WordPress ${version} are in place`
  if (source === 'wordpress.org') return message
  return `${message}. It is not the newest: none could be fetched from wordpress.org yet, so it came from an npm package. Update it in the site once this machine is online; new sites then get the newest`
}

async function install(
  dependencies: CreateDependencies,
  record: SiteRecord,
  spec: SiteSpec,
  context: StepContext,
): Promise<void> {
  if (record.installed) return
  if (record.database === 'mysql') await dependencies.mysql.empty(record.id)
  else if (await removeHalfInstalled(dependencies, record.id))
    context.log('Removed a database that was only half installed')
  const result = await inUse(dependencies, record.id, async () => {
    const process = await dependencies.awake.wake(record.id, context.signal)
    const { title, adminUser: user, adminEmail: email, adminPassword: password } = spec
    return process.call('install', { title, user, email, password }, context.signal)
  })
  const version = isObject(result.value) ? result.value['version'] : null
  await dependencies.store.save({
    ...record,
    installed: true,
    wordpressVersion: typeof version === 'string' ? version : record.wordpressVersion,
  })
  context.log(`Installed WordPress ${String(version)}`)
}

/** A new site has no visitors yet: without a hold it would count as idle and be put to sleep during the work. */
async function inUse<T>({ awake }: CreateDependencies, id: string, work: () => Promise<T>): Promise<T> {
  const release = awake.hold(id)
  try {
    return await work()
  } finally {
    release()
  }
}

/**
 * The installer is not transactional: after a crash it starts from scratch. PHP is stopped first, because a running one must
 * not lose its files.
 */
async function removeHalfInstalled({ store, awake }: CreateDependencies, id: string): Promise<boolean> {
  const www = openFolder(store.paths(id).www)
  try {
    const content = openBelow(www, ['wp-content'])
    if (content === null) return false
    try {
      const database = openBelow(content, ['database'])
      const begun = database !== null && database.statsOf(Buffer.from('.ht.sqlite')) !== null
      database?.close()
      if (!begun) return false
      await awake.sleep(id)
      await removeEntry(content, Buffer.from('database'))
      return true
    } finally {
      content.close()
    }
  } finally {
    www.close()
  }
}

async function checkSite(
  dependencies: CreateDependencies,
  record: SiteRecord,
  spec: SiteSpec,
  context: StepContext,
): Promise<void> {
  let expected = escapeHtml(spec.title)
  let nextCronAt: number | null = null
  if (spec.siteType === 'wp') {
    const { value } = await inUse(dependencies, record.id, async () => {
      const process = await dependencies.awake.wake(record.id, context.signal)
      return process.call('info', {}, context.signal)
    })
    const { displayTitle, nextCron } = isObject(value) ? value : {}
    expected = typeof displayTitle === 'string' ? displayTitle : ''
    nextCronAt = typeof nextCron === 'number' ? nextCron * 1000 : null
  }
  const response = await dependencies.request(spec, '/', context.signal)
  if (
    response.status !== 200 ||
    expected === '' ||
    !response.body.includes(expected) ||
    !/<\/html>/i.test(response.body)
  ) {
    throw new EngineError(
      'unavailable',
      msg`The new site answered with status ${response.status} and without its title.`,
      {
        retryable: true,
        nextAction: msg`Try again; if it fails again, look at the error log of the site.`,
      },
    )
  }
  context.log(`The home page answered in ${Math.round(response.tookMs)} ms`)
  await dependencies.store.change(record.id, (now) => ({ ...now, state: 'ready', nextCronAt }))
  dependencies.awake.running(record.id)?.lowerPriority()
  if (spec.siteType === 'wp') dependencies.cores.siteCreated()
}
