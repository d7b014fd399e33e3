import { restoresDatabase, type BackupWhat } from '#shared/rules/backups.ts'
import { msg } from '#shared/localized-message.ts'
import { noDatabase } from '../backup-parts.ts'
import { EngineError, type EngineStep, type StepContext } from '../engine.ts'
import { keptLater } from '../kept-later.ts'
import type { SiteRestores } from '../site-backups.ts'
import type { SiteRef } from '../site-ref.ts'
import { assertSite } from './arguments.ts'
import type { EeContext } from './ee-context.ts'
import { isEnabled } from './inventory.ts'
import { change, look, mutate, outputOf, stop, type ScriptCall } from './remote.ts'
import { addressOf } from './request.ts'
import { addressesFor } from './replacements.ts'
import { assertParts, assertSame, besideNames, listOf, workdir } from './restorable.ts'
import { sendPart } from './send-part.ts'
import { existingSite, workdirOf } from './site-of.ts'
import { dumpIn, filesIn, manifestIn, noBackup } from './unpack-archive.ts'

/** How far a restore is on its server. */
type State = 'begun' | 'prepared' | 'swapping' | 'swapped' | 'finished'

/** A restore on a server. */
interface Restore {
  readonly operation: string
  readonly state: State
}

/** Parts of a restore that a server does detached. */
const works = ['prepare', 'swap', 'finish', 'back'] as const

const workOf = (id: string, work: (typeof works)[number]): string => `ee-${id}-restore-${work}`

/** Backups that are put in place of sites on servers. The server keeps the new state and the one before, and says how far it is. */
export function createEeRestores(context: EeContext): SiteRestores {
  return {
    restoreSteps: (site, { archive }, what) => restoreSteps(context, site, { archive, what }),
    bringBackSteps: (site) => bringBackSteps(context, site),
    finishRestore: (site) => finishRestore(context, site),
    keptBytes: (site, signal) => keptBytes(context, site, signal),
    forgetKept: (site, before) => forgetKept(context, site, before),
    undoRestore: (site, operation) => undo(context, site, operation),
  }
}

const callOf = (site: SiteRef, { operation, more = [] }: Work, verb: string): ScriptCall => ({
  script: 'restore',
  args: [site.domain, workdir, site.id, operation, verb, ...more],
})

/** The last restore of a site, as its server says; null without one. */
async function readRestore(context: EeContext, site: SiteRef, signal?: AbortSignal): Promise<Restore | null> {
  const call = { ...callOf(site, { operation: '-' }, 'state'), signal, maxBytes: 4_096 }
  const output = outputOf(await look(context, site.server, call))
  const [, operation, state] =
    /^([a-z0-9-]{1,64}) (?:restore|bring_back|fill) (?:all|files|database|parts) (begun|prepared|swapping|swapped|finished)$/m.exec(
      output,
    ) ?? []
  return operation === undefined ? null : { operation, state: state as State }
}

/** Ids of jobs become words of a file. */
function operationOf({ operationId }: Pick<StepContext, 'operationId'>): string {
  if (/^[a-z0-9-]{1,64}$/.test(operationId)) return operationId
  throw new TypeError(`Not the id of an operation: ${operationId}`)
}

/** A site that can be restored, and its address. */
async function runningSite(context: EeContext, site: SiteRef, signal?: AbortSignal) {
  const { row } = await existingSite(context, site, signal)
  if (!isEnabled(row))
    throw new EngineError('conflict', msg`The site does not run at the moment.`, {
      nextAction: msg`Resume the site first.`,
    })
  if (workdirOf(row) !== workdir)
    throw new EngineError(
      'unsupported',
      msg`The site is served from a folder inside of its files, which backups would not keep.`,
      {
        nextAction: msg`Restore it on its server.`,
      },
    )
  return { row, url: addressOf({ ...site, isSecure: (row.site_ssl ?? '') !== '' }) }
}

/** What a step on the server is about. */
interface Work {
  readonly operation: string
  readonly more?: readonly string[]
}

/** Steps that put an archive in place of a site that was just made; nothing of that is kept after `finishRestore`. */
export const fillSteps = (context: EeContext, site: SiteRef, archive: string): EngineStep[] =>
  restoreSteps(context, site, { archive, what: 'all', isNew: true })

function restoreSteps(
  context: EeContext,
  site: SiteRef,
  { archive, what, isNew = false }: { readonly archive: string; readonly what: BackupWhat; readonly isNew?: boolean },
): EngineStep[] {
  assertSite(site)
  const parts = typeof what === 'string' ? null : what
  return [
    {
      key: 'send',
      label: 'Send the backup to the server, and unpack it beside the site',
      weight: 4,
      deadlineSeconds: 7_200,
      async run(step) {
        const { signal } = step
        const { row, url } = await runningSite(context, site, signal)
        const { manifest, bytes: large } = await manifestIn(archive, parts?.paths)
        if (manifest.type !== row.site_type) throw noBackup()
        if (what === 'database' && manifest.type !== 'wp') throw noDatabase()
        if (parts !== null) assertParts(manifest, parts)
        await assertSame(context, site, manifest, { isNew, signal })
        const operation = operationOf(step)
        const unused = parts?.tables.length === 0 ? (manifest.database?.bytes ?? 0) : 0
        const bytes = String(large - unused)
        // Before anything of it takes the room of other sites.
        const begun = await begin(
          context,
          site,
          { operation, more: [isNew ? 'fill' : 'restore', parts === null ? `${what}` : 'parts', row.site_type, bytes] },
          signal,
        )
        if (begun !== 'begun') return
        const send = (name: string, content: AsyncIterable<Buffer>) =>
          sendPart(context, site, callOf(site, { operation, more: [name] }, 'part'), content, signal)
        const withFiles = parts === null ? what !== 'database' : parts.paths.length > 0
        const files = withFiles ? await send('files.tar.gz', filesIn(archive, manifest.type, parts?.paths)) : '-'
        step.progress(0.6)
        const withDatabase = restoresDatabase(what) && manifest.database !== null
        const database = !withDatabase
          ? '-'
          : parts === null
            ? await send('database.sql.gz', dumpIn(archive))
            : await send('tables.sql.gz', dumpIn(archive, besideNames(site, parts)))
        const more = [files, database, bytes]
        if (parts !== null) more.push(await send('list', listOf(parts)), ...addressesFor(manifest, url))
        step.progress(0.8)
        await work(context, site, 'prepare', { operation, more }, step)
      },
    },
    swapStep(context, site, async (url) => {
      // Tables got theirs before.
      return what === 'files' || parts !== null ? [] : addressesFor((await manifestIn(archive)).manifest, url)
    }),
  ]
}

