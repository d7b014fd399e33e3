import { doctype } from '../doctype.ts'
import { check, data, link } from '../fields.ts'

const written = { refuses_card_numbers: true } as const

/** Recipient of an organization's invoices. One row per organization, with the same name. Only the owner can edit it. */
export const BillingProfileDoctype = doctype('Billing Profile', {
  module: 'core',
  tenant: { kind: 'link', field: 'organization' },
  naming: 'field:organization',
  title_field: 'organization',
  plural: 'Billing profiles',
  // What the payment provider said about who pays is stored under this lock.
  with_organization: true,
  // More people can read the activity log than the address, so the controller records which fields changed but not their
  // values.
  track_activity: false,
  fields: {
    organization: link('Organization', { reqd: true, set_only_once: true }),
    billing_name: data({ ...written, label: 'Company name' }),
    address_line1: data({ ...written, label: 'Address line 1' }),
    address_line2: data({ ...written, label: 'Address line 2' }),
    city: data({ ...written, label: 'City/Town' }),
    state: data({ ...written, label: 'State/Province' }),
    pincode: data({ ...written, length: 20, label: 'Postal code' }),
    /** ISO 3166-1 alpha-2 code in lower case. */
    country: data({ ...written, length: 2 }),
    tax_id: data({ ...written, length: 40, label: 'Tax number' }),
    /** The payment provider does not take the tax number, so invoices go without it. */
    is_tax_id_refused: check({ read_only: true, server_owned: true, label: 'Tax number refused' }),
  },
  permissions: {
    'Platform Admin': { read: true },
    Owner: { read: true, write: true },
  },
})
