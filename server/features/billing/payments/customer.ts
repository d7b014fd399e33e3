import { randomInt } from 'node:crypto'
import type { Tx } from '#server/contracts/transaction.ts'
import { customerWithMark, updateCustomer, type PayerDetails } from '#server/providers/stripe/cards.ts'
import { BillingProfileDoctype } from '#shared/doctypes/billing-profile.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { SubscriptionDoctype, type Subscription } from '#shared/doctypes/subscription-organization.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { inSystem, type PaidDeps } from '../deps.ts'

/** Text that nobody else chooses. Of letters only: digits could happen to look like the number of a card. */
export const newMark = (): string => Array.from({ length: 28 }, () => String.fromCharCode(97 + randomInt(26))).join('')

/** The subscription row of an organization, locked like the actions lock it: the organization first. */
export async function lockedSubscription(tx: Tx, organization: string): Promise<Subscription> {
  await tx.get(OrganizationDoctype, organization, { lock: true })
  const row = await tx.get(SubscriptionDoctype, organization, { lock: true })
  if (!row) throw new AppError('not_found', msg`Organization ${organization} not found`)
  return row
}

/**
 * The customer of an organization at the provider. Its mark is stored before it is made, and it is looked for by that mark
 * before it is made, so there is one, whatever breaks off in between.
 */
export async function customerOf(deps: PaidDeps, organization: string): Promise<string> {
  const { customer_id, customer_mark } = await inSystem(deps, async (tx) => {
    const row = await lockedSubscription(tx, organization)
    if (row.customer_id !== null || row.customer_mark !== null) return row
    const mark = newMark()
    await tx.updateColumns(SubscriptionDoctype, organization, { customer_mark: mark })
    return { ...row, customer_mark: mark }
  })
  if (customer_id !== null) return customer_id
  const made = await customerWithMark(deps.payments.api, organization, String(customer_mark))
  await inSystem(deps, async (tx) => {
    await lockedSubscription(tx, organization)
    await tx.updateColumns(SubscriptionDoctype, organization, { customer_id: made })
  })
  await sendPayer(deps, organization, made)
  return made
}

/** Tells the provider what invoices say about who pays. */
export async function sendPayer(deps: PaidDeps, organization: string, customer: string): Promise<void> {
  const payer = await inSystem(deps, (tx) => payerOf(tx, organization))
  if (payer !== null) await updateCustomer(deps.payments.api, customer, payer)
}

/** Tells it after the commit. If the provider does not hear it, it does with the next card or change. */
export function tellPayer(deps: PaidDeps, tx: Tx, organization: string): void {
  tx.afterCommit(async () => {
    const row = await inSystem(deps, (later) => later.get(SubscriptionDoctype, organization))
    if (row?.customer_id) await sendPayer(deps, organization, row.customer_id)
  })
}

async function payerOf(tx: Tx, name: string): Promise<PayerDetails | null> {
  const organization = await tx.get(OrganizationDoctype, name)
  const profile = await tx.get(BillingProfileDoctype, name)
  if (!organization) return null
  return {
    name: profile?.billing_name ?? organization.title,
    email: organization._owner ?? organization.owner,
    address: {
      line1: profile?.address_line1 ?? '',
      line2: profile?.address_line2 ?? '',
      city: profile?.city ?? '',
      state: profile?.state ?? '',
      postal_code: profile?.pincode ?? '',
      country: (profile?.country ?? '').toUpperCase(),
    },
  }
}
