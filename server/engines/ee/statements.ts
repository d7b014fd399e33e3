import { randomBytes } from 'node:crypto'
import { maxInputBytes } from '#server/platform/ssh/call.ts'
import { sqlResult, type SqlResult } from '#shared/responses/site-console.ts'
import { databaseLimits } from '#shared/rules/site-database.ts'
import { msg } from '#shared/localized-message.ts'
import { databaseProblem, foundIn } from '../database-problems.ts'
import { EngineError } from '../engine.ts'
import type { ServerRef } from '../site-ref.ts'
import type { EeContext } from './ee-context.ts'
import { change, isPassing, look, mutate, outputOf, type ScriptCall, type ScriptResult } from './remote.ts'
import { scriptText } from './remote-script.ts'
import { resultIn, programOf, type ManagedSite } from './scripts.ts'

/** The script ends by itself before. Requests are ended after 60 seconds. */
const writeMs = 55_000
/** A statement does not wait longer for another change of the server: the person can run it again. */
const waitMs = 4_000

type Statement = Pick<ManagedSite, 'context' | 'site' | 'workdir'>

const callOf = ({ site, workdir }: Statement, verb: string, ...more: readonly string[]): ScriptCall => ({
  script: 'statement',
  args: [site.domain, workdir, site.id, verb, ...more],
})

/** As of scripts that read: rows can be a result of a statement that writes, too. */
const maxOutputBytes = 2_097_152

/**
 * Runs a statement that may write. The server keeps the state before it, whose name is returned, unless nothing was changed: also if it failed
 * after that.
 */
export async function writeStatement(managed: ManagedSite, sql: string, signal?: AbortSignal): Promise<SqlResult> {
  const program = programOf(managed, 'sql', { do: 'write', sql, limits: databaseLimits, mysql: null })
  if (Buffer.byteLength(scriptText('statement', { program })) > maxInputBytes)
    throw new EngineError('invalid', msg`The statement is too long for a site on a server.`, {
      nextAction: msg`Run it in parts.`,
    })
  const undo = randomBytes(8).toString('hex')
  const limits = { signal, deadlineMs: writeMs, waitMs, maxBytes: maxOutputBytes }
  const call = { ...callOf(managed, 'write', undo), variables: { program }, ...limits }
  const ended = await change(managed.context, managed.site.server, call).catch((error: unknown) => {
    throw isPassing(error) ? unknownEnd(error) : error
  })
  if (ended.code === 5)
    throw new EngineError('conflict', msg`The state before another statement is being put back.`, {
      nextAction: msg`Wait until the database is as it was before, then try again.`,
    })
  if (ended.code === 6) throw notKept(ended)
  const isKept = /(?:^|\n)kept\s*$/.test(ended.stdout)
  try {
    return { ...foundIn(sqlResult, resultIn(ended)), undo: isKept ? undo : null }
  } catch (error) {
    if (!isKept || !(error instanceof EngineError)) throw error
    const nothing = { columns: [], omitted: 0, rows: [], more: false, affected: null, ms: 0 }
    return { ...nothing, undo, error: error.message }
  }
}

const unknownEnd = (cause: unknown) =>
  new EngineError('unavailable', msg`The server did not answer to the end: the statement may have run.`, {
    nextAction: msg`Look at the rows before you run it again.`,
    cause,
  })

const notKept = ({ stderr }: ScriptResult) =>
  new EngineError('unavailable', msg`The state before the change could not be kept, so nothing was changed.`, {
    nextAction: /no room/.test(stderr)
      ? msg`Make room on the disk of the server, then try again.`
      : msg`Saving the database must take less than 12 seconds. Change a larger one on the server.`,
  })

interface Kept {
  readonly id: string
  readonly stage: 'kept' | 'changed' | 'closing' | 'restoring' | 'restored' | 'returning'
  /** What names the state that is replaced, once the other one is back. */
  readonly next: string
  /** What named the state that was put back last, unless a statement ran since. */
  readonly back: string
}

const keptPattern =
  /^([0-9a-f]{16}) (kept|changed|closing|restoring|restored|returning) ([0-9a-f]{16}|-) ([0-9a-f]{16}|-)$/m

/** What a server keeps; null if it is nothing. */
async function keptOf(statement: Statement, signal?: AbortSignal): Promise<Kept | null> {
  const call = { ...callOf(statement, 'state'), signal }
  const output = outputOf(await look(statement.context, statement.site.server, call))
  const [, id, stage, next, back] = keptPattern.exec(output) ?? []
  return id === undefined ? null : { id, stage: stage as Kept['stage'], next: next ?? '-', back: back ?? '-' }
}

/** Whether a state is being put back, or has to be completed: the database may be half of one. */
export async function isPuttingBack(statement: Statement, signal: AbortSignal): Promise<boolean> {
  const kept = await keptOf(statement, signal)
  return kept !== null && kept.stage !== 'kept' && kept.stage !== 'changed'
}

/** Puts back the state before a statement, also if that takes long. Visitors wait meanwhile. What was asked before is followed, or was done. */
export async function undoStatement(managed: ManagedSite, undo: string, anyway: boolean): Promise<{ undo: string }> {
  const isBack = (one: Kept | null) => one?.stage === 'kept' && one.back === undo
  const before = await keptOf(managed)
  if (before && isBack(before)) return { undo: before.id }
  if (before?.id !== undo) throw databaseProblem('gone')
  // What was cut off goes on.
  const isBegun = ['closing', 'restoring', 'restored'].includes(before.stage)
  const next = isBegun ? before.next : randomBytes(8).toString('hex')
  const ends: (Kept | null)[] = []
  await mutate(managed.context, managed.site.server, {
    ...callOf(managed, 'undo', undo, next, anyway ? 'yes' : 'no'),
    id: `ee-${managed.site.id}-undo`,
    async isDone() {
      const end = await keptOf(managed)
      ends.push(end)
      return isBack(end) || (end?.stage === 'changed' && end.next === next)
    },
  })
  const end = ends.at(-1)
  if (!end || !isBack(end)) throw databaseProblem('changed')
  return { undo: end.id }
}

/** Completes what was cut off while a state was put back on a server, and removes states that were kept for a day. */
export async function tendStatements(context: EeContext, server: ServerRef): Promise<void> {
  const args = ['-', '-', '-']
  await mutate(context, server, {
    id: 'ee-statements',
    script: 'statement',
    args: [...args, 'tend'],
    signal: AbortSignal.timeout(600_000),
    async isDone() {
      return outputOf(await look(context, server, { script: 'statement', args: [...args, 'due'] })) === ''
    },
  })
}
