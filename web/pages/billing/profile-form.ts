import type { UserProfile } from '#shared/responses/billing.ts'
import { data } from '#shared/fields.ts'
import { countryOf } from '#shared/rules/countries.ts'
import type { FormDescription, FormValues } from '#web/documents/form/form-state.ts'
import { t } from './messages.ts'

/** Editable fields, with the names of `set_customer_details` (docs/contracts/screens.md, sections 2, 5 and 7). */
export const profileForm: FormDescription = {
  fields: {
    billing_name: data({ label: t('profile.company') }),
    address_line_1: data({ reqd: true, label: t('profile.line1') }),
    address_line_2: data({ label: t('profile.line2') }),
    company_country: data({ reqd: true, label: t('profile.country') }),
    company_state: data({ reqd: true, label: t('profile.state') }),
    company_city: data({ reqd: true, label: t('profile.city') }),
    company_pincode: data({ reqd: true, length: 20, label: t('profile.pincode') }),
    tax_id: data({ length: 40, label: t('profile.tax_id') }),
  },
  names: [
    'billing_name',
    'address_line_1',
    'address_line_2',
    'company_country',
    'company_state',
    'company_city',
    'company_pincode',
    'tax_id',
  ],
}

/** Form values of a stored profile; the country as its code, '' if there is none yet. */
export function profileValues({ billing_info }: UserProfile): FormValues {
  const address = billing_info.primary_address
  return {
    billing_name: billing_info.billing_name,
    address_line_1: address.address_line1,
    address_line_2: address.address_line2,
    company_country: countryOf(address.country)?.code ?? '',
    company_state: address.state,
    company_city: address.city,
    company_pincode: address.pincode,
    tax_id: billing_info.tax_id,
  }
}

/** `customer_data` of `set_customer_details`: every field, trimmed, including empty ones. */
export function customerData(values: FormValues): string {
  return JSON.stringify(Object.fromEntries(profileForm.names.map((name) => [name, String(values[name] ?? '').trim()])))
}

/** Whether any value differs from the stored one. */
export function isChanged(values: FormValues, stored: FormValues): boolean {
  return profileForm.names.some((name) => String(values[name] ?? '') !== String(stored[name] ?? ''))
}
