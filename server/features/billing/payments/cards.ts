import { sql } from 'kysely'
import { controller, ExternalCall, type Controller } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { detachCard, makeSetupIntent, readCards, readSetupIntent } from '#server/providers/stripe/cards.ts'
import { isUnknown } from '#server/providers/stripe/stripe-client.ts'
import { payInvoice, readSubscription } from '#server/providers/stripe/subscriptions.ts'
import { PaymentMethodDoctype } from '#shared/doctypes/payment-method.ts'
import { SubscriptionDoctype } from '#shared/doctypes/subscription-organization.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { isObject } from '#shared/parse-json.ts'
import { inSystem, nowOf, paidDeps, type BillingDeps, type PaidDeps } from '../deps.ts'
import type { FoundBy } from './apply-subscription.ts'
import { lastChoice, storeChoice, writeChoice, type CardChoice } from './card-choice.ts'
import { assertNoChange, whileClaimed } from './claim-change.ts'
import { customerOf, sendPayer } from './customer.ts'
import { refresh } from './refresh.ts'

/** Actions of cards. */
export function cardController(deps: BillingDeps): Controller {
  return controller(PaymentMethodDoctype, {
    actions: {
      async set_default(doc, _args, { tx }) {
        const paid = paidDeps(deps)
        const { organization, provider_id } = doc
        const row = await tx.get(SubscriptionDoctype, organization)
        if (row) assertNoChange(row, nowOf(deps))
        return new ExternalCall(async () => {
          const card = {
            ...{ organization, customer: await customerOf(paid, organization), method: String(provider_id) },
            ...{ at: secondsNow(paid), intent: null, foundBy: 'action' as const },
          }
          await inSystem(paid, (own) => storeChoice(own, card, true))
          await makeDefault(paid, card)
          return null
        })
      },

      async remove(doc, _args, { tx }) {
        const paid = paidDeps(deps)
        const { organization, provider_id } = doc
        await assertNotNeeded(tx, organization)
        return new ExternalCall(async () => {
          await ignoreUnknown(detachCard(paid.payments.api, String(provider_id)))
          await refresh(paid, organization, 'action')
          return null
        })
      },
    },
  })
}

/** A running plan keeps a card: without one its renewal fails. */
async function assertNotNeeded(tx: Tx, organization: string): Promise<void> {
  const row = await tx.get(SubscriptionDoctype, organization)
  const cards = await tx.count(PaymentMethodDoctype, [['organization', '=', organization]])
  if (cards > 1 || row?.subscription_id == null || row.cancelation_date !== null) return
  throw new AppError('invalid', msg`This card pays the plan.`, {
    nextAction: msg`Add another one first, or cancel the plan.`,
  })
}

/** What the provider no longer has is gone, as wanted. */
async function ignoreUnknown(call: Promise<void>): Promise<void> {
  try {
    await call
  } catch (error) {
    if (!isUnknown(error)) throw error
  }
}

/** Lets the browser of the owner hand a card to the provider. */
export async function createSetupIntent(deps: PaidDeps, organization: string): Promise<{ client_secret: string }> {
  // Whoever tries stolen cards needs one of these for each.
  await deps.payments.rateLimiter.hit('setup_intent', organization)
  const customer = await customerOf(deps, organization)
  await sendPayer(deps, organization, customer)
  return { client_secret: await makeSetupIntent(deps.payments.api, customer, organization) }
}

/** Takes over a card that the provider has. Of what the browser says, only the id of the setup intent is believed. */
export async function addPaymentMethod(
  deps: PaidDeps,
  organization: string,
  said: unknown,
): Promise<{ payment_method: string }> {
  const id = intentId(said)
  const row = await inSystem(deps, (tx) => tx.get(SubscriptionDoctype, organization))
  const customer = row?.customer_id ?? null
  const intent = await readSetupIntent(deps.payments.api, id)
  if (customer === null || intent?.customer !== customer) throw notOurs()
  const { method } = intent
  if (!intent.succeeded || method === null)
    throw new AppError('invalid', msg`The card is not confirmed yet.`, {
      field: 'setupIntent',
      nextAction: msg`Enter it again.`,
    })
  await takeOver(deps, { organization, customer, method, at: secondsNow(deps), intent: id, foundBy: 'action' })
  const card = await inSystem(deps, (tx) =>
    tx.find(PaymentMethodDoctype, [
      ['provider_id', '=', method],
      ['organization', '=', organization],
    ]),
  )
  if (!card) throw notOurs()
  return { payment_method: card.name }
}

