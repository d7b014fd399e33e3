import { createWriteStream } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { msg } from '#shared/localized-message.ts'
import { isSupported } from '#shared/rules/supported-wordpress.ts'
import {
  assertCorePhp,
  assertCoreVersion,
  coreLabels,
  coreStages,
  nothingKept,
  unknownCore,
  type CoreStage,
} from '../../core-change.ts'
import { EngineError, type EngineStep, type StepContext } from '../../engine.ts'
import type { SiteRef } from '../../site-ref.ts'
import type { CoreTarget } from '../../wordpress-core.ts'
import type { CachedCore } from '../core/cached-core.ts'
import { cachedCores } from '../core/core-cache.ts'
import { requiredPhp } from '../core/core-releases.ts'
import { changeStep } from '../in-turn.ts'
import type { LocalContext } from '../local-context.ts'
import { canChange } from '../sites/changes.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { managedRecord, runScript } from '../wordpress/run-script.ts'
import { putAway, saveBefore, useKept } from './core-dumps.ts'
import { readAbout, runCore } from './core-script.ts'

/** Where `php/core.php` finds the new files. */
const incoming = 'wp-content/.easydash-previous/core/incoming'

interface Change {
  readonly context: LocalContext
  readonly record: SiteRecord
  readonly to: CoreTarget
  readonly step: StepContext
}

const work: Readonly<Record<CoreStage, (change: Change) => Promise<void>>> = {
  target: checkTarget,
  unpack,
  pause: keepOut,
  save: async ({ context, record, to, step }) => {
    await saveBefore(context, record, { takesBack: 'previous' in to, signal: step.signal })
    step.log('Kept the database as it is')
  },
  replace,
  upgrade,
  verify,
}

/** See `WordPressCore.changeSteps`. The record's `core` says how far it is, also after a crash. */
export function changeSteps(context: LocalContext, site: SiteRef, to: CoreTarget): EngineStep[] {
  return coreStages.map((stage) =>
    changeStep(context, site.id, { key: stage, ...coreLabels[stage] }, (step) =>
      advance(context, site, { to, until: stage }, step),
    ),
  )
}

/** Runs what is not done yet up to a stage: everything, if the change was taken back since. */
async function advance(
  context: LocalContext,
  site: SiteRef,
  { to, until }: { readonly to: CoreTarget; readonly until: CoreStage },
  step: StepContext,
): Promise<void> {
  const end = coreStages.indexOf(until) + 1
  let record = await claimChange(context, site, step)
  while ((record.core?.done ?? 0) < end) {
    step.signal.throwIfAborted()
    const at = record.core?.done ?? 0
    const stage = coreStages[at]
    if (stage === undefined) return
    // Visitors are kept out from the moment on at which the pause begins.
    if (stage === 'pause') record = await setDone(context, record, at + 1)
    await work[stage]({ context, record, to, step })
    record = await setDone(context, record, at + 1)
  }
}

async function setDone({ store }: LocalContext, record: SiteRecord, done: number): Promise<SiteRecord> {
  const changed = await store.change(record.id, (now) => (now.core ? { ...now, core: { ...now.core, done } } : now))
  if (changed === null) throw gone()
  return changed
}

/** The record, whose change began now or before a restart. */
async function claimChange(context: LocalContext, site: SiteRef, step: StepContext): Promise<SiteRecord> {
  const { store } = context
  const record = managedRecord(context, site)
  if (record.core === undefined) await putAway(context, record, 'clear', step.signal)
  const changed = await store.change(record.id, (now) => {
    if (now.core?.operation === step.operationId && now.core.finished !== true) return now
    if (!canChange(now))
      throw new EngineError('conflict', msg`The version of WordPress can only be changed while the site is ready.`, {
        nextAction: msg`Wait until the site is ready.`,
      })
    const { settled: _before, ...rest } = now
    return { ...rest, core: { operation: step.operationId, done: 0 } }
  })
  if (changed === null) throw gone()
  return changed
}

