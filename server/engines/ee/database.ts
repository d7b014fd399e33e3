import type * as z from 'zod/mini'
import { labelMessage, msg } from '#shared/localized-message.ts'
import { databaseRows, databaseTables, databaseValue } from '#shared/responses/site-database.ts'
import { databaseLimits } from '#shared/rules/site-database.ts'
import { databaseProblem } from '../database-problems.ts'
import { EngineError } from '../engine.ts'
import type { SiteDatabase } from '../site-database.ts'
import type { SiteRef } from '../site-ref.ts'
import { unreadable } from '../wordpress-scripts.ts'
import type { EeContext } from './ee-context.ts'
import { eeLacks } from './lacks.ts'
import { managedSite, runPhp } from './scripts.ts'

/** Shows the database of a site by the script of the local engine, in a transaction that only reads. The password stays on the server. */
export function createEeDatabase(context: EeContext): SiteDatabase {
  const browse = async <T extends z.ZodMiniType>(
    site: SiteRef,
    schema: T,
    query: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<z.infer<T>> => {
    const input = { ...query, limits: databaseLimits, mysql: 'own' }
    const { problem, why, found } = await runPhp(await managedSite(context, site, signal), 'browse', input, signal)
    if (problem !== undefined) throw databaseProblem(problem, why)
    const { success, data } = schema.safeParse(found)
    if (!success) throw unreadable()
    return data
  }
  const refuse = (): Promise<never> =>
    Promise.reject(
      new EngineError('unsupported', labelMessage(eeLacks.sql_console), { nextAction: msg`Change it on the server.` }),
    )
  return {
    tables: (site, signal) => browse(site, databaseTables, { do: 'tables' }, signal),
    rows: (site, { table, filter, sort, start }, signal) =>
      browse(site, databaseRows, { do: 'rows', table, filter: filter ?? null, sort: sort ?? null, start }, signal),
    cell: (site, query, signal) => browse(site, databaseValue, { do: 'cell', ...query }, signal),
    query: refuse,
    write: refuse,
    undo: refuse,
  }
}
