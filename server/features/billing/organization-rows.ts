import { sql } from 'kysely'
import { transactionLock } from '#server/platform/database/transaction-lock.ts'
import { controller, type Controller } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { freePlan } from '#shared/rules/plans.ts'
import type { BillingDeps } from './deps.ts'
import { SubscriptionDoctype } from '#shared/doctypes/subscription-organization.ts'
import { BillingProfileDoctype } from '#shared/doctypes/billing-profile.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'

/** Billing data of every organization from its creation: plan, subscription row and billing profile. */
export function organizationController({ config }: BillingDeps): Controller {
  return controller(OrganizationDoctype, {
    async before_insert(doc, { tx }) {
      // A paid plan starts with its payment. Without a payment provider, the plan requested at sign-up applies.
      if (config.stripe.secretKey !== null || doc.plan !== freePlan) return
      const owner = await tx.get(UserDoctype, ownerOf(doc))
      if (owner?.org_sku) doc.plan = owner.org_sku
    },

    async after_insert(doc, { tx }) {
      await addRows(tx, doc.name, doc.creation, ownerOf(doc))
      // The requested plan applies to one organization only.
      if (config.stripe.secretKey === null && (await tx.get(UserDoctype, ownerOf(doc))))
        await tx.update(UserDoctype, ownerOf(doc), { org_sku: null }, { activity: false, hooks: false })
    },
  })
}

function ownerOf(doc: { owner: string; _owner?: unknown }): string {
  return typeof doc._owner === 'string' && doc._owner !== '' ? doc._owner : doc.owner
}

async function addRows(tx: Tx, organization: string, period_anchor: string, owner: string): Promise<void> {
  const options = { owner, activity: false }
  if (!(await tx.get(SubscriptionDoctype, organization)))
    await tx.insert(SubscriptionDoctype, { organization, period_anchor }, options)
  if (!(await tx.get(BillingProfileDoctype, organization)))
    await tx.insert(BillingProfileDoctype, { organization }, options)
}

/** Adds these rows to organizations from before they existed. */
export async function addMissingRows(tx: Tx): Promise<void> {
  await transactionLock(tx, 'billing-rows')
  // Filters can't ask for a missing row, and almost always there is none to add: not worth reading every organization.
  const { rows } = await sql<{ name: string; creation: string; owner: string }>`
    select o.name, o.creation, coalesce(o._owner, o.owner) as owner from tab_organization o
    where not exists (select 1 from tab_subscription_organization s where s.name = o.name)
       or not exists (select 1 from tab_billing_profile b where b.name = o.name)`.execute(tx.trx)
  for (const row of rows) await addRows(tx, row.name, row.creation, row.owner)
}
