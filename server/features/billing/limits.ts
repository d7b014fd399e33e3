import type { Controller } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { AnyDoc, FilterTriple } from '#shared/doctype.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { OrganizationDoctype, type LimitedOrganization } from '#shared/doctypes/organization.ts'
import { AppError } from '#shared/errors.ts'
import { hasCapacity, isLimited, limitsOf, overrideOf, type ByResource, type Plan } from '#shared/rules/plans.ts'
import type { LimitedResource } from '#shared/rules/limited-resources.ts'
import { plural, msg, type LocalizedMessage } from '#shared/localized-message.ts'
import { hasPlans } from './platform-settings.ts'
import { planNamed, plansIn } from './plans.ts'

/** What counts toward a limit: documents of the doctype that are not archived or decommissioned. */
export const countedDoctypes = doctypes.flatMap(({ name, plan_limit: limit }) =>
  limit ? [{ resource: limit.resource, doctype: name, except: limit.except }] : [],
)

const countedIn = (organizations: readonly string[], except: string): FilterTriple[] => [
  ['organization', 'in', organizations],
  ['status', '!=', except],
]

/** Number of sites and servers an organization uses. */
export async function usageOf(tx: Tx, organization: string): Promise<ByResource> {
  return (await usageByOrganization(tx, [organization])).get(organization) ?? { site: 0, server: 0 }
}

/** Usage of many organizations; each has an entry. */
export async function usageByOrganization(tx: Tx, organizations: readonly string[]): Promise<Map<string, ByResource>> {
  const usage = new Map(organizations.map((organization) => [organization, { site: 0, server: 0 }]))
  for (const { resource, doctype, except } of countedDoctypes) {
    const counts = await tx.countBy(doctype, 'organization', countedIn(organizations, except))
    for (const [organization, count] of counts) {
      const own = usage.get(organization)
      if (own) own[resource] += count
    }
  }
  return usage
}

/** Limits a platform admin granted to an organization instead of its plan's; null = the plan's. */
export function overridesOf(organization: Omit<LimitedOrganization, 'name' | 'plan'>): ByResource<number | null> {
  return {
    site: overrideOf(organization.site_limit_override),
    server: overrideOf(organization.server_limit_override),
  }
}

/** Limits of an organization when plans are off. */
export const noLimits: ByResource = { site: 0, server: 0 }

/** Effective limits of an organization when plans are on: its plan's, or those granted by a platform admin. */
export function effectiveLimits(plans: readonly Plan[], organization: LimitedOrganization): ByResource {
  return limitsOf(planNamed(plans, organization.plan), {
    site: organization.site_limit_override,
    server: organization.server_limit_override,
  })
}

/**
 * Throws AppError `limit_reached` unless one more fits. Locks the organization's row, so that concurrent callers count each
 * other: call it in the transaction that writes the document. `user` is told what they themselves can do.
 */
export async function assertWithinLimit(
  tx: Tx,
  organization: string,
  resource: LimitedResource,
  user: string,
): Promise<void> {
  if (!(await hasPlans(tx))) return
  const row = await tx.get(OrganizationDoctype, organization, { lock: true })
  if (!row) throw new AppError('not_found', msg`Organization ${organization} not found`)
  const plans = await plansIn(tx)
  const limit = effectiveLimits(plans, row)[resource]
  if (!isLimited(limit)) return
  let used = 0
  for (const { doctype, except } of countedDoctypes.filter((one) => one.resource === resource))
    used += await tx.count(doctype, countedIn([organization], except))
  if (hasCapacity(used, limit)) return
  const granted = overridesOf(row)[resource] !== null
  const holder = granted ? msg`This organization` : msg`The ${planNamed(plans, row.plan).name} plan`
  const things =
    resource === 'site'
      ? plural(limit, msg`${limit} site`, msg`${limit} sites`)
      : plural(limit, msg`${limit} server`, msg`${limit} servers`)
  const inUse = plural(used, msg`${used} is in use`, msg`${used} are in use`)
  throw new AppError('limit_reached', msg`${holder} has room for ${things}, and ${inUse}.`, {
    nextAction: nextAction(resource, granted ? 'granted' : user === row.owner ? 'owner' : 'other'),
  })
}

/** What to do at a limit: a granted one is the platform admin's to raise, a plan's the owner's. */
function nextAction(resource: LimitedResource, by: 'granted' | 'owner' | 'other'): LocalizedMessage {
  if (resource === 'site')
    return {
      granted: msg`Archive a site you do not need, or ask the platform admin for a higher limit.`,
      owner: msg`Archive a site you do not need, or choose a larger plan.`,
      other: msg`Archive a site you do not need, or ask the owner for a larger plan.`,
    }[by]
  return {
    granted: msg`Remove a server, or ask the platform admin for a higher limit.`,
    owner: msg`Remove a server, or choose a larger plan.`,
    other: msg`Remove a server, or ask the owner for a larger plan.`,
  }[by]
}

/**
 * Whether a write increases usage. Whatever a feature calls it (create, clone, import, restore from the archive, transfer),
 * it is one of these three changes of a document.
 */
function grows(doc: AnyDoc, before: AnyDoc | null, away: string): boolean {
  if (doc['status'] === away) return false
  if (before === null || before['organization'] !== doc['organization']) return true
  // A failed deletion from the archive leaves a failed document: nothing usable came back, and completing the job must not
  // fail on a limit.
  return before['status'] === away && doc['status'] !== 'Failed'
}

/** Enforces the limit on every write that adds a site or server. The store also runs guards for our own writes. */
export const limitControllers: readonly Controller[] = countedDoctypes.map(({ resource, doctype, except }) => ({
  doctype,
  async guard(doc, before, { tx, session }) {
    if (grows(doc, before, except)) await assertWithinLimit(tx, String(doc['organization']), resource, session.user)
  },
}))
