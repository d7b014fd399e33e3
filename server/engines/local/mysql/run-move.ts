import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../../engine.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { runScript, type ScriptContext } from '../wordpress/run-script.ts'

/** Runs a part of `php/move.php`. Throws EngineError `unavailable` with the problem it reports. */
export async function runMove(
  context: ScriptContext,
  record: SiteRecord,
  input: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const result = await runScript(context, record, { script: 'move', input, signal })
  const { problem } = result
  if (typeof problem !== 'string') return result
  throw problem === 'no room' ? noRoom() : cannotMove(problem)
}

/** The error for a copy of a database that does not fit. */
export const noRoom = (): EngineError =>
  new EngineError('invalid', msg`The site has no room for a copy of its database.`, {
    nextAction: msg`Delete files of the site, or ask the platform admin for a larger quota.`,
  })

/** The error for a database that can't be moved, with what is wrong. */
export const cannotMove = (problem: string): EngineError =>
  new EngineError('unavailable', msg`The database could not be moved: ${problem.slice(0, 300)}`, {
    nextAction: msg`Correct that, then try again.`,
  })
