import { exists } from '#server/platform/files/exists.ts'
import { askCore, callCore, type CoreAbout, type CoreCall } from '../../core-change.ts'
import { savedDumpPath } from '../mysql/kept-dumps.ts'
import type { SiteRecord } from '../sites/site-record.ts'
import { scriptsOf, type ScriptContext } from '../wordpress/run-script.ts'

/** Reads which WordPress a site has, without running it. */
export async function readAbout(context: ScriptContext, record: SiteRecord, signal?: AbortSignal): Promise<CoreAbout> {
  const data = await askCore(scriptsOf(context, record), signal)
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
  call: WithoutDatabase<CoreCall>,
  signal?: AbortSignal,
): Promise<void> {
  await callCore(scriptsOf(context, record), { ...call, mysql: record.database === 'mysql' }, signal)
}

type WithoutDatabase<T> = T extends unknown ? Omit<T, 'mysql'> : never
