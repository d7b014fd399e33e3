import { doctype, type Doc } from '../doctype.ts'
import { data, link } from '../fields.ts'

const written = { refuses_card_numbers: true } as const

/** Who an organization's invoices are written to. One row for each organization, named like it; the owner's business. */
export const BillingProfileDoctype = doctype('Billing Profile', {
  module: 'core',
  tenant: 'organization',
  naming: 'field:organization',
  title_field: 'organization',
  plural: 'Billing profiles',
  // The log of an organization is read by more people than its address: its controller writes what changed, not to what.
  track_activity: false,
  fields: {
    organization: link('Organization', { reqd: true, read_only: true, server_owned: true }),
    billing_name: data({ ...written, label: 'Company name' }),
    address_line1: data({ ...written, label: 'Address line 1' }),
    address_line2: data({ ...written, label: 'Address line 2' }),
    city: data({ ...written, label: 'City/Town' }),
    state: data({ ...written, label: 'State/Province' }),
    pincode: data({ ...written, length: 20, label: 'Postal code' }),
    /** Two letters of ISO 3166-1, lower case. */
    country: data({ ...written, length: 2 }),
  },
  permissions: {
    'Platform Admin': { read: true },
    Owner: { read: true, write: true },
  },
})

/** A billing profile. */
export type BillingProfile = Doc<typeof BillingProfileDoctype>