function bringBackSteps(context: EeContext, site: SiteRef): EngineStep[] {
  assertSite(site)
  return [
    {
      key: 'prepare',
      label: 'Keep the state of now',
      weight: 2,
      deadlineSeconds: 3_600,
      async run(step) {
        const { row } = await runningSite(context, site, step.signal)
        const operation = operationOf(step)
        const more = ['bring_back', 'all', row.site_type, '0']
        if ((await begin(context, site, { operation, more }, step.signal)) !== 'begun') return
        await work(context, site, 'prepare', { operation, more: ['-', '-', '0'] }, step)
      },
    },
    swapStep(context, site, async () => []),
  ]
}

/** Puts what was prepared in place of what is served. */
const swapStep = (
  context: EeContext,
  site: SiteRef,
  addresses: (url: string) => Promise<readonly string[]>,
): EngineStep => ({
  key: 'swap',
  label: 'Put it in place',
  weight: 3,
  deadlineSeconds: 3_600,
  destructive: true,
  async run(step) {
    const { url } = await runningSite(context, site, step.signal)
    const operation = operationOf(step)
    await work(context, site, 'swap', { operation, more: await addresses(url) }, step)
  },
})

/** Begins a restore, or says how far it is. */
async function begin(context: EeContext, site: SiteRef, about: Work, signal: AbortSignal): Promise<string> {
  const begun = await change(context, site.server, { ...callOf(site, about, 'begin'), signal })
  if (begun.code === 5) throw busy()
  if (begun.code === 6)
    throw new EngineError('conflict', msg`The state before the last restore is not kept any more.`, {
      nextAction: msg`Restore another backup.`,
    })
  return outputOf(begun).trim()
}

const busy = () =>
  new EngineError('conflict', msg`Another restore of the site is in progress.`, {
    nextAction: msg`Wait until the other job has ended, or retry the one that did not.`,
  })

/** States in which a work is done already. */
const after: Readonly<Record<(typeof works)[number], readonly (State | null)[]>> = {
  prepare: ['prepared', 'swapping', 'swapped', 'finished'],
  swap: ['swapped', 'finished'],
  finish: ['finished'],
  back: ['finished', null],
}

/** Has the server do a part of a restore. */
async function work(
  context: EeContext,
  site: SiteRef,
  name: (typeof works)[number],
  about: Work,
  step: Partial<Pick<StepContext, 'signal' | 'log'>> = {},
): Promise<void> {
  await mutate(context, site.server, {
    ...callOf(site, about, name),
    id: workOf(site.id, name),
    signal: step.signal,
    ...(step.log && { onLine: step.log }),
    async isDone() {
      const now = await readRestore(context, site, step.signal)
      return after[name].includes(now?.operation === about.operation ? now.state : null)
    },
  })
}

/** Keeps the state before. */
export async function finishRestore(context: EeContext, site: SiteRef): Promise<void> {
  assertSite(site)
  const now = await readRestore(context, site)
  if (now?.state !== 'swapped') return
  await work(context, site, 'finish', { operation: now.operation })
}

async function keptBytes(context: EeContext, site: SiteRef, signal: AbortSignal): Promise<number | null> {
  assertSite(site)
  const call = { ...callOf(site, { operation: '-' }, 'size'), signal, maxBytes: 4_096 }
  const [, kilobytes] = /^(\d{1,12})$/m.exec(outputOf(await look(context, site.server, call))) ?? []
  return kilobytes === undefined ? null : Number(kilobytes) * 1_024
}

async function forgetKept(context: EeContext, site: SiteRef, before: number): Promise<void> {
  assertSite(site)
  const more = [String(Math.floor(before / 1_000))]
  const forgotten = await change(context, site.server, callOf(site, { operation: '-', more }, 'forget'))
  if (forgotten.code === 5) throw busy()
  if (forgotten.code === 6) throw keptLater()
  outputOf(forgotten)
}

/** What nobody waits for any more must not go on. */
export async function stopRestore(context: EeContext, site: SiteRef): Promise<void> {
  for (const name of ['prepare', 'swap', 'finish'] as const) await stop(context, site.server, workOf(site.id, name))
}

async function undo(context: EeContext, site: SiteRef, operation: string): Promise<'undone' | 'finished'> {
  assertSite(site)
  await stopRestore(context, site)
  const now = await readRestore(context, site)
  if (now?.operation !== operation) return 'undone'
  if (now.state === 'finished') return 'finished'
  await work(context, site, 'back', { operation })
  // It may have been finished meanwhile.
  return (await readRestore(context, site))?.operation === operation ? 'finished' : 'undone'
}
