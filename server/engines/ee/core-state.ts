import { coreStages } from '../core-change.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError } from '../engine.ts'
import { change, look, outputOf } from './remote.ts'
import type { ManagedSite } from './scripts.ts'
import { printed } from './wp.ts'

/** A large database takes minutes. */
const databaseMs = 240_000

/** A change of the version of WordPress that is neither let go nor taken back. */
interface CoreChange {
  readonly operation: string
  /** How many of `coreStages` are done. */
  readonly parts: number
  /** The new version stays, and only what was replaced is still to be put away. */
  readonly stays: boolean
}

/** What the server knows of changes of a site's WordPress. */
export interface CoreState {
  readonly change: CoreChange | null
  /** The operation that was let go last, until another one begins. */
  readonly settled: string | null
  /** The database of the version that is kept is kept, too. */
  readonly hasKeptDatabase: boolean
}

/** Reads it. */
export async function coreState({ context, site, workdir }: ManagedSite, signal?: AbortSignal): Promise<CoreState> {
  const call = { script: 'core-change', args: [site.domain, workdir, 'state', '', ''], signal } as const
  return stateIn(outputOf(await look(context, site.server, call)))
}

function stateIn(output: string): CoreState {
  const [, operation = '', parts, stays] = /^change (\S{1,140}) (\d{1,2}) (yes|no)$/m.exec(output) ?? []
  return {
    change:
      parts === undefined
        ? null
        : { operation, parts: Math.min(Number(parts), coreStages.length), stays: stays === 'yes' },
    settled: /^settled (\S{1,140})$/m.exec(output)?.[1] ?? null,
    hasKeptDatabase: /^kept$/m.test(output),
  }
}

type Act = 'done' | 'stays' | 'save' | 'restore' | 'use' | 'keep' | 'drop' | 'end'

/** A part of a change on the server. */
export async function coreAct(
  { context, site, workdir }: ManagedSite,
  act: Act,
  operation: string,
  { parts = 0, signal }: { readonly parts?: number; readonly signal?: AbortSignal } = {},
): Promise<void> {
  const args = [site.domain, workdir, act, operation, String(parts)]
  printed(await change(context, site.server, { script: 'core-change', args, signal, deadlineMs: databaseMs }))
}

/** Begins a change, or goes on with it: returns how many of its parts are done. Throws EngineError `conflict` during another one. */
export async function beginCore(managed: ManagedSite, operation: string, signal: AbortSignal): Promise<number> {
  if (!/^[\w-]{1,140}$/.test(operation)) throw new TypeError('This is no id of an operation.')
  const { context, site, workdir } = managed
  const args = [site.domain, workdir, 'claim', operation, '']
  const result = await change(context, site.server, { script: 'core-change', args, signal })
  const found = result.code === 5 ? null : stateIn(printed(result)).change
  if (found?.operation === operation && !found.stays) return found.parts
  throw new EngineError('conflict', msg`The version of WordPress is being changed already.`, {
    nextAction: msg`Wait until the other job has ended.`,
  })
}
