import { mkdir, rename, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { exists } from '#server/platform/files/exists.ts'
import { crashPoint } from '#server/platform/processes/crash-point.ts'
import { msg } from '#shared/localized-message.ts'
import { planChanged } from '../../compare-sides.ts'
import { EngineError, type EngineStep, type StepContext } from '../../engine.ts'
import type { SiteRef } from '../../site-ref.ts'
import type { PushChoice } from '../../site-staging.ts'
import { assertRoom } from '../copies/copy-files.ts'
import { flushCaches } from '../domains/change-steps.ts'
import { changeStep } from '../in-turn.ts'
import type { LocalContext } from '../local-context.ts'
import { changedFacts, loadHomepage } from '../sites/changed-site.ts'
import { canChange } from '../sites/changes.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { existingRecord } from '../sites/site-store.ts'
import { savedDumpPath } from '../mysql/kept-dumps.ts'
import { restoreDump, saveDump } from '../mysql/saved-dump.ts'
import { baselineOf, keepPushed } from './baseline.ts'
import { databaseFolder } from './database-snapshot.ts'
import { isPushKept } from './kept-push.ts'
import { applyDatabase, withComparedDatabases, type Pair } from './merge-database.ts'
import type { GoingPush } from './record-push.ts'
import { readyPair } from './staging-pair.ts'

type Limits = Pick<EngineStep, 'key' | 'label' | 'weight' | 'deadlineSeconds'>

/** A step of a push or a restore, or of their way back. The record says what to take back, also after a crash. */
export function pushStep(
  context: LocalContext,
  live: SiteRef,
  kind: GoingPush['kind'],
  limits: Limits,
  work: (step: StepContext) => Promise<void>,
): EngineStep {
  return changeStep(context, live.id, limits, async (step) => {
    await claim(context, live, { operation: step.operationId, kind })
    await work(step)
  })
}

/** See `SiteStaging.pushSteps`. */
export function pushSteps(context: LocalContext, live: SiteRef, staging: SiteRef, choice: PushChoice): EngineStep[] {
  const pair = () => readyPair(context, live, staging)
  const step = (limits: Limits, work: (step: StepContext) => Promise<void>) =>
    pushStep(context, live, 'push', limits, work)
  const withDatabase = choice.database && live.siteType === 'wp'
  return [
    step({ key: 'pause', label: 'Keep visitors out', weight: 1, deadlineSeconds: 60 }, async () => {
      pair()
      await context.awake.sleep(live.id)
    }),
    step(
      { key: 'copy_files', label: 'Copy the site, and bring in the files', weight: 4, deadlineSeconds: 1800 },
      (own) => copyAndSwap(context, pair(), choice, own),
    ),
    ...(withDatabase
      ? [
          step({ key: 'merge_database', label: 'Bring in the content', weight: 4, deadlineSeconds: 3600 }, (own) =>
            mergeDatabase(context, pair(), choice, own),
          ),
        ]
      : []),
    ...(live.siteType === 'wp'
      ? [
          step({ key: 'flush_caches', label: 'Empty the caches', weight: 1, deadlineSeconds: 120 }, (own) =>
            flushCaches(context, existingRecord(context.store, live), own),
          ),
        ]
      : []),
    step({ key: 'check', label: 'Check that the site answers', weight: 2, deadlineSeconds: 120 }, (own) =>
      checkSite(context, live, own),
    ),
    step({ key: 'remember', label: 'Remember what was pushed', weight: 1, deadlineSeconds: 300 }, ({ signal }) =>
      keepPushed(context, existingRecord(context.store, live), signal),
    ),
  ]
}

/** See `SiteStaging.rollBackSteps` and `SiteBackups.bringBackSteps`. */
export function rollBackSteps(
  context: LocalContext,
  live: SiteRef,
  kind: 'roll_back' | 'bring_back' = 'roll_back',
): EngineStep[] {
  const step = (limits: Limits, work: (step: StepContext) => Promise<void>) =>
    pushStep(context, live, kind, limits, work)
  const what =
    kind === 'roll_back'
      ? { key: 'swap', label: 'Bring back the state before the push' }
      : { key: 'swap', label: 'Bring back the state before the restore' }
  return [
    step({ key: 'pause', label: 'Keep visitors out', weight: 1, deadlineSeconds: 60 }, async () => {
      await context.awake.sleep(live.id)
    }),
    step({ ...what, weight: 2, deadlineSeconds: 3600 }, ({ signal }) => bringBack(context, live, signal)),
    // A state before a restore is wanted even if it does not load: many restores are those of damaged sites.
    ...(kind === 'roll_back'
      ? [
          step({ key: 'check', label: 'Check that the site answers', weight: 2, deadlineSeconds: 120 }, (own) =>
            checkSite(context, live, own),
          ),
        ]
      : []),
  ]
}

/** Both the files and the database that are given up are kept until the rollback is finished. */
async function bringBack(context: LocalContext, live: SiteRef, signal: AbortSignal): Promise<void> {
  const record = existingRecord(context.store, live)
  const { www, before, rollback } = context.store.paths(record.id)
  const isOnMysql = record.database === 'mysql'
  const release = await context.awake.keepAsleep(record.id)
  try {
    if (!(await exists(before))) {
      if (isOnMysql) await saveDump(context, record, 'push-before', signal, { takesBack: true })
      await rename(www, before)
    }
    crashPoint('local.push/given-up')
    if (!(await exists(www))) await rename(rollback, www)
    context.storage.invalidate(record.id)
  } finally {
    release()
  }
  if (isOnMysql) await restoreDump(context, record, 'push-kept', { keeps: true })
  crashPoint('local.push/brought-back')
}

async function claim(context: LocalContext, live: SiteRef, wanted: GoingPush): Promise<void> {
  const { store } = context
  const { id } = existingRecord(store, live)
  await store.change(id, (now) => {
    if (now.push?.operation === wanted.operation && now.push.done !== true) return now
    if (!canChange(now))
      throw new EngineError('conflict', msg`Only a site that is ready can get other content.`, {
        nextAction: msg`Wait until the site is ready, or retry the job that did not end.`,
      })
    if (wanted.kind === 'roll_back') assertKept(now, isPushKept(context, now))
    if (wanted.kind === 'bring_back') assertKept(now, isPushKept(context, now, 'restore'))
    return { ...now, push: wanted }
  })
}

function assertKept({ pushed, domain }: SiteRecord, isKept: boolean): void {
  if (pushed === undefined || !isKept)
    throw new EngineError('conflict', msg`The state before the last push or restore is not kept any more.`, {
      nextAction: msg`Push or restore again what is missing.`,
    })
  if (pushed.domain !== domain)
    throw new EngineError('conflict', msg`The site got another primary domain since the push or restore.`, {
      nextAction: msg`Change the primary domain back to ${pushed.domain} first.`,
    })
}

/** Brings the files of staging into a copy of the site. */
async function copyAndSwap(context: LocalContext, { live, staging }: Pair, choice: PushChoice, step: StepContext) {
  const { store, trees, storage, owners, awake } = context
  const { signal } = step
  const { www } = store.paths(live.id)
  await swapTree(context, live, www, step, async (into) => {
    const limits = storage.limitsOf(live)
    const onProgress = (files: number) => step.progress(files / (files + 4_000))
    const owner = owners.userOf(live)
    await trees.run('copy', { from: www, into, owner, limits, without: [] }, { signal, onProgress })
    if (!choice.files) return
    const release = await awake.keepAsleep(staging.id)
    try {
      const theirs = store.paths(staging.id)
      const merged = await trees.run(
        'merge',
        {
          manifest: baselineOf(theirs.baseline).manifest,
          stage: { root: theirs.www, owner: owners.userOf(staging) },
          live: { root: into, owner: null },
          limits,
          digest: choice.digests.files,
          take: choice.take,
          takeAll: choice.takeAll.includes('files'),
        },
        { signal },
      )
      step.log(`Files brought in: ${merged.written}, removed: ${merged.removed}`)
    } finally {
      release()
    }
  })
}

/**
 * Makes the new tree of files (`into`) beside the served one, which then becomes the state before.
 * @param source folder that is as large as the new tree
 */
export async function swapTree(
  context: LocalContext,
  live: SiteRecord,
  source: string,
  { signal }: StepContext,
  make: (into: string) => Promise<void>,
): Promise<void> {
  const { store, trees, storage, owners, awake } = context
  const { www, before, staging: work } = store.paths(live.id)
  const into = join(work, 'www')
  const release = await awake.keepAsleep(live.id)
  try {
    if (await exists(before)) {
      // It was ended between the two, or before the empty folder was removed.
      if (!(await exists(www))) await rename(into, www)
      await trees.run('remove', { paths: [work] }, { signal })
      return
    }
    if (await exists(work)) await trees.run('remove', { paths: [work] }, { signal })
    await assertRoom(context, source, storage.limitsOf(live), signal)
    await mkdir(work, { mode: 0o700 })
    await make(into)
    // What a console would take back belongs to the state before.
    await trees.run('unplace', { root: into, below: databaseFolder, prefix: '.ht.easydash-' }, { signal })
    const uid = owners.userOf(live)
    if (uid !== null) await trees.run('own', { paths: [into], uid }, { signal })
    signal.throwIfAborted()
    if (live.database === 'mysql') await saveDump(context, live, 'push-before', signal)
    crashPoint('local.push/dumped')
    await rename(www, before)
    crashPoint('local.push/served-moved')
    await rename(into, www)
    crashPoint('local.push/new-moved')
    await rmdir(work)
    storage.invalidate(live.id)
  } finally {
    release()
  }
}

/** Begins with the database before each time: it may have been ended in the middle. */
async function mergeDatabase(context: LocalContext, pair: Pair, choice: PushChoice, step: StepContext): Promise<void> {
  const { store, awake } = context
  const { before } = store.paths(pair.live.id)
  await awake.sleep(pair.live.id)
  if (pair.live.push?.merging === true) {
    if (!(await exists(savedDumpPath(context, pair.live, 'push-before'))))
      throw new EngineError('unavailable', msg`The database before the push is not there, so it can’t be begun anew.`, {
        nextAction: msg`Restore the site from an export.`,
      })
    await restoreDump(context, pair.live, 'push-before', { keeps: true })
  }
  await withComparedDatabases(context, pair, step, { from: before, seconds: 20 }, async (plan, beside) => {
    if (plan.digest !== choice.digests.database) throw planChanged()
    if (pair.live.database === 'mysql')
      await store.change(pair.live.id, (now) =>
        now.push === undefined ? now : { ...now, push: { ...now.push, merging: true } },
      )
    await applyDatabase(context, pair, beside, choice, step)
  })
  step.log('Brought in the content of staging')
}

/** Notes what the site says of itself now, and loads its homepage. */
export async function checkSite(context: LocalContext, live: SiteRef, step: StepContext): Promise<void> {
  const record = existingRecord(context.store, live)
  const facts = await changedFacts(context, record, step.signal)
  await context.store.change(record.id, (now) => ({ ...now, ...facts }))
  const failure = (status: number) =>
    new EngineError('unavailable', msg`The site answered with status ${status}.`, {
      nextAction: msg`Look at its error log, and whether the site that the content came from works.`,
    })
  await loadHomepage(context, record, step, failure)
}
