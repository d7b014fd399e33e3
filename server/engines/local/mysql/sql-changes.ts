import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rename } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { exists } from '#server/platform/files/exists.ts'
import { crashPoint } from '#server/platform/processes/crash-point.ts'
import type { SqlResult } from '#shared/responses/site-console.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import { databaseProblem } from '../../database-problems.ts'
import { inTurn } from '../in-turn.ts'
import type { LocalBase } from '../local-base.ts'
import type { SiteRuntime } from '../site-runtime.ts'
import { canChange } from '../sites/changes.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { savedDumpPath } from './kept-dumps.ts'
import { forgetDumpOf, restoreDump, saveDump } from './saved-dump.ts'

type Context = Pick<LocalBase & SiteRuntime, 'store' | 'storage' | 'tenants' | 'awake' | 'mysql' | 'now'>

/** Requests are ended after 60 seconds: by then it is known whether a statement ran. */
const deadlineMs = 50_000
/** Putting a state back goes on after the request: half of it must not be all that there is. */
const undoDeadlineMs = 1_800_000
const keptMs = 86_400_000

/**
 * Runs a statement of the SQL console that may write, and keeps the state before it as a dump, instead of the one of the
 * statement before. Of a statement that failed, it is kept if anything changed.
 */
export function writeOnMysql(
  context: Context,
  record: SiteRecord,
  run: () => Promise<SqlResult>,
  given?: AbortSignal,
): Promise<SqlResult> {
  return inTurn(record.id, async () => {
    const known = context.store.get(record.id)
    // While a state is being put back, its dump is all there is.
    if (known === undefined || !canChange(known))
      throw new EngineError('conflict', msg`Statements that write run while the site is ready.`, {
        nextAction: msg`Wait until the site is ready, then try again.`,
      })
    const deadline = AbortSignal.timeout(deadlineMs)
    const signal = given === undefined ? deadline : AbortSignal.any([given, deadline])
    try {
      await saveDump(context, record, 'sql-undo-new', signal)
    } catch (error) {
      throw deadline.aborted ? databaseProblem('late') : error
    }
    let result: SqlResult
    try {
      result = await run()
    } catch (error) {
      // It can have done something before it failed: a part of a DROP of several tables, or of a procedure.
      await keepIfChanged(context, record, AbortSignal.timeout(deadlineMs))
      throw error
    }
    const undo = await keepIfChanged(context, record, signal)
    return undo === null ? result : { ...result, undo }
  })
}

/** Keeps the dump from before a statement, whose name it returns; null if the statement changed nothing. */
async function keepIfChanged(context: Context, record: SiteRecord, signal: AbortSignal): Promise<string | null> {
  const digest = await digestNow(context, record, signal)
  if (digest === null || digest !== (await digestOf(savedDumpPath(context, record, 'sql-undo-new'))))
    return keep(context, record, digest)
  await forgetDumpOf(context, record, 'sql-undo-new')
  return null
}

/** Sites whose state is being put back in this process. */
const undoing = new Set<string>()

/** Puts back the state before a statement. Visitors are kept out meanwhile. */
export function undoOnMysql(
  context: Context,
  record: SiteRecord,
  { undo, anyway }: { readonly undo: string; readonly anyway: boolean },
): Promise<{ undo: string }> {
  const { store, awake } = context
  return inTurn(record.id, async () => {
    const path = savedDumpPath(context, record, 'sql-undo')
    const known = store.get(record.id)?.sqlUndo
    if (known?.id !== undo || !(await exists(path))) throw databaseProblem('gone')
    await setStage(context, record, 'check')
    undoing.add(record.id)
    const release = awake.hold(record.id)
    try {
      // Requests that began before see the end of their work: what they write counts as changed.
      await awake.sleep(record.id)
      await saveDump(context, record, 'sql-undo-new', AbortSignal.timeout(undoDeadlineMs), { takesBack: true })
      const now = await digestOf(savedDumpPath(context, record, 'sql-undo-new'))
      if (!anyway && now !== known.digest) throw databaseProblem('changed')
      await setStage(context, record, 'restore')
      await restoreDump(context, record, 'sql-undo')
      // Not that of the file: MySQL names character sets in definitions that were loaded, but not in those that it was given at first.
      const digest = await digestNow(context, record, AbortSignal.timeout(undoDeadlineMs), { takesBack: true })
      return { undo: await keep(context, record, digest) }
    } finally {
      // A state of which a part is back stays out of sight: the next round of the engine completes it.
      if (store.get(record.id)?.sqlUndo?.stage === 'check') {
        await forgetDumpOf(context, record, 'sql-undo-new')
        await setStage(context, record, null)
      }
      undoing.delete(record.id)
      release()
    }
  })
}

