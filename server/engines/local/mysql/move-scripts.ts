import { msg } from '#shared/localized-message.ts'
import { EngineError, type StepContext } from '../../engine.ts'
import type { LocalContext } from '../local-context.ts'
import { importedDump } from '../portable/import-database.ts'
import { countOf, textsOf, tuplesOf } from '../../script-results.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { runScript } from '../wordpress/run-script.ts'
import { cannotMove, noRoom, runMove } from './run-move.ts'

/** What the scripts of a move connect with. */
export interface MoveLogin {
  readonly database: string
  readonly user: string
  readonly password: string
  readonly host: string
}

/** Most tables of a database. */
const maxTables = 1_000

/**
 * Compares the tables of both databases, row by row.
 * @throws {EngineError} `unavailable` with the tables that differ
 */
export async function compareContent(
  context: LocalContext,
  record: SiteRecord,
  { login, signal }: { readonly login: MoveLogin | null; readonly signal: AbortSignal },
): Promise<{ tables: number; rows: number }> {
  const different: string[] = []
  let [tables, rows, after]: [number, number, string | null] = [0, 0, null]
  do {
    signal.throwIfAborted()
    const result = await runMove(context, record, { do: 'compare', login, after }, signal)
    for (const entry of Array.isArray(result['tables']) ? result['tables'].slice(0, maxTables) : []) {
      const [name, count, same]: unknown[] = Array.isArray(entry) ? entry : []
      tables += 1
      rows += countOf(count)
      if (same !== true) different.push(typeof name === 'string' ? name.slice(0, 64) : '?')
    }
    const next: unknown = result['after']
    after = typeof next === 'string' && next !== after ? next : null
    if (typeof next === 'string' && after === null) throw cannotMove('The comparison did not go on.')
  } while (after !== null && tables <= maxTables)
  if (different.length > 0) {
    throw new EngineError(
      'unavailable',
      msg`The content of these tables is not the same after copying: ${different.slice(0, 10)}`,
      { nextAction: msg`The site stays as it was. Report this with the names of the plugins that made these tables.` },
    )
  }
  return { tables, rows }
}

/** Imports every table of the dump into SQLite. Throws EngineError `invalid` if anything would be lost. */
export async function importWhole(context: LocalContext, record: SiteRecord, step: StepContext): Promise<void> {
  const { signal } = step
  const dump = `/wordpress/${importedDump}`
  let [offset, delimiter]: [number, string] = [0, ';']
  for (let isDone = false; !isDone;) {
    signal.throwIfAborted()
    const input = { dump, offset, delimiter, prefix: '', whole: true }
    const result = await runScript(context, record, { script: 'import', input, signal })
    if (typeof result['problem'] === 'string')
      throw result['problem'] === 'no room' ? noRoom() : cannotMove(result['problem'])
    const lost = [...tuplesOf(result['defects']).map((defect) => defect[1] ?? ''), ...textsOf(result['left'])]
    if (lost.length > 0 || countOf(result['failed']) > 0) {
      throw new EngineError('invalid', msg`SQLite can’t have everything in this database: ${lost.slice(0, 5)}`, {
        nextAction: msg`Remove that if the site does not need it, then try again.`,
      })
    }
    const next = countOf(result['offset'])
    isDone = result['done'] === true
    if (!isDone && next <= offset) throw cannotMove('The import did not go on.')
    offset = next
    delimiter = typeof result['delimiter'] === 'string' ? result['delimiter'].slice(0, 16) : ';'
    step.progress(1 - 1 / (1 + offset / 20_000_000))
  }
}
