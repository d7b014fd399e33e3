import { ApiError, toApiError, unreadableMessage } from '#web/lib/api/api-error.ts'
import { call } from '#web/lib/api/api.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { tCard } from './messages.ts'
import type { CardElement, PaymentScript } from './provider-script.ts'

/** The address form of a card. */
export interface CardOwner {
  readonly nameOnCard: string
  readonly address: string
  readonly city: string
  readonly state: string
  readonly postalCode: string
  /** ISO 3166-1 code in lower case. */
  readonly country: string
}

/** Errors other than the provider's: the specified sentence, then what is known. */
async function orFailed<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new ApiError(tCard('add.failed'), { nextAction: fullMessage(toApiError(error)) })
  }
}

/**
 * Has the provider verify a card, which asks the bank where it has to. Returns the setup intent, of which the server reads
 * only the ID. @throws ApiError with the provider's message if the card was refused
 */
export async function verifyCard(script: PaymentScript, card: CardElement, owner: CardOwner): Promise<object> {
  const secret = await orFailed(async () => {
    const answer = await call<unknown>('easydash.api.payment_subscription.create_setup_intent')
    if (typeof answer !== 'string') throw new ApiError(unreadableMessage)
    return answer
  })
  const billing_details = {
    name: owner.nameOnCard.trim(),
    address: {
      line1: owner.address.trim(),
      city: owner.city.trim(),
      state: owner.state.trim(),
      country: owner.country.toUpperCase(),
      postal_code: owner.postalCode.trim(),
    },
  }
  const { setupIntent, error } = await orFailed(() =>
    script.confirmCardSetup(secret, { payment_method: { card, billing_details } }),
  )
  if (error || !setupIntent) throw new ApiError(error?.message || tCard('add.unconfirmed'))
  return setupIntent
}

/** Adds a verified card to the organization. Repeating it changes nothing. */
export async function saveCard(setupIntent: object): Promise<void> {
  await orFailed(() =>
    call('easydash.api.payment_subscription.add_payment_method', { setupIntent: JSON.stringify(setupIntent) }),
  )
}
