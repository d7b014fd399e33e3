import type * as z from 'zod/mini'
import { sqlResult } from '#shared/responses/site-console.ts'
import { databaseRows, databaseTables, databaseValue } from '#shared/responses/site-database.ts'
import { looksReading } from '#shared/rules/site-console.ts'
import { databaseLimits } from '#shared/rules/site-database.ts'
import { foundIn } from '../database-problems.ts'
import type { SiteDatabase } from '../site-database.ts'
import type { SiteRef } from '../site-ref.ts'
import type { EeContext } from './ee-context.ts'
import { managedSite, runPhp } from './scripts.ts'
import { undoStatement, writeStatement } from './statements.ts'

/**
 * The database of a site by the scripts of the local engine, in transactions that only read, and as the site itself: the password stays on
 * the server. What writes is in `statements.ts`.
 */
export function createEeDatabase(context: EeContext): SiteDatabase {
  const run = async (
    site: SiteRef,
    script: 'browse' | 'sql',
    query: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ) => {
    const input = { ...query, limits: databaseLimits, mysql: 'own' }
    return runPhp(await managedSite(context, site, signal), script, input, signal)
  }
  const browse = async <T extends z.ZodMiniType>(
    site: SiteRef,
    schema: T,
    query: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<z.infer<T>> => foundIn(schema, await run(site, 'browse', query, signal))
  return {
    tables: (site, signal) => browse(site, databaseTables, { do: 'tables' }, signal),
    rows: (site, { table, filter, sort, start }, signal) =>
      browse(site, databaseRows, { do: 'rows', table, filter: filter ?? null, sort: sort ?? null, start }, signal),
    cell: (site, query, signal) => browse(site, databaseValue, { do: 'cell', ...query }, signal),
    async query(site, sql, signal) {
      const result = await run(site, 'sql', { do: looksReading(sql) ? 'read' : 'judge', sql }, signal)
      return result['problem'] === 'writes' ? null : foundIn(sqlResult, result)
    },
    async write(site, sql, signal) {
      return writeStatement(await managedSite(context, site, signal), sql, signal)
    },
    undo: async (site, undo, anyway) => undoStatement(await managedSite(context, site), undo, anyway),
  }
}
