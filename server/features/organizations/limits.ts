import type { Controller, Tx } from '#server/documents/types.ts'
import type { FilterTriple } from '#shared/doctype.ts'
import type { Organization } from '#shared/doctypes/organization.ts'
import { AppError } from '#shared/errors.ts'
import { hasRoom, limitsOf, planNamed, type LimitedResource } from '#shared/rules/plans.ts'

/** What counts towards a limit: everything that is not put away. */
const counted: Readonly<Record<LimitedResource, { doctype: string; away: FilterTriple }>> = {
  site: { doctype: 'Site', away: ['status', '!=', 'Archived'] },
  server: { doctype: 'Server', away: ['status', '!=', 'Decommissioned'] },
}

/** How many sites and servers an organization has in use. */
export async function usageOf(tx: Tx, organization: string): Promise<Record<LimitedResource, number>> {
  return { site: await usage(tx, organization, 'site'), server: await usage(tx, organization, 'server') }
}

function usage(tx: Tx, organization: string, resource: LimitedResource): Promise<number> {
  const { doctype, away } = counted[resource]
  return tx.count(doctype, [['organization', '=', organization], away])
}

/** The limits that hold for an organization: its plan's or what the platform admin granted. */
export function effectiveLimits(organization: Organization): Record<LimitedResource, number> {
  return limitsOf(organization.plan, {
    site: organization.site_limit_override,
    server: organization.server_limit_override,
  })
}

/**
 * Throws AppError `limit_reached` unless one more fits. It locks the organization's row, so of several inserts at once
 * each counts the ones before it: call it in the transaction that inserts (or brings back) the thing.
 */
export async function assertWithinLimit(tx: Tx, organization: string, resource: LimitedResource): Promise<void> {
  const row = await tx.get<Organization>('Organization', organization, { lock: true })
  if (!row) throw new AppError('not_found', `Organization ${organization} not found`)
  const limit = effectiveLimits(row)[resource]
  const used = await usage(tx, organization, resource)
  if (hasRoom(used, limit)) return
  const things = limit === 1 ? resource : `${resource}s`
  throw new AppError(
    'limit_reached',
    `The ${planNamed(row.plan).name} plan has room for ${limit} ${things}, and ${used} ${used === 1 ? 'is' : 'are'} in use.`,
    {
      nextAction:
        resource === 'site'
          ? 'Delete a site you do not need, or ask the owner for a larger plan.'
          : 'Remove a server, or ask the owner for a larger plan.',
    },
  )
}

/** Guards every way to a new or revived site or server. */
export const limitControllers: readonly Controller[] = (['site', 'server'] as const).map((resource) => ({
  doctype: counted[resource].doctype,
  before_insert: (doc, { tx }) => assertWithinLimit(tx, String(doc['organization']), resource),
  async validate(doc, before, { tx }) {
    const away = counted[resource].away[2]
    if (before?.['status'] === away && doc['status'] !== away)
      await assertWithinLimit(tx, String(doc['organization']), resource)
  },
}))
