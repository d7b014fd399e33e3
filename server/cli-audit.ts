import { sql } from 'kysely'
import { ActivityType } from '#shared/doctypes/activity.ts'
import { activityHash } from './documents/activity-log.ts'
import { columnNames } from './documents/schema.ts'
import type { Db } from './documents/types.ts'

/** Recomputes every chain of the activity log. A chain starts at the entry without predecessor. */
export async function verifyAudit(db: Db): Promise<{ intact: boolean; lines: string[] }> {
  const columns = sql.join(columnNames(ActivityType).map((name) => sql.id(name)))
  const { rows } = await sql<Record<string, unknown>>`select ${columns} from tab_activity`.execute(db)
  const heads = await sql<{
    chain: string
    hash: string
  }>`select chain, hash from easydash_activity_head order by chain`.execute(db)
  const lines: string[] = []
  let intact = true
  for (const { chain, hash: head } of heads.rows) {
    const entries = rows.filter((row) => (row.organization ?? '') === chain)
    const byPrevious = new Map(entries.map((row) => [row.previous_hash as string | null, row]))
    let at = byPrevious.get('') ?? byPrevious.get(null)
    let count = 0
    let last = ''
    while (at && activityHash(at) === at.hash) {
      count += 1
      last = at.hash as string
      at = byPrevious.get(last)
    }
    const whole = count === entries.length && last === head
    intact &&= whole
    const broken = at ? `entry ${String(at.name)} of ${String(at.creation)} was changed` : 'entries are missing'
    lines.push(
      `${whole ? '✓' : '✗'} ${chain || 'platform'}: ${count} of ${entries.length} entries fit${whole ? '' : `; ${broken}`}`,
    )
  }
  return { intact, lines }
}
