import { sql } from 'kysely'
import { controller, type Controller } from '#server/contracts/controller.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { freePlan, isOnRequest } from '#shared/rules/plans.ts'
import { SubscriptionDoctype } from '#shared/doctypes/subscription-organization.ts'
import { BillingProfileDoctype } from '#shared/doctypes/billing-profile.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { isPaid, nowOf, type BillingDeps } from './deps.ts'
import { assertNoChange } from './payments/claim-change.ts'
import { payerChanged } from './payments/customer.ts'
import { planNamed, plansIn } from './plans.ts'

/** Billing data of every organization from its creation: plan, subscription row and billing profile. `wake`: of `PaymentWork.payers`. */
export const organizationController = (deps: BillingDeps, wake: () => void): Controller =>
  controller(OrganizationDoctype, {
    async before_insert(doc, { tx }) {
      // The plan requested at sign-up, which begins with its payment where plans are paid for.
      if (doc.plan !== freePlan || isPaid(deps)) return
      const owner = await tx.get(UserDoctype, ownerOf(doc))
      if (owner?.org_sku && !isOnRequest(planNamed(await plansIn(tx), owner.org_sku))) doc.plan = owner.org_sku
    },

    async on_update(doc, before, { tx }) {
      if (isPaid(deps) && (doc._owner !== before._owner || doc.title !== before.title))
        await payerChanged(tx, doc.name, wake)
    },

    async before_delete(doc, { tx }) {
      const row = await tx.get(SubscriptionDoctype, doc.name)
      // It could start a subscription after those of the customer were ended.
      if (row) assertNoChange(row, nowOf(deps))
      if (row?.customer_id == null) return
      await sql`insert into easydash_billing_ended (customer, organization) values (${row.customer_id}, ${doc.name})
      on conflict do nothing`.execute(tx.trx)
    },

    async after_insert(doc, { tx }) {
      const organization = doc.name
      const options = { owner: ownerOf(doc), activity: false }
      await tx.insert(SubscriptionDoctype, { organization, period_anchor: doc.creation }, options)
      await tx.insert(BillingProfileDoctype, { organization }, options)
      // The requested plan applies to one organization only.
      if (await tx.get(UserDoctype, ownerOf(doc)))
        await tx.update(UserDoctype, ownerOf(doc), { org_sku: null }, { activity: false, hooks: false })
    },
  })

function ownerOf(doc: { owner: string; _owner?: unknown }): string {
  return typeof doc._owner === 'string' && doc._owner !== '' ? doc._owner : doc.owner
}
