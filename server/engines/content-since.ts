import { isObject } from '#shared/parse-json.ts'
import { EngineError } from './engine.ts'
import { countOf } from './script-results.ts'
import { contentCounts } from './seen-pages.ts'
import type { SiteChanges } from './site-backups.ts'

/**
 * What a WordPress has, and what of it was added or changed since a time (milliseconds since 1970). Null if not even WordPress without plugins
 * runs: a restore may be wanted because of that. `inspect` runs the script of that name.
 */
export async function contentSince(
  inspect: (input: Readonly<Record<string, unknown>>) => Promise<Readonly<Record<string, unknown>>>,
  since: number,
  { onAnyMachine, signal }: { readonly onAnyMachine: boolean; readonly signal: AbortSignal },
): Promise<SiteChanges['content']> {
  try {
    const facts = await inspect({ safe: true, since: new Date(since).toISOString().slice(0, 19).replace('T', ' ') })
    const { posts, orders, comments, users } = isObject(facts['changed']) ? facts['changed'] : {}
    return {
      counts: contentCounts(facts, onAnyMachine),
      changed: { posts: countOf(posts), orders: countOf(orders), comments: countOf(comments), users: countOf(users) },
    }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof EngineError) || error.code !== 'unavailable') throw error
    return null
  }
}
