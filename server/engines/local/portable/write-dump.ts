import { isDeepStrictEqual } from 'node:util'
import { isObject } from '#shared/parse-json.ts'
import { isDiskFull } from '#server/platform/files/disk-space.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError, type StepContext } from '../../engine.ts'
import { rowsOf, textsOf } from '../../script-results.ts'
import type { SiteManifest } from '../../site-manifest.ts'
import type { LocalContext } from '../local-context.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { runScript } from '../wordpress/run-script.ts'

/** Copies of the database of a site that changes meanwhile. */
const maxCopies = 3

/** Rows of the dumped tables, and what the site says about itself. */
export interface Dumped {
  readonly prefix: string
  readonly tables: SiteManifest['tables']
  /** Tables that were left out. */
  readonly skipped: readonly string[]
  /** Whether `count` said the same before and after the state that was dumped. */
  readonly isSettled: boolean
}

/**
 * The site's process writes the dump, from a copy of the database that has the state of one moment.
 * @param count looks at the database of that moment: it is copied again if the result is another one right after, a few times
 */
export async function writeDump(
  context: LocalContext,
  record: SiteRecord,
  step: StepContext,
  count: () => Promise<unknown> = async () => null,
): Promise<Dumped> {
  const { signal } = step
  const run = async (input: Record<string, unknown>) => {
    signal.throwIfAborted()
    const result = await runScript(context, record, { script: 'dump', input, signal })
    if (typeof result['problem'] === 'string') throw await cannotDump(context, record, result['problem'])
    return result
  }
  let before = await count()
  let begun = await run({ do: 'begin' })
  let isSettled = false
  for (let copies = 1; ; copies += 1) {
    const after = await count()
    isSettled = isDeepStrictEqual(before, after)
    if (isSettled || copies === maxCopies) break
    before = after
    begun = await run({ do: 'begin' })
  }
  const rows = new Map<string, number>()
  const skipped: string[] = []
  let after: unknown = null
  let runs = 0
  do {
    // Tables and rows come in one order, so it ends; the deadline of the step ends a site that says otherwise.
    const result = await run({ do: 'go', after })
    for (const [table, count] of rowsOf(result['rows'])) rows.set(table, (rows.get(table) ?? 0) + count)
    for (const table of textsOf(result['skipped'])) {
      skipped.push(table)
      step.log(`The table ${table} is none of MySQL’s kind and was left out`)
    }
    after = isObject(result['after']) ? result['after'] : null
    runs += 1
    step.progress(0.5 * (1 - 1 / (runs + 1)))
  } while (after !== null)
  step.log(`Wrote ${rows.size} tables with ${[...rows.values()].reduce((sum, count) => sum + count, 0)} rows`)
  return { prefix: validPrefix(begun['prefix']), tables: Object.fromEntries(rows), skipped, isSettled }
}

export const validPrefix = (prefix: unknown): string =>
  typeof prefix === 'string' && /^\w{1,40}$/.test(prefix) ? prefix : 'wp_'

async function cannotDump({ store }: LocalContext, record: SiteRecord, problem: string): Promise<EngineError> {
  if (problem === 'no room') {
    if (await isDiskFull(store.paths(record.id).www)) return noDisk()
    return new EngineError('invalid', msg`The site has no room for a copy of its database and the dump.`, {
      nextAction: msg`Delete files of the site, or ask the platform admin for a larger quota.`,
    })
  }
  return new EngineError('unavailable', msg`The database could not be read: ${problem.slice(0, 200)}`, {
    nextAction: msg`Look at the error log of the site.`,
  })
}

/** Whatever became of the export: a dump must not stay in the site. Its next start or export removes what this can't. */
export async function forgetDump(context: LocalContext, record: SiteRecord): Promise<void> {
  await runScript(context, record, { script: 'dump', input: { do: 'end' } }).catch((error: unknown) =>
    context.options.log.warn('The dump of a site could not be removed', { site: record.id, error }),
  )
  context.storage.invalidate(record.id)
}

export const noDisk = (): EngineError =>
  new EngineError('unavailable', msg`The disk of this machine has no room for an archive of the site.`, {
    nextAction: msg`Make room on the disk, then try again.`,
  })
