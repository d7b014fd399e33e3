import { sqlResult, sqlUndone } from '#shared/responses/site-console.ts'
import { databaseRows, databaseTables, databaseValue } from '#shared/responses/site-database.ts'
import { databaseLimits } from '#shared/rules/site-database.ts'
import { databaseProblem } from '../../database-problems.ts'
import type { SiteDatabase } from '../../site-database.ts'
import type { SiteRef } from '../../site-ref.ts'
import type { LocalContext } from '../local-context.ts'
import { undoOnMysql, writeOnMysql } from '../mysql/sql-changes.ts'
import { databaseHost } from '../outbound/policy.ts'
import { managedRecord } from '../wordpress/run-script.ts'
import { checked, runBounded } from './run-bounded.ts'

/** Scripts that browse stop by themselves before; what holds them up then is a single value or row. */
const deadlineMs = 20_000
/** Copying a large database takes longer. Requests are ended after 60 seconds, so this is less. */
const writeDeadlineMs = 50_000

/** Databases of sites, read and changed by scripts in the site's own process. */
export function createLocalDatabase(context: LocalContext): SiteDatabase {
  const call = async (
    site: SiteRef,
    script: 'browse' | 'sql',
    query: Record<string, unknown>,
    signal?: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> => {
    const record = managedRecord(context, site)
    const changes = query['do'] === 'write' || query['do'] === 'undo'
    const release = context.awake.hold(record.id)
    try {
      return await runBounded(context, site, {
        script,
        input: {
          ...query,
          limits: databaseLimits,
          ...(record.database === 'mysql' ? { mysql: changes ? null : await viewerOf(context, record.id) } : {}),
        },
        deadlineMs: changes ? writeDeadlineMs : deadlineMs,
        signal,
        late: () => databaseProblem('late'),
      })
    } finally {
      release()
    }
  }

  const found = async (...args: Parameters<typeof call>): Promise<unknown> => {
    const result = await call(...args)
    if (result['problem'] !== undefined) throw databaseProblem(result['problem'], result['why'])
    return result['found']
  }

  return {
    tables: async (site, signal) => checked(databaseTables, await found(site, 'browse', { do: 'tables' }, signal)),
    rows: async (site, { table, filter, sort, start }, signal) => {
      const query = { do: 'rows', table, filter: filter ?? null, sort: sort ?? null, start }
      return checked(databaseRows, await found(site, 'browse', query, signal))
    },
    cell: async (site, query, signal) =>
      checked(databaseValue, await found(site, 'browse', { do: 'cell', ...query }, signal)),
    async query(site, sql, signal) {
      const result = await call(site, 'sql', { do: 'read', sql }, signal)
      if (result['problem'] === 'writes') return null
      if (result['problem'] !== undefined) throw databaseProblem(result['problem'], result['why'])
      return checked(sqlResult, result['found'])
    },
    async write(site, sql, signal) {
      const record = managedRecord(context, site)
      const run = async () => checked(sqlResult, await found(site, 'sql', { do: 'write', sql }, signal))
      return record.database === 'mysql' ? writeOnMysql(context, record, run, signal) : run()
    },
    async undo(site, undo, anyway) {
      const record = managedRecord(context, site)
      if (record.database === 'mysql') return undoOnMysql(context, record, { undo, anyway })
      return checked(sqlUndone, await found(site, 'sql', { do: 'undo', undo, anyway }))
    },
  }
}

/** What scripts that read connect with. */
async function viewerOf({ mysql }: LocalContext, id: string): Promise<Readonly<Record<string, string>>> {
  return { ...(await mysql.viewer(id)), host: databaseHost }
}
