import type { UserProfile } from '#shared/responses/billing.ts'

/** The name of the method that returns it. */
export const profileMethod =
  'easydash.easydash.doctype.subscription_organization.subscription_organization.get_user_profile'

/** A billing profile without an address, besides its country. */
export const billingProfile = (country: string): UserProfile => ({
  user_info: { first_name: 'Ann', last_name: 'Owner' },
  billing_info: {
    ...{ billing_name: '', tax_id: '', is_tax_id_refused: false },
    primary_address: { address_line1: '', address_line2: '', city: '', state: '', pincode: '', country },
  },
})