/** Completes what was cut off while a state was being put back, and removes states that were kept for a day. */
export async function tendUndos(context: Context & Pick<LocalBase, 'options'>): Promise<void> {
  for (const { id, sqlUndo } of context.store.all()) {
    // One that goes on may take long, which must not hold up the round.
    if (sqlUndo === undefined || undoing.has(id)) continue
    if (sqlUndo.stage === undefined && sqlUndo.at > context.now() - keptMs) continue
    await inTurn(id, () => tend(context, id)).catch((error: unknown) =>
      context.options.log.warn('The state before a statement could not be put back', { site: id, error }),
    )
  }
}

async function tend(context: Context, id: string): Promise<void> {
  const record = context.store.get(id)
  const stage = record?.sqlUndo?.stage
  if (record?.sqlUndo === undefined) return
  if (stage === 'check') return setStage(context, record, null)
  if (stage === 'restore') await restoreDump(context, record, 'sql-undo')
  else if (record.sqlUndo.at > context.now() - keptMs) return
  await forgetSqlUndo(context, record)
}

/** Removes the state that is kept, if there is one. */
export async function forgetSqlUndo(context: Pick<Context, 'store'>, record: SiteRecord): Promise<void> {
  for (const name of ['sql-undo', 'sql-undo-new', 'sql-undo-now'] as const) await forgetDumpOf(context, record, name)
  await context.store.change(record.id, ({ sqlUndo: _forgotten, ...now }) => now)
}

async function setStage({ store }: Context, record: SiteRecord, stage: 'check' | 'restore' | null): Promise<void> {
  await store.change(record.id, (now) => {
    if (now.sqlUndo === undefined) return now
    if (stage === 'check' && !canChange(now))
      throw new EngineError('conflict', msg`The state before can only be put back while the site is ready.`, {
        nextAction: msg`Wait until the site is ready.`,
      })
    const { stage: _before, ...known } = now.sqlUndo
    return { ...now, sqlUndo: stage === null ? known : { ...known, stage } }
  })
}

/** The new dump becomes the one that can be put back. Returns its name. */
async function keep(context: Context, record: SiteRecord, digest: string | null): Promise<string> {
  const { store } = context
  const id = randomBytes(8).toString('hex')
  // Between the two, neither name would say which state the file has.
  await store.change(record.id, ({ sqlUndo: _before, ...now }) => now)
  crashPoint('local.mysql/undone')
  await rename(savedDumpPath(context, record, 'sql-undo-new'), savedDumpPath(context, record, 'sql-undo'))
  await store.change(record.id, (now) => ({ ...now, sqlUndo: { id, at: context.now(), digest } }))
  return id
}

/** What a database has now; null if that could not be found out. */
async function digestNow(
  context: Context,
  record: SiteRecord,
  signal: AbortSignal,
  how: { readonly takesBack?: true } = {},
): Promise<string | null> {
  try {
    await saveDump(context, record, 'sql-undo-now', signal, how)
    return await digestOf(savedDumpPath(context, record, 'sql-undo-now'))
  } catch {
    return null
  } finally {
    await forgetDumpOf(context, record, 'sql-undo-now')
  }
}

/** Dumps of the same content are the same: they have no date. */
async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
