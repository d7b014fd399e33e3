import { randomInt } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { customerWithMark, updateCustomer, type PayerDetails } from '#server/providers/stripe/cards.ts'
import { customerUrl, isUnreachable } from '#server/providers/stripe/stripe-client.ts'
import { ProviderError } from '#server/providers/provider-error.ts'
import { taxIdOf, writeTaxId, type TaxId } from '#server/providers/stripe/tax-ids.ts'
import { BillingProfileDoctype } from '#shared/doctypes/billing-profile.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { SubscriptionDoctype, type Subscription } from '#shared/doctypes/subscription-organization.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { inSystem, nowOf, type PaidDeps } from '../deps.ts'

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
    await tx.updateColumns(SubscriptionDoctype, organization, { customer_id: made, payer_due: 1 })
  })
  await sendPayer(deps, organization, made)
  return made
}

/** Tells the provider who pays, if it has not heard of the last change: first thing before it counts or charges money. */
export async function tellPayer(deps: PaidDeps, organization: string): Promise<void> {
  const row = await inSystem(deps, (tx) => tx.get(SubscriptionDoctype, organization))
  if (row?.payer_due === 1 && row.customer_id !== null) await sendPayer(deps, organization, row.customer_id)
}

/** Tells the provider what invoices say about who pays. */
export async function sendPayer(deps: PaidDeps, organization: string, customer: string): Promise<void> {
  const payer = await inSystem(deps, (tx) => payerOf(tx, organization))
  if (payer === null) return
  try {
    await write(deps, organization, customer, payer)
  } catch (error) {
    await inSystem(deps, async (tx) => {
      await lockedSubscription(tx, organization)
      const isRefused = !isUnreachable(error) && (await isStill(tx, organization, payer))
      await tx.updateColumns(SubscriptionDoctype, organization, {
        // Some of it may have arrived.
        payer_due: 1,
        payer_refused: isRefused ? formatTimestamp(nowOf(deps)) : null,
      })
    })
    throw error
  }
}

async function write(deps: PaidDeps, organization: string, customer: string, payer: Payer): Promise<void> {
  const { api } = deps.payments
  const { taxId, taxIdMade, hasTaxId, ...details } = payer
  await updateCustomer(api, customer, details)
  const { id, isRefused } = await writeTaxId(api, customer, taxId, taxIdMade)
  await inSystem(deps, async (tx) => {
    const row = await lockedSubscription(tx, organization)
    const isSame = await isStill(tx, organization, payer)
    if (id !== taxIdMade) await tx.updateColumns(SubscriptionDoctype, organization, { payer_tax_id: id })
    if (!isSame) {
      // What has changed meanwhile is told next, even if that was done already: this may have arrived after it.
      await tx.updateColumns(SubscriptionDoctype, organization, { payer_due: 1 })
      return
    }
    await tx.updateColumns(BillingProfileDoctype, organization, {
      is_tax_id_refused: isRefused || (hasTaxId && taxId === null) ? 1 : 0,
    })
    if (row.payer_due === 1)
      await tx.updateColumns(SubscriptionDoctype, organization, { payer_due: 0, payer_refused: null })
  })
}

const isStill = async (tx: Tx, organization: string, payer: Payer): Promise<boolean> =>
  isDeepStrictEqual(await payerOf(tx, organization), payer)

/** Who pays has changed: noted in the transaction that changed it, so that the provider hears of it whenever it answers. */
export async function payerChanged(tx: Tx, organization: string, wake: () => void): Promise<void> {
  const row = await tx.get(SubscriptionDoctype, organization, { lock: true })
  if (row?.customer_id == null) return
  await tx.updateColumns(SubscriptionDoctype, organization, { payer_due: 1, payer_refused: null })
  tx.afterCommit(wake)
}

/** Where the operator sees customers at the provider, by organization. */
export async function customerUrls(
  { payments: { api } }: PaidDeps,
  tx: Tx,
  organizations: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.listFields(
    SubscriptionDoctype,
    ['name', 'customer_id'],
    [
      ['name', 'in', organizations],
      ['customer_id', 'is', 'set'],
    ],
  )
  return new Map(rows.map(({ name, customer_id }) => [name, customerUrl(api, String(customer_id))]))
}

/** How long after a refusal the same is told again. */
const refusedMs = 3_600_000

/** Tells the provider of every change that it has not heard of. Throws at once while it answers nobody. */
export async function tellPayers(deps: PaidDeps): Promise<void> {
  const isDue = [
    ['payer_due', '=', 1],
    ['customer_id', 'is', 'set'],
  ] as const
  const or_filters = [
    ['payer_refused', 'is', 'not set'],
    ['payer_refused', '<=', formatTimestamp(nowOf(deps) - refusedMs)],
  ] as const
  const rows = await inSystem(deps, (tx) => tx.list(SubscriptionDoctype, isDue, { or_filters }))
  for (const { name, customer_id } of rows) {
    try {
      await sendPayer(deps, name, String(customer_id))
    } catch (error) {
      if (isUnreachable(error)) throw error
      const level = error instanceof ProviderError ? 'warn' : 'error'
      deps.log[level]('The payment provider did not take who pays', { organization: name, error })
    }
  }
}

/** Who pays, with their tax number. */
type Payer = PayerDetails & {
  /** Null also for one of a country whose numbers the provider does not take. */
  readonly taxId: TaxId | null
  readonly hasTaxId: boolean
  /** Id of what is there for it. */
  readonly taxIdMade: string | null
}

async function payerOf(tx: Tx, name: string): Promise<Payer | null> {
  const organization = await tx.get(OrganizationDoctype, name)
  const profile = await tx.get(BillingProfileDoctype, name)
  const row = await tx.get(SubscriptionDoctype, name)
  if (!organization || !row) return null
  return {
    taxId: taxIdOf(profile?.country ?? '', profile?.tax_id ?? ''),
    hasTaxId: (profile?.tax_id ?? '') !== '',
    taxIdMade: row.payer_tax_id,
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
