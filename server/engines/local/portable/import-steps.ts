import { msg } from '#shared/localized-message.ts'
import { assertFiles } from '../../damaged-backup.ts'
import { EngineError, type EngineStep, type StepContext } from '../../engine.ts'
import type { ImportSpec } from '../../site-imports.ts'
import type { SiteRef } from '../../site-ref.ts'
import { nobodyStays } from '../../wordpress-person.ts'
import { replaceHost } from '../domains/replace-address.ts'
import { localSiteUrl } from '../local-base.ts'
import type { LocalContext } from '../local-context.ts'
import { assertMysql } from '../mysql/refusals.ts'
import { changedFacts, loadHomepage } from '../sites/changed-site.ts'
import { claimSite } from '../sites/create-steps.ts'
import { assertNewSiteRef, type SiteRecord } from '../sites/site-record.ts'
import type { InspectedArchive } from '../trees/import-task.ts'
import { runScript } from '../wordpress/run-script.ts'
import { fetchMedia } from './import-content.ts'
import { importDatabase } from './import-database.ts'
import { importFiles } from './import-files.ts'
import { defect, note, readNotes, withDefects } from './import-notes.ts'
import { existingArchive, type KeptArchive } from './import-store.ts'

type Work = (record: SiteRecord, step: StepContext) => Promise<void>
type Limits = Pick<EngineStep, 'key' | 'label' | 'weight' | 'deadlineSeconds'>

/**
 * Makes steps for a new site, which its first one claims, and which stays as it is once it is ready.
 * @param more what its record has besides
 */
export function newSiteSteps(
  context: LocalContext,
  target: SiteRef,
  more: Partial<SiteRecord>,
): (limits: Limits, work: Work) => EngineStep {
  assertNewSiteRef(target)
  return (limits, work) => ({
    ...limits,
    run: async (own: StepContext) => {
      own.signal.throwIfAborted()
      const { store, owners, now, awake } = context
      const record = await claimSite({ store, now, newUid: owners.newUser }, target, () => more)
      // A new site has no visitors yet: without a hold it would count as idle and be put to sleep during the work.
      const release = awake.hold(record.id)
      try {
        if (record.state === 'ready') own.log('The site exists already.')
        else await work(record, own)
      } catch (error) {
        await awake.sleep(record.id)
        throw error
      } finally {
        release()
      }
      own.signal.throwIfAborted()
      own.progress(1)
    },
  })
}

/** Downloads WordPress, if it is not there yet: what connects it to SQLite comes from there. */
export const prepareCore =
  ({ cores }: LocalContext): Work =>
  async (_record, own) => {
    const { version } = await cores.prepare(own)
    own.log(`WordPress ${version} is ready`)
  }

/** See `SiteImports.importSteps`. Each step checks what exists first, so it can be repeated after a crash at any point. */
export function importSteps(context: LocalContext, target: ImportSpec): EngineStep[] {
  const isOnMysql = target.database === 'mysql'
  if (isOnMysql) assertMysql(context.mysql, target)
  const step = newSiteSteps(context, target, isOnMysql ? { database: 'mysql' } : {})
  const files = step(
    { key: 'copy_files', label: 'Unpack the files', weight: 4, deadlineSeconds: 1_800 },
    async (record, own) => {
      const about = await inspectKept(context, target.archive, own.signal)
      const archive = await existingArchive(context, target.archive)
      await importFiles(context, record, { archive, about, isBackup: target.isBackup === true }, own)
      assertFiles((await readNotes(context, record.id)).damaged)
    },
  )
  const check = step(
    { key: 'check', label: 'Check that the site answers', weight: 1, deadlineSeconds: 180 },
    (record, own) => checkSite(context, record, own),
  )
  if (target.siteType !== 'wp') return [files, check]
  return [
    step({ key: 'prepare_core', label: 'Prepare WordPress', weight: 1, deadlineSeconds: 600 }, prepareCore(context)),
    files,
    step(
      { key: 'import_database', label: 'Import the database', weight: 6, deadlineSeconds: 3_600 },
      async (record, own) => {
        const { facts } = await inspectKept(context, target.archive, own.signal)
        await importDatabase(context, record, facts, own)
      },
    ),
    step({ key: 'replace_urls', label: 'Replace the address', weight: 3, deadlineSeconds: 1_800 }, (record, own) =>
      replaceOld(context, record, own),
    ),
    step(
      { key: 'settle', label: 'Give it keys and users of its own', weight: 2, deadlineSeconds: 300 },
      (record, own) => adopt(context, record, target.title, own),
    ),
    step({ key: 'fetch_media', label: 'Fetch media files', weight: 2, deadlineSeconds: 1_800 }, async (record, own) => {
      const { facts } = await inspectKept(context, target.archive, own.signal)
      if (facts.content === null) own.log('The archive has its media files')
      else await fetchMedia(context, record, own)
    }),
    check,
  ]
}

