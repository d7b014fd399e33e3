/** Expectations for plans, cards and invoices. */

const money = { row: 'plan change, invoices, cards, billing profile', tokens: false } as const

/** Doctypes by name. */
export const billingDeclarations = {
  'Subscription Organization': { probe: { scheduled_plan: 'Free' } },
  'Payment Method': { probe: { brand: 'probe' } },
  Invoice: { probe: { number: 'probe' } },
  'Billing Profile': {
    writable: 'billing_name address_line1 address_line2 city state pincode country tax_id',
    probe: { city: 'probe' },
  },
}

/** Actions by `Doctype.action`. */
export const billingActions = {
  'Subscription Organization.change_plan': { ...money, verb: 'plan' },
  ...Object.fromEntries(
    [
      ...['cancel_plan', 'reactivate_plan', 'undo_plan', 'preview_plan', 'refresh'].map(
        (name) => `Subscription Organization.${name}`,
      ),
      ...['create_setup_intent', 'add_payment_method'].map((name) => `Subscription Organization.${name}`),
      ...['set_default', 'remove'].map((name) => `Payment Method.${name}`),
    ].map((name) => [name, { ...money, letter: 'W' as const }]),
  ),
}

/** Fields never sent to clients. */
export const billingHidden: Readonly<Record<string, readonly string[]>> = {
  'Subscription Organization': [
    ...[
      'customer_mark',
      'customer_id',
      'payer_due',
      'payer_refused',
      'payer_tax_id',
      'subscription_id',
      'price',
      'price_currency',
      'billed_until',
      'is_grant_ending',
      'unpaid_since',
      'reminders',
      'reading',
    ],
    ...['payment_state', 'payment_amount', 'payment_currency', 'payment_secret', 'change', 'change_until'],
  ],
  'Payment Method': ['provider_id', 'warned_expiry'],
  Invoice: ['provider_id', 'payment_id'],
}