async function checkTarget({ context, record, to, step }: Change): Promise<void> {
  const about = await readAbout(context, record, step.signal)
  if ('previous' in to) {
    if (about.kept === null) throw nothingKept()
    assertCorePhp(about.kept.version, about.kept.php, record.phpVersion)
    step.log(`WordPress ${about.kept.version} is kept on the site`)
    return
  }
  if (!isSupported(to.version)) throw unknownCore(to.version)
  const { core, release } = await context.cores.holdVersion(to.version, step)
  try {
    assertCorePhp(core.version, await requiredPhp(core), record.phpVersion)
    step.log(`WordPress ${core.version} is ready; the site has ${about.version}`)
  } finally {
    await release()
  }
}

/** The archive is made of our own copy, and unpacked as the site's user. */
async function unpack({ context, record, to, step }: Change): Promise<void> {
  if ('previous' in to) return
  const { core, release } = await context.cores.holdVersion(to.version, step)
  const file = join(tmpdir(), `easydash-core-${record.id}.zip`)
  try {
    await pack(context, core, file, step.signal)
    await context.unpackNew(record, file, incoming, step.signal)
    step.log(`The files of WordPress ${core.version} are on the site, not in use yet`)
  } finally {
    await rm(file, { force: true })
    await release()
  }
}

async function pack({ trees }: LocalContext, core: CachedCore, file: string, signal: AbortSignal): Promise<void> {
  const paths = await packagedNames(core)
  const content = await trees.stream('zip', { root: core.files, trash: core.files, uid: null, paths })
  await pipeline(content, createWriteStream(file, { mode: 0o600 }), { signal })
}

/** Requests that began before see the end of their work: the process is stopped once they have. */
async function keepOut({ context, record, step }: Change): Promise<void> {
  await context.awake.sleep(record.id)
  step.log('Visitors see a page that says the site is back in a moment')
}

async function replace({ context, record, to, step }: Change): Promise<void> {
  const isBack = 'previous' in to
  const call = {
    act: 'replace',
    operation: step.operationId,
    from_kept: isBack,
    database: isBack && to.database,
    gone: isBack ? [] : await goneNames(context, record, to.version, step.signal),
  } as const
  await runCore(context, record, call, step.signal)
  if (call.database) await useKept(context, record)
  // PHP remembers the files that were there.
  await context.awake.sleep(record.id)
  step.log('The files are exchanged; those before are kept on the site')
}

/** Names at the top that the installed version has and the new one does not, as far as both packages are stored. */
async function goneNames(
  context: LocalContext,
  record: SiteRecord,
  version: string,
  signal: AbortSignal,
): Promise<string[]> {
  const { version: installed } = await readAbout(context, record, signal)
  const cores = await cachedCores(context.options.cacheDir)
  const namesOf = async (wanted: string): Promise<readonly string[]> => {
    const core = cores.find((one) => one.version === wanted)
    return core === undefined ? [] : packagedNames(core)
  }
  const [before, after] = [await namesOf(installed), await namesOf(version)]
  return after.length === 0 ? [] : before.filter((name) => !after.includes(name))
}

async function packagedNames(core: CachedCore): Promise<string[]> {
  const names = await readdir(core.files)
  return names.filter((name) => name !== 'wp-content' && name !== 'wp-config.php')
}

async function upgrade({ context, record, step }: Change): Promise<void> {
  const input = { safe: true }
  const result = await runScript(context, record, { script: 'upgrade', input, signal: step.signal })
  step.log(result['changed'] === true ? 'WordPress updated its database' : 'The database needs no update')
}

async function verify({ context, record, to, step }: Change): Promise<void> {
  const { version } = await readAbout(context, record, step.signal)
  if (!('previous' in to)) assertCoreVersion(version, to.version)
  await context.store.change(record.id, (now) => ({ ...now, wordpressVersion: version }))
  context.storage.invalidate(record.id)
  step.log(`The site has WordPress ${version}`)
}

const gone = () =>
  new EngineError('not_found', msg`This machine does not have the site.`, { nextAction: msg`Refresh the page.` })
