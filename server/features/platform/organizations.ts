import { sql } from 'kysely'
import { defineMethod, type Method, type MethodContext } from '#server/contracts/method.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { PlatformOrganization } from '#shared/responses/platform.ts'
import { planNames, type Organization } from '#shared/doctypes/organization.ts'
import { data, select } from '#shared/fields.ts'
import { quotaNames } from '#shared/rules/site-quotas.ts'
import type { PlatformDeps } from './deps.ts'
import { equals, holdsText, pageParams, pageSql, whereAll } from './paging.ts'
import { organizationsPage } from '#shared/responses/platform.ts'

/** `easydash.api.platform.organizations`: all organizations of the installation. */
export function organizationsMethod(deps: PlatformDeps): Method {
  return defineMethod({
    name: 'easydash.api.platform.organizations',
    access: 'platform',
    verbs: ['GET', 'POST'],
    description:
      'Organizations of the installation, newest first: owner, plan, limits, granted limits, usage, number of members, switches. `total` counts all that match.',
    params: {
      txt: data({ description: 'Part of name, title or owner' }),
      plan: select(planNames),
      // Not a Check, which would default to 0: without a value, both are listed.
      enabled: select(['0', '1']),
      local_engine: select(['0', '1']),
      ...pageParams,
    },
    returns: organizationsPage,
    run: (params, context) => list(deps, params, context),
  })
}

interface Row extends Organization {
  member_count: number
}

async function list(deps: PlatformDeps, params: Record<string, unknown>, { documents, session }: MethodContext) {
  return documents.transaction(session, async (tx) => {
    const where = whereAll([
      holdsText(['o.name', 'o.title', 'o._owner'], params.txt),
      equals('o.plan', params.plan),
      equals('o.enabled', asNumber(params.enabled)),
      equals('o.local_engine', asNumber(params.local_engine)),
    ])
    const { rows } = await sql<Row>`
      select o.name, o.title, o._owner, o.plan, o.enabled, o.local_engine, o.module_ee, o.module_wpc, o.creation,
        o.site_limit_override, o.server_limit_override, o.site_quota_overrides,
        (select count(*) from tab_organization_member m where m.parent = o.name) as member_count
      from tab_organization o where ${where} order by o.creation desc, o.name ${pageSql(params)}`.execute(tx.trx)
    const total = await sql<{ n: number }>`select count(*) as n from tab_organization o where ${where}`.execute(tx.trx)
    return { organizations: await shown(deps, tx, rows), total: Number(total.rows[0]?.n ?? 0) }
  })
}

const asNumber = (value: unknown) => (value === undefined || value === null ? undefined : Number(value))

async function shown(deps: PlatformDeps, tx: Tx, rows: readonly Row[]): Promise<PlatformOrganization[]> {
  const figures = await deps.figuresOf(tx, rows)
  return rows.flatMap((row, at) => {
    const own = figures[at]
    if (!own) return []
    return {
      name: row.name,
      title: row.title,
      owner: row._owner,
      plan: row.plan,
      ...own,
      site_quotas: Object.fromEntries(
        quotaNames.map((name) => [name, row.site_quota_overrides?.[name] ?? null]),
      ) as PlatformOrganization['site_quotas'],
      members: Number(row.member_count),
      enabled: row.enabled,
      local_engine: row.local_engine,
      modules: { ee: row.module_ee === 1, wpc: row.module_wpc === 1 },
      creation: row.creation,
    }
  })
}
