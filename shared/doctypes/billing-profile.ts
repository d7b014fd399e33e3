import { doctype, type Doc } from '../doctype.ts'
import { data, link } from '../fields.ts'

/** Who an organization's invoices are written to. One row for each organization, named like it; the owner's business. */
export const BillingProfileType = doctype('Billing Profile', {
  module: 'core',
  tenant: 'organization',
  naming: 'field:organization',
  title_field: 'organization',
  plural: 'Billing profiles',
  // The log of an organization is read by more people than its address: its controller writes what changed, not to what.
  track_activity: false,
  fields: {
    organization: link('Organization', { reqd: true, read_only: true, server_owned: true }),
    billing_name: data({ label: 'Company name' }),
    address_line1: data({ label: 'Address line 1' }),
    address_line2: data({ label: 'Address line 2' }),
    city: data({ label: 'City/Town' }),
    state: data({ label: 'State/Province' }),
    pincode: data({ length: 20, label: 'Postal code' }),
    /** Two letters of ISO 3166-1, lower case. */
    country: data({ length: 2 }),
  },
  permissions: {
    'Platform Admin': { read: true },
    Owner: { read: true, write: true },
  },
})

/** A billing profile. */
export type BillingProfile = Doc<typeof BillingProfileType>