/**
 * Does the same for a browser that was closed before it could ask: an event told that a setup intent has succeeded. One that was
 * not made here, or whose card was removed since, changes nothing. Returns false if there is more to do once a change of the plan
 * has ended.
 */
export async function addCardOfEvent(
  deps: PaidDeps,
  told: Pick<EnteredCard, 'organization' | 'customer' | 'intent' | 'at'>,
): Promise<boolean> {
  const { api } = deps.payments
  const found = await readSetupIntent(api, told.intent)
  if (!found?.succeeded || !found.isOurs || found.customer !== told.customer) return true
  const method = (await readCards(api, told.customer))?.find(({ id }) => id === found.method)?.id
  return method === undefined || takeOver(deps, { ...told, method, foundBy: 'provider' })
}

/** The time of what somebody does here, whole seconds as the provider's. */
const secondsNow = (deps: PaidDeps): number => Math.floor(nowOf(deps) / 1000)

/** A card to pay with from now on. */
interface NewCard extends CardChoice {
  readonly organization: string
  /** The setup intent that it was entered with; null: it was there before. */
  readonly intent: string | null
  readonly foundBy: FoundBy
}

type EnteredCard = NewCard & { readonly intent: string }

/**
 * Pays with a new card from now on, once: what tells of it again, a browser or an event that is days late, must not undo what the
 * owner chose since. Nor does an event that is late when it first tells. Returns as `makeDefault`.
 */
async function takeOver(deps: PaidDeps, card: EnteredCard): Promise<boolean> {
  const { intent } = card
  const isNext = await inSystem(deps, async (tx) => {
    const done = await sql`select intent from easydash_billing_card where intent = ${intent}`.execute(tx.trx)
    return done.rows.length === 0 && storeChoice(tx, card, card.foundBy === 'action')
  })
  if (isNext && !(await makeDefault(deps, card))) return false
  await inSystem(deps, ({ trx }) =>
    sql`insert into easydash_billing_card (intent) values (${intent}) on conflict do nothing`.execute(trx),
  )
  return true
}

/** One error for what is not there and for what belongs to somebody else. */
const notOurs = () =>
  new AppError('invalid', msg`This card was not entered for this organization.`, {
    field: 'setupIntent',
    nextAction: msg`Enter it again.`,
  })

function intentId(said: unknown): string {
  const id = isObject(said) ? said['id'] : null
  if (typeof id === 'string' && /^seti_\w{1,200}$/.test(id)) return id
  throw new AppError('invalid', msg`The setup intent has no id.`, { field: 'setupIntent' })
}

/**
 * Makes a card the one that pays, tries it on what is open, and reads what came of that. Returns false if it was not tried, because
 * the plan is being changed: what is open then may be what the change pays, or takes back.
 */
async function makeDefault(deps: PaidDeps, { organization, foundBy, intent, ...choice }: NewCard): Promise<boolean> {
  const { customer, method } = choice
  await writeChoice(deps, choice, intent)
  const reading = await refresh(deps, organization, foundBy)
  const isChosen = reading?.cards?.some(({ id, isDefault }) => id === method && isDefault)
  if (reading?.subscription?.payment?.state !== 'failed' || !isChosen) return true
  const { api } = deps.payments
  const isTried = await whileClaimed(deps, organization, async () => {
    const open = (await readSubscription(api, customer))?.payment
    if (open?.state === 'failed' && (await lastChoice(deps, customer)) === method)
      await payInvoice(api, open.invoice, method, intent)
  })
  if (isTried) await refresh(deps, organization, foundBy)
  return isTried
}
