import { defineMethod, type Method, type MethodContext } from '#server/contracts/method.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { PlatformOrganization } from '#shared/responses/platform.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'
import { OrganizationDoctype, type Organization } from '#shared/doctypes/organization.ts'
import { data, select } from '#shared/fields.ts'
import { planNames } from '#shared/rules/plans.ts'
import { quotaNames } from '#shared/rules/site-quotas.ts'
import type { PlatformDeps } from './deps.ts'
import { containsText, equals, newestPage, pageParams } from './paging.ts'
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

/** The fields that are shown, and those that the limits come from. */
const fields = [
  'name',
  'title',
  '_owner',
  'plan',
  'enabled',
  'local_engine',
  'enable_vip_template',
  'module_ee',
  'module_wpc',
  'creation',
  'site_limit_override',
  'server_limit_override',
  'site_quota_overrides',
] as const

type Row = Pick<Organization, (typeof fields)[number]>

async function list(deps: PlatformDeps, params: Record<string, unknown>, { documents, session }: MethodContext) {
  return documents.transaction(session, async (tx) => {
    const filters = equals({
      plan: params.plan,
      enabled: asNumber(params.enabled),
      local_engine: asNumber(params.local_engine),
    })
    const or_filters = containsText(['name', 'title', '_owner'], params.txt)
    const rows = await tx.listFields(OrganizationDoctype, fields, filters, { or_filters, ...newestPage(params) })
    const total = await tx.count(OrganizationDoctype, filters, { or_filters })
    return { organizations: await toPlatformOrganizations(deps, tx, rows), total }
  })
}

const asNumber = (value: unknown) => (value === undefined || value === null ? undefined : Number(value))

async function toPlatformOrganizations(
  deps: PlatformDeps,
  tx: Tx,
  rows: readonly Row[],
): Promise<PlatformOrganization[]> {
  const figures = await deps.figuresOf(tx, rows)
  const names = rows.map(({ name }) => name)
  const members = await tx.countBy(OrganizationMemberDoctype, 'parent', [['parent', 'in', names]])
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
      members: members.get(row.name) ?? 0,
      enabled: row.enabled,
      local_engine: row.local_engine,
      vip: row.enable_vip_template,
      modules: { ee: row.module_ee === 1, wpc: row.module_wpc === 1 },
      creation: row.creation,
    }
  })
}
