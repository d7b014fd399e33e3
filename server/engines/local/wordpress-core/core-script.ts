import * as z from 'zod/mini'
import { msg } from '#shared/localized-message.ts'
import { exists } from '#server/platform/files/exists.ts'
import { EngineError } from '../../engine.ts'
import { savedDumpPath } from '../mysql/kept-dumps.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { runScript, type ScriptContext } from '../wordpress/run-script.ts'
import { unreadable } from '../../wordpress-scripts.ts'

const version = z.string().check(z.maxLength(40))

const about = z.object({
  version,
  php: version,
  database: z.int(),
  /** Whether the database of the version that is being replaced has another structure; null: none is. */
  differs: z.nullable(z.boolean()),
  kept: z.nullable(z.object({ version, php: version, at: z.int(), database: z.boolean() })),
})

/** The WordPress of a site as its files say, and the one that is kept. */
export type CoreAbout = z.infer<typeof about>

/** Input of `php/core.php`. */
export type CoreCall =
  | { readonly act: 'clear' | 'save' | 'undo' | 'finish' }
  | {
      readonly act: 'replace'
      readonly operation: string
      readonly from_kept: boolean
      readonly database: boolean
      readonly gone: readonly string[]
    }

/** Reads which WordPress a site has, without running it. */
export async function readAbout(context: ScriptContext, record: SiteRecord, signal?: AbortSignal): Promise<CoreAbout> {
  const { data } = about.safeParse(
    await runScript(context, record, { script: 'core', input: { act: 'about' }, signal }),
  )
  if (!data) throw unreadable()
  return { ...data, kept: data.kept && (await withKeptDatabase(context, record, data.kept)) }
}

/** The version that is kept, and whether its database is: of one on MySQL, the engine keeps a dump. */
export async function withKeptDatabase<T extends { readonly database: boolean }>(
  context: ScriptContext,
  record: SiteRecord,
  kept: T,
): Promise<T> {
  if (record.database !== 'mysql') return kept
  return { ...kept, database: await exists(savedDumpPath(context, record, 'core-kept')) }
}

/** Runs a part of a change. Throws EngineError `unavailable` if it could not be done. */
export async function runCore(
  context: ScriptContext,
  record: SiteRecord,
  call: CoreCall,
  signal?: AbortSignal,
): Promise<void> {
  const input = { ...call, mysql: record.database === 'mysql' }
  const { problem, done } = await runScript(context, record, { script: 'core', input, signal })
  if (done === true) return
  if (problem === 'no room') {
    throw new EngineError('unavailable', msg`The site has no room for the change: the version before is kept.`, {
      nextAction: msg`Make room within the quota of the site, then try again.`,
    })
  }
  const reason = typeof problem === 'string' ? problem.slice(0, 300) : ''
  throw new EngineError('unavailable', msg`The files of WordPress could not be exchanged: ${reason}`, {
    nextAction: msg`Look at the files of the site, then try again.`,
  })
}
