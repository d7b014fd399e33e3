import type * as z from 'zod/mini'
import type { EngineError } from '../../engine.ts'
import type { SiteRef } from '../../site-ref.ts'
import type { ScriptName } from '../child/messages.ts'
import { managedRecord, runScript, type ScriptContext } from '../wordpress/run-script.ts'
import { unreadable } from '../../wordpress-scripts.ts'

/** A script to run in a site's process, within a time. */
export interface BoundedCall {
  readonly script: ScriptName
  readonly input: Record<string, unknown>
  /** Above it, the site's process is ended. */
  readonly deadlineMs: number
  readonly signal?: AbortSignal | undefined
  /** The error for a script that took too long. */
  late(): EngineError
}

/** Runs a script and returns its result. */
export async function runBounded(
  context: ScriptContext,
  site: SiteRef,
  { script, input, deadlineMs, signal, late }: BoundedCall,
): Promise<Readonly<Record<string, unknown>>> {
  const record = managedRecord(context, site)
  const deadline = AbortSignal.timeout(deadlineMs)
  try {
    const both = signal ? AbortSignal.any([signal, deadline]) : deadline
    return await runScript(context, record, { script, input, signal: both })
  } catch (error) {
    throw deadline.aborted && signal?.aborted !== true ? late() : error
  }
}

/** A value as its schema describes it. Throws EngineError for anything else: the site can replace the scripts. */
export function checked<T extends z.ZodMiniType>(schema: T, value: unknown): z.infer<T> {
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw unreadable()
  return parsed.data
}
