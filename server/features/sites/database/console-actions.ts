import { randomUUID } from 'node:crypto'
import { controller, type ActionResult, type Controller, type ExternalCall } from '#server/contracts/controller.ts'
import type { Session } from '#server/contracts/session.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { DatabaseChanged } from '#server/engines/database-problems.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import type { ConsoleRun } from '#shared/responses/site-console.ts'
import { msg, untranslated } from '#shared/localized-message.ts'
import { commandWords, consoleLimits, looksReading, statementKind } from '#shared/rules/site-console.ts'
import type { SitesDeps } from '../deps.ts'
import { siteCall, type SiteCall } from '../site-call.ts'
import { endRun, listRuns, recordRun } from './console-table.ts'
import { statementTables } from './statement-tables.ts'

/** Actions of the consoles. The store checks permissions, state and the password first. */
export function consoleActions(deps: SitesDeps): Controller {
  return controller(SiteDoctype, {
    actions: {
      async run_sql(site, args, { tx, session }) {
        const statement = args.sql
        const isConfirmed = args.confirmed === 1
        // Before anything is recorded: the database decides for good, by refusing to write.
        if (!isConfirmed && !looksReading(statement)) throw unconfirmed()
        const kind = statementKind(statement)
        return recorded(
          deps,
          { tx, site, session },
          { kind: 'sql', code: statement },
          {
            needs: 'sql_console',
            ...(isConfirmed && { changes: true }),
            entry: {
              detail: untranslated([kind, statementTables(statement).join(', ')].filter(Boolean).join(' ')),
              after: { characters: statement.length, confirmed: isConfirmed },
            },
            async run(engine, ref) {
              if (isConfirmed) return engine.database.write(ref, statement)
              const result = await engine.database.query(ref, statement)
              if (result === null) throw unconfirmed()
              return result
            },
          },
        )
      },

      async undo_sql(site, { undo, anyway }, { tx }) {
        return siteCall(deps, tx, site, {
          needs: 'sql_console',
          changes: true,
          async run(engine, ref) {
            try {
              return await engine.database.undo(ref, undo, anyway === 1)
            } catch (error) {
              if (!(error instanceof DatabaseChanged)) throw error
              const { nextAction } = error
              throw new AppError('conflict', error.localized, { field: 'anyway', nextAction, cause: error })
            }
          },
        })
      },

      async run_php(site, { code, safe, confirmed }, { tx, session }) {
        if (confirmed !== 1) throw unconfirmed()
        return recorded(
          deps,
          { tx, site, session },
          { kind: 'php', code },
          {
            needs: 'php_console',
            changes: true,
            entry: { after: { characters: code.length, without_plugins: safe === 1 } },
            run: (engine, ref) => engine.console.runPhp(ref, code, { safe: safe === 1 }),
          },
        )
      },

      async run_wp(site, { command, confirmed }, { tx, session }) {
        if (confirmed !== 1) throw unconfirmed()
        const words = commandWords(command)
        if (words === null || words.length === 0 || words.length > consoleLimits.words)
          throw new AppError('invalid', msg`This is no command of WP-CLI.`, {
            field: 'command',
            nextAction: msg`Write it as in a terminal, for example: plugin list. Close each quote.`,
          })
        return recorded(
          deps,
          { tx, site, session },
          { kind: 'wp', code: command },
          {
            needs: 'wp_cli',
            changes: true,
            // The rest can hold secrets.
            entry: {
              detail: untranslated(
                words
                  .slice(0, 2)
                  .filter((word) => /^[a-z][a-z-]{0,30}$/.test(word))
                  .join(' '),
              ),
            },
            run: (engine, ref, signal) => engine.commands.runWp(ref, words, { signal }),
          },
        )
      },

      console_runs: async (site, _args, { tx }) =>
        listRuns(tx, deps.secrets, { site: site.name, organization: site.organization }),
    },
  })
}

/** A call to the site whose code and end the admins of the organization can read later. */
async function recorded<K extends 'sql_console' | 'php_console' | 'wp_cli'>(
  deps: SitesDeps,
  { tx, site, session }: { tx: Tx; site: Site; session: Session },
  { kind, code }: Pick<ConsoleRun, 'kind' | 'code'>,
  call: Omit<SiteCall<K>, 'run'> & { run(...to: Parameters<SiteCall<K>['run']>): Promise<ActionResult> },
): Promise<ExternalCall> {
  const id = randomUUID()
  const clock = deps.clock ?? systemClock
  const started = performance.now()
  await recordRun(tx, deps.secrets, {
    ...{ id, site: site.name, organization: site.organization, kind, code },
    ...{ user: session.user, started: formatTimestamp(clock.now()) },
  })
  const end = (state: 'Done' | 'Failed'): Promise<void> =>
    deps
      .documents()
      .transaction(systemSession('schedule'), (own) => endRun(own, id, state, Math.round(performance.now() - started)))
  return siteCall(deps, tx, site, {
    ...call,
    async run(...to) {
      let result: ActionResult
      try {
        result = await call.run(...to)
      } catch (error) {
        await end('Failed')
        throw error
      }
      const failed =
        result !== null && (('error' in result && result.error !== null) || ('code' in result && result.code !== 0))
      await end(failed ? 'Failed' : 'Done')
      return result
    },
  })
}

const unconfirmed = (): AppError =>
  new AppError('invalid', msg`This can change the site, so it has to be confirmed.`, {
    field: 'confirmed',
    nextAction: msg`Look at what runs, then confirm it.`,
  })
