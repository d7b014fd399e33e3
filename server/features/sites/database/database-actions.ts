import { controller, type Controller } from '#server/contracts/controller.ts'
import type { RowFilter } from '#server/engines/site-database.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import type { CellOperator } from '#shared/rules/site-database.ts'
import type { SitesDeps } from '../deps.ts'
import { siteCall } from '../site-call.ts'

/** Actions on the database of a site. The store checks state and permissions first. */
export function databaseActions(deps: SitesDeps): Controller {
  return controller(SiteDoctype, {
    actions: {
      database_tables: (site, _args, { tx }) =>
        siteCall(deps, tx, site, {
          needs: 'database',
          run: (engine, ref) => engine.database.tables(ref),
        }),

      database_rows: (site, args, { tx }) => {
        const { table, start, sort, descending } = args
        const filter = filterOf(args.filter_column, args.filter_operator, args.filter_value)
        return siteCall(deps, tx, site, {
          needs: 'database',
          run: (engine, ref) =>
            engine.database.rows(ref, {
              table,
              start: start ?? 0,
              ...(filter && { filter }),
              ...(sort !== null && { sort: { column: sort, descending: descending === 1 } }),
            }),
        })
      },

      database_cell: (site, { table, column, row, start }, { tx }) =>
        siteCall(deps, tx, site, {
          needs: 'database',
          run: (engine, ref) => engine.database.cell(ref, { table, column, row, start: start ?? 0 }),
        }),
    },
  })
}

function filterOf(column: string | null, operator: CellOperator | null, value: string | null): RowFilter | null {
  return column === null ? null : { column, operator: operator ?? 'contains', value: value ?? '' }
}
