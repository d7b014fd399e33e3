import { msg } from '#shared/localized-message.ts'
import { EngineError, type EngineStep, type StepContext } from '../../engine.ts'
import type { CloneSpec } from '../../site-copies.ts'
import type { SiteRef } from '../../site-ref.ts'
import { nobodyStays } from '../../wordpress-person.ts'
import { replaceAddress } from '../domains/replace-address.ts'
import type { LocalContext } from '../local-context.ts'
import { storeHttpAuth } from '../settings/http-auth.ts'
import type { RecordSettings } from '../settings/record-settings.ts'
import { changedFacts, loadHomepage } from '../sites/changed-site.ts'
import { claimSite } from '../sites/create-steps.ts'
import { newSalts } from '../../host-files.ts'
import { assertNewSiteRef, assertSiteRef, type SiteRecord } from '../sites/site-record.ts'
import { existingRecord } from '../sites/site-store.ts'
import { keepReady } from '../staging/baseline.ts'
import { runScript } from '../wordpress/run-script.ts'
import { loadCopy } from './copy-database.ts'
import { copyFiles } from './copy-files.ts'

/** Steps that copy a site. Each checks what exists first, so it can be repeated after a crash at any point. */
export function cloneSteps(context: LocalContext, source: SiteRef, target: CloneSpec): EngineStep[] {
  assertSiteRef(source)
  assertNewSiteRef(target)
  // The source may be moved to MySQL or back before its files are copied.
  const hasMysql =
    context.mysql.capability.supported || [source, target].some(({ id }) => context.store.get(id)?.database === 'mysql')
  const step = (
    key: string,
    label: string,
    limits: { readonly weight: number; readonly deadlineSeconds: number },
    work: (record: SiteRecord, step: StepContext) => Promise<void>,
  ): EngineStep => ({
    key,
    label,
    ...limits,
    run: async (step) => {
      step.signal.throwIfAborted()
      const record = await claimCopy(context, source, target)
      try {
        if (record.state === 'ready') step.log('The site exists already.')
        else await inUse(context, record, () => work(record, step))
      } catch (error) {
        // An unfinished site needs no process.
        await context.awake.sleep(record.id)
        throw error
      }
      step.signal.throwIfAborted()
      step.progress(1)
    },
  })
  const copy = step('copy_files', 'Copy files and database', { weight: 4, deadlineSeconds: 900 }, (record, step) =>
    copyFiles(context, source, record, step),
  )
  const fill = step(
    'fill_database',
    'Give it a database of its own',
    { weight: 4, deadlineSeconds: 1_800 },
    (record, step) => loadCopy(context, record, step),
  )
  const check = step('check', 'Check that the site answers', { weight: 1, deadlineSeconds: 120 }, (record, step) =>
    checkCopy(context, record, step),
  )
  const baseline = step(
    'baseline',
    'Remember what it starts with',
    { weight: 1, deadlineSeconds: 300 },
    (record, step) => keepReady(context, record, step.signal),
  )
  if (target.siteType !== 'wp') return [copy, check]
  return [
    copy,
    ...(hasMysql ? [fill] : []),
    step('replace_urls', 'Replace the address', { weight: 3, deadlineSeconds: 900 }, (record, step) =>
      replaceAddress(
        context,
        record,
        { from: source.domain, to: record.domain, salts: newSalts(), withoutPort: false },
        step,
      ),
    ),
    step('settle', 'Give it keys and users of its own', { weight: 2, deadlineSeconds: 240 }, (record, step) =>
      settle(context, record, target, step),
    ),
    ...(target.staging === undefined ? [] : [baseline]),
    check,
  ]
}

/** The record of the copy; created on first use with the settings that a copy keeps. */
async function claimCopy(context: LocalContext, source: SiteRef, target: CloneSpec): Promise<SiteRecord> {
  const { store, now, owners } = context
  return claimSite({ store, now, newUid: owners.newUser }, target, () => {
    // The source must be there when the copy begins; a copy that has its files can be finished without it.
    const { id, domain, siteType, phpVersion, network, database, settings = {} } = existingRecord(store, source)
    const kept = keptSettings(settings)
    const { staging } = target
    return {
      siteType,
      phpVersion,
      ...(database === undefined ? {} : { database }),
      // Its first start replaces the address of the source.
      ...(network === undefined ? {} : { network }),
      settings: staging === undefined ? kept : { ...kept, httpAuth: storeHttpAuth(staging.httpAuth) },
      ...(staging === undefined ? {} : { stagingOf: { id, domain, own: target.domain } }),
    }
  })
}

/** A copy of a protected site is protected; its debug mode and maintenance are its own. */
function keptSettings({ memoryMb, uploadMb, httpAuth, protections }: RecordSettings): RecordSettings {
  return {
    ...(memoryMb === undefined ? {} : { memoryMb }),
    ...(uploadMb === undefined ? {} : { uploadMb }),
    ...(protections === undefined ? {} : { protections }),
    ...(httpAuth === undefined ? {} : { httpAuth }),
  }
}

/** A new site has no visitors yet: without a hold it would count as idle and be put to sleep during the work. */
async function inUse<T>({ awake }: LocalContext, { id }: SiteRecord, work: () => Promise<T>): Promise<T> {
  const release = awake.hold(id)
  try {
    return await work()
  } finally {
    release()
  }
}

async function settle(context: LocalContext, record: SiteRecord, target: CloneSpec, step: StepContext): Promise<void> {
  const { signal } = step
  const { title, adminUser, staging } = target
  const hidden = staging !== undefined
  const call = (safe: boolean) =>
    runScript(context, record, { script: 'settle', input: { title, hidden, safe }, signal })
  await call(false).catch((error: unknown) => {
    signal.throwIfAborted()
    if (!(error instanceof EngineError) || error.code !== 'unavailable') throw error
    step.log(`The site’s own code failed, so it was left out: ${error.message}`)
    return call(true)
  })
  await runScript(context, record, { script: 'users', input: { ...nobodyStays(adminUser) }, signal })
  step.log('Ended sessions, and removed users that login links had created')
}

async function checkCopy(context: LocalContext, record: SiteRecord, step: StepContext): Promise<void> {
  const facts = await changedFacts(context, record, step.signal)
  const failure = (status: number) =>
    new EngineError('unavailable', msg`The copy answered with status ${status}.`, {
      retryable: true,
      nextAction: msg`Look whether the homepage of the original works, then try again.`,
    })
  await loadHomepage(context, record, step, failure)
  await context.store.change(record.id, (now) => ({ ...now, ...facts, installed: true, state: 'ready' }))
  context.awake.running(record.id)?.lowerPriority()
}
