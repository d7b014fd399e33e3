import { controller, ExternalCall, type Controller } from '#server/contracts/controller.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { detachCard, makeSetupIntent, readSetupIntent, setDefaultCard } from '#server/providers/stripe/cards.ts'
import { isUnknown } from '#server/providers/stripe/stripe-client.ts'
import { payInvoice } from '#server/providers/stripe/subscriptions.ts'
import { PaymentMethodDoctype } from '#shared/doctypes/payment-method.ts'
import { SubscriptionDoctype } from '#shared/doctypes/subscription-organization.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { isObject } from '#shared/parse-json.ts'
import { inSystem, paidDeps, type BillingDeps, type PaidDeps } from '../deps.ts'
import { customerOf, sendPayer } from './customer.ts'
import { refresh } from './refresh.ts'

/** Actions of cards. */
export function cardController(deps: BillingDeps): Controller {
  return controller(PaymentMethodDoctype, {
    actions: {
      async set_default(doc) {
        const paid = paidDeps(deps)
        const { organization, provider_id } = doc
        return new ExternalCall(async () => {
          await makeDefault(paid, organization, String(provider_id))
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
  const intent = await known(readSetupIntent(deps.payments.api, id))
  if (intent === null || intent.customer === null || intent.customer !== row?.customer_id) throw notOurs()
  if (!intent.succeeded || intent.method === null)
    throw new AppError('invalid', msg`The card is not confirmed yet.`, {
      field: 'setupIntent',
      nextAction: msg`Enter it again.`,
    })
  const { method } = intent
  const find = () =>
    inSystem(deps, (tx) =>
      tx.find(PaymentMethodDoctype, [
        ['provider_id', '=', method],
        ['organization', '=', organization],
      ]),
    )
  // An event may have told of the card before. Called again, it must not undo what the owner chose since.
  const wasChosen = (await find())?.is_default === 1
  if (!wasChosen) await makeDefault(deps, organization, method, id)
  const card = await find()
  if (!card) throw notOurs()
  return { payment_method: card.name }
}

/** One error for what is not there and for what belongs to somebody else. */
const notOurs = () =>
  new AppError('invalid', msg`This card was not entered for this organization.`, {
    field: 'setupIntent',
    nextAction: msg`Enter it again.`,
  })

async function known<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read
  } catch (error) {
    if (isUnknown(error)) return null
    throw error
  }
}

function intentId(said: unknown): string {
  const id = isObject(said) ? said['id'] : null
  if (typeof id === 'string' && /^seti_\w{1,200}$/.test(id)) return id
  throw new AppError('invalid', msg`The setup intent has no id.`, { field: 'setupIntent' })
}

/**
 * Makes a card the one that pays, tries it on what is open, and reads what came of that. `intent`: as in `setDefaultCard`.
 */
async function makeDefault(
  deps: PaidDeps,
  organization: string,
  method: string,
  intent: string | null = null,
): Promise<void> {
  const customer = await customerOf(deps, organization)
  await setDefaultCard(deps.payments.api, customer, method, intent)
  const reading = await refresh(deps, organization, 'action')
  const open = reading?.subscription?.payment
  const isChosen = reading?.cards?.some(({ id, isDefault }) => id === method && isDefault)
  if (open?.state !== 'failed' || !isChosen) return
  await payInvoice(deps.payments.api, open.invoice, method)
  await refresh(deps, organization, 'action')
}