/** What a kept archive contains; refuses what can't be imported. */
export async function inspectKept(
  context: LocalContext,
  archive: string,
  signal?: AbortSignal,
): Promise<InspectedArchive> {
  const about = await inspectArchive(context, await existingArchive(context, archive), signal)
  if (about.facts.isNetwork) throw noNetworks()
  if (about.plan.siteType !== 'wp' && about.plan.dump !== null) throw noDatabases()
  return about
}

/** The same for any archive, which can have a network. */
export const inspectArchive = (
  { trees }: LocalContext,
  { archive, parts }: KeptArchive,
  signal?: AbortSignal,
): Promise<InspectedArchive> => trees.run('inspect', { archive, parts }, signal === undefined ? {} : { signal })

function noDatabases(): EngineError {
  return new EngineError('unsupported', msg`The site has a database, which PHP sites on this machine can’t have.`, {
    nextAction: msg`Restore the backup on a server.`,
  })
}

function noNetworks(): EngineError {
  return new EngineError('invalid', msg`The archive has a network of sites (multisite), which can’t be imported yet.`, {
    nextAction: msg`Export one of its sites on its own, and import that.`,
  })
}

/** Addresses of the old site become those of the new one, whatever it was called and wherever it was. */
async function replaceOld(context: LocalContext, record: SiteRecord, step: StepContext): Promise<void> {
  const { from } = await readNotes(context, record.id)
  if (from === null) {
    step.log('The database does not say which address the site had, so none was replaced')
    return
  }
  const url = new URL(localSiteUrl(context.options, record))
  const old = new URL(from)
  const path = old.pathname === '/' ? '' : old.pathname
  const scheme = url.protocol === 'https:' ? 'https' : 'http'
  const hosts = old.port === '' && old.hostname.includes('.') ? withAndWithoutWww(old.host) : [old.host]
  for (const host of hosts)
    await replaceHost(
      context,
      record,
      { from: `${host}${path}`, to: url.host, salts: {}, without_port: false, scheme },
      step,
    )
}

/** Sites answer under both, and their content has both. */
function withAndWithoutWww(host: string): string[] {
  return host.startsWith('www.') ? [host, host.slice(4)] : [host, `www.${host}`]
}

async function adopt(
  context: LocalContext,
  record: SiteRecord,
  title: string | null,
  step: StepContext,
): Promise<void> {
  const { signal } = step
  const call = (safe: boolean) => runScript(context, record, { script: 'adopt', input: { title, safe }, signal })
  const found: ReturnType<typeof defect>[] = []
  const { login } = await call(false).catch((error: unknown) => {
    signal.throwIfAborted()
    if (!(error instanceof EngineError) || error.code !== 'unavailable') throw error
    step.log(`The site’s own code failed, so it was left out: ${error.message}`)
    found.push(defect('own_code_failed', error.message))
    return call(true)
  })
  await note(context, record.id, withDefects(await readNotes(context, record.id), ['own_code_failed'], found))
  if (typeof login !== 'string') step.log('The site has no administrator')
  await runScript(context, record, { script: 'users', input: { ...nobodyStays(String(login ?? '')) }, signal })
  step.log('Ended sessions, and removed users that login links had created')
}

async function checkSite(context: LocalContext, record: SiteRecord, step: StepContext): Promise<void> {
  const facts = await changedFacts(context, record, step.signal)
  const failure = (status: number) =>
    new EngineError('unavailable', msg`The imported site answered with status ${status}.`, {
      retryable: true,
      nextAction: msg`Look whether the homepage of the original works, and which version of PHP it has.`,
    })
  await loadHomepage(context, record, step, failure)
  await context.store.change(record.id, (now) => ({ ...now, ...facts, installed: true, state: 'ready' }))
  context.awake.running(record.id)?.lowerPriority()
}
