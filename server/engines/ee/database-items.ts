import { createHash } from 'node:crypto'
import type { DumpRow } from '#server/platform/mysql/count-rows.ts'
import { pushKinds, type PushKind } from '#shared/responses/push-plan.ts'
import type { Known, KnownItems } from '../compare-sides.ts'

/** What a database holds, by kinds of content. */
export type KnownDatabase = Readonly<Record<PushKind, KnownItems>>

/** What a table holds, and which of the first columns says what a row belongs to. */
const tables: Readonly<Record<string, readonly [kind: PushKind, column: 0 | 1]>> = {
  posts: ['posts', 0],
  postmeta: ['posts', 1],
  term_relationships: ['posts', 0],
  comments: ['comments', 0],
  commentmeta: ['comments', 1],
  users: ['users', 0],
  usermeta: ['users', 1],
  terms: ['terms', 0],
  termmeta: ['terms', 1],
  term_taxonomy: ['terms', 1],
  options: ['options', 1],
}

/** Tables that change by themselves: sessions, queues, locks. */
const passingTable = /^(?:woocommerce_sessions|actionscheduler_\w+|wc_rate_limits|wc_reserved_stock)$/

/** Names of what changes by itself, or is each site's own. */
const passing: Readonly<Record<string, RegExp>> = {
  options:
    /^(?:_(?:site_)?transient_.*|_w[pc]_session_.*|easydash_.*|siteurl|home|blog_public|cron|rewrite_rules|recently_(?:activated|edited)|db_upgraded|can_compress_scripts|.*[._]lock|action_scheduler_.*|fresh_site|finished_.*|recovery_keys|recovery_mode_email_last_sent|user_count|admin_email_lifespan|auto_core_update_(?:notified|failed)|auto_plugin_theme_update_emails|https_detection_errors)$/,
  postmeta: /^(?:_edit_lock|_edit_last|_encloseme|_pingme)$/,
  usermeta:
    /^(?:session_tokens|easydash_.*|.*user-settings(?:-time)?|.*dashboard_quick_press_last_post_id|community-events-location|wc_last_active)$/,
}

/** Nothing of any kind. */
export const emptyDatabase = (): Record<PushKind, Map<string, Known>> =>
  Object.fromEntries(pushKinds.map((kind) => [kind, new Map<string, Known>()])) as Record<PushKind, Map<string, Known>>

/** Things of all kinds together; those beyond count with others of their table. */
const maxItems = 400_000

/**
 * What the rows of a dump are about: a post with its fields and categories is one thing, as is a user, and an option. Others are told apart by their
 * first column.
 */
export function databaseItems(tablePrefix: string): { add(row: DumpRow): void; found(): KnownDatabase } {
  const found = emptyDatabase()
  let count = 0
  return {
    add({ table, head, sha256 }) {
      const name = table.startsWith(tablePrefix) ? table.slice(tablePrefix.length) : table
      if (passingTable.test(name)) return
      const values = firstValues(head)
      const [kind, column] = tables[name] ?? [/^(?:wc|woocommerce)_/.test(name) ? 'orders' : 'other', 0]
      const label = values[name === 'options' ? 1 : 2]
      if (label !== undefined && passing[name]?.test(label) === true) return
      const value = values[column] ?? ''
      let key = name in tables ? value : `${name} ${value}`
      const items = found[kind]
      if (!items.has(key)) {
        if (count < maxItems) count += 1
        else key = name
      }
      const before = items.get(key)?.hash ?? ''
      items.set(key, {
        hash: createHash('sha256').update(before).update(name).update(sha256).digest('base64url').slice(0, 24),
      })
    },
    found: () => found,
  }
}

/** The first three values of a row, as far as they are short. */
function firstValues(head: string): string[] {
  const value = /\s*(?:(?:_binary )?'((?:[^'\\]|\\[^]|''){0,200})'|([^\s,()']{1,100}))\s*[,)]/y
  value.lastIndex = 1
  const values: string[] = []
  while (values.length < 3) {
    const match = value.exec(head)
    if (match === null) break
    values.push(match[1] ?? match[2] ?? '')
  }
  return values
}
