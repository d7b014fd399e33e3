import { randomInt } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
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
  if (payer === null) return
  await updateCustomer(deps.payments.api, customer, payer)
  await inSystem(deps, async (tx) => {
    const row = await lockedSubscription(tx, organization)
    if (row.payer_due === 1 && isDeepStrictEqual(await payerOf(tx, organization), payer))
      await tx.updateColumns(SubscriptionDoctype, organization, { payer_due: 0 })
  })
}

/** Who pays has changed: noted in the transaction that changed it, so that the provider hears of it whenever it answers. */
export async function payerChanged(tx: Tx, organization: string, wake: () => void): Promise<void> {
  const row = await tx.get(SubscriptionDoctype, organization)
  if (row?.customer_id == null) return
  await tx.updateColumns(SubscriptionDoctype, organization, { payer_due: 1 })
  tx.afterCommit(wake)
}

/** Tells the provider of every change that it has not heard of. */
export async function tellPayers(deps: PaidDeps): Promise<void> {
  const rows = await inSystem(deps, (tx) => tx.list(SubscriptionDoctype, [['payer_due', '=', 1]]))
  for (const { name, customer_id } of rows) {
    try {
      if (customer_id !== null) await sendPayer(deps, name, customer_id)
    } catch (error) {
      deps.log.error('The payment provider could not be told who pays', { organization: name, error })
    }
  }
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
