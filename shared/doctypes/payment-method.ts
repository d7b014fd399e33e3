import { doctype, type Doc } from '../doctype.ts'
import { check, data, int, link } from '../fields.ts'

const mirrored = { read_only: true, server_owned: true } as const
const text = { ...mirrored, refuses_card_numbers: true } as const

/**
 * A card of an organization, as far as the payment provider tells: enough to recognize it. Rows mirror the provider, where
 * cards are entered and kept. Only the owner sees them.
 */
export const PaymentMethodDoctype = doctype('Payment Method', {
  module: 'core',
  tenant: { kind: 'link', field: 'organization' },
  naming: 'random',
  title_field: 'last4',
  plural: 'Payment methods',
  // What the owner does is recorded as an action; the rows only follow.
  track_activity: false,
  fields: {
    organization: link('Organization', { reqd: true, ...mirrored }),
    /** As the provider names it: `visa`, `mastercard` … */
    brand: data({ ...text, in_list_view: true }),
    last4: data({ ...text, length: 4, in_list_view: true, label: 'Last digits' }),
    exp_month: int({ ...mirrored, in_list_view: true, label: 'Expiry month' }),
    exp_year: int({ ...mirrored, in_list_view: true, label: 'Expiry year' }),
    is_default: check({ ...mirrored, in_list_view: true, label: 'Default' }),
    /** Its id at the provider. */
    provider_id: data({ ...text, hidden: true }),
    /** Month and year of the expiry that the owner was told about, so that it is told once. */
    warned_expiry: data({ ...text, hidden: true, length: 7 }),
  },
  list: { order_by: 'creation desc' },
  permissions: {
    'Platform Admin': { read: true },
    Owner: { read: true },
  },
  indexes: [{ fields: ['provider_id'], unique: true, where: 'provider_id is not null' }],
  actions: {
    set_default: {
      label: 'Set as default',
      activity: 'made a card the default',
      allow: { Owner: true },
      tokens: false,
      returns: 'Nothing',
    },
    remove: {
      label: 'Remove',
      activity: 'removed a card',
      allow: { Owner: true },
      tokens: false,
      danger: true,
      confirm: 'It can no longer be charged. Invoices that it paid stay.',
      returns: 'Nothing',
    },
  },
})

/** A card as mirrored. */
export type PaymentMethod = Doc<typeof PaymentMethodDoctype>
