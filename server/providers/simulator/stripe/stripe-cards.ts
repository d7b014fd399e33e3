/** The vendor's test cards, as far as they differ for billing. */
import type { IntentError, PaymentMethod } from './stripe-state.ts'

interface TestCard {
  readonly brand: 'visa' | 'mastercard' | 'amex' | 'discover'
  /** What happens when it is set up. Default: it works. */
  readonly setup?: IntentError | 'authenticate'
  /** What happens when it is charged. Default: it works. */
  readonly charge?: IntentError | 'authenticate'
}

const decline = (decline_code: string, message = 'Your card was declined.', code = 'card_declined'): IntentError => ({
  type: 'card_error',
  code,
  message,
  decline_code,
})

/** One that is never accepted. */
const refused = (error: IntentError): TestCard => ({ brand: 'visa', setup: error, charge: error })

const wrongNumber: IntentError = {
  type: 'card_error',
  code: 'incorrect_number',
  message: 'Your card number is incorrect.',
  param: 'number',
}

const testCards: Readonly<Record<string, TestCard>> = {
  '4242424242424242': { brand: 'visa' },
  '5555555555554444': { brand: 'mastercard' },
  '378282246310005': { brand: 'amex' },
  '6011111111111117': { brand: 'discover' },
  '4242424242424241': refused(wrongNumber),
  '4000000000000002': refused(decline('generic_decline')),
  '4000000000009995': refused(decline('insufficient_funds', 'Your card has insufficient funds.')),
  '4000000000009987': refused(decline('lost_card')),
  '4000000000009979': refused(decline('stolen_card')),
  '4000000000000069': refused({
    ...decline('expired_card', 'Your card has expired.', 'expired_card'),
    param: 'exp_month',
  }),
  '4000000000000127': refused({
    ...decline('incorrect_cvc', "Your card's security code is incorrect.", 'incorrect_cvc'),
    param: 'cvc',
  }),
  '4000000000000119': refused(
    decline(
      'processing_error',
      'An error occurred while processing your card. Try again in a little bit.',
      'processing_error',
    ),
  ),
  /** Can be set up, but not charged. */
  '4000000000000341': { brand: 'visa', charge: decline('generic_decline') },
  /** Asks when it is set up, then no more. */
  '4000002500003155': { brand: 'visa', setup: 'authenticate' },
  /** Asks each time. */
  '4000002760003184': { brand: 'visa', setup: 'authenticate', charge: 'authenticate' },
}

/** Names that stand for a card where the secret key is used. */
export const cardTokens: Readonly<Record<string, string>> = {
  pm_card_visa: '4242424242424242',
  pm_card_mastercard: '5555555555554444',
  pm_card_amex: '378282246310005',
  pm_card_chargeDeclined: '4000000000000002',
  pm_card_chargeCustomerFail: '4000000000000341',
  pm_card_authenticationRequiredOnSetup: '4000002500003155',
  pm_card_authenticationRequired: '4000002760003184',
}

const testCardOf = (number: string): TestCard =>
  testCards[number] ??
  refused(
    decline('test_mode_live_card', 'Your card was declined. Your request was in test mode, but used a non test card.'),
  )

export const brandOf = (number: string): string => testCardOf(number).brand

/** Whether the card's last month is over. */
export function isExpired(
  { expYear, expMonth }: Pick<PaymentMethod, 'expYear' | 'expMonth'>,
  seconds: number,
): boolean {
  return seconds * 1000 >= Date.UTC(expYear, expMonth, 1)
}

/** What happens when a card is set up or charged; null: it works. */
export function outcomeOf(
  card: Pick<PaymentMethod, 'number' | 'expYear' | 'expMonth'>,
  use: 'setup' | 'charge',
  seconds: number,
): IntentError | 'authenticate' | null {
  if (isExpired(card, seconds)) return testCards['4000000000000069']?.charge ?? null
  return testCardOf(card.number)[use] ?? null
}
