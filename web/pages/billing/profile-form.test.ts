import { expect, test } from 'vitest'
import type { UserProfile } from '#shared/responses/billing.ts'
import { checkForm } from '#web/documents/form/form-state.ts'
import { customerData, isChanged, profileForm, profileValues } from './profile-form.ts'

const profile: UserProfile = {
  user_info: { first_name: 'Ada', last_name: 'Berg' },
  billing_info: {
    billing_name: 'Fernhill Web',
    tax_id: 'DE123456789',
    is_tax_id_refused: false,
    primary_address: {
      address_line1: 'Lane 1',
      address_line2: '',
      city: 'Bonn',
      state: 'NRW',
      pincode: '53111',
      country: 'Germany',
    },
  },
}

test('the stored profile fills the form, with the country as its code', () => {
  const values = profileValues(profile)
  expect(values).toMatchObject({ billing_name: 'Fernhill Web', company_country: 'de', company_pincode: '53111' })
  expect(checkForm(profileForm, values)).toEqual({})
  const empty = { ...profile.billing_info.primary_address, country: '' }
  const billing_info = { ...profile.billing_info, billing_name: '', primary_address: empty }
  expect(profileValues({ ...profile, billing_info })).toMatchObject({
    company_country: '',
  })
})

test('address, city, state, country and postal code are required; the rest is optional', () => {
  const empty = Object.fromEntries(profileForm.names.map((name) => [name, ' ']))
  expect(checkForm(profileForm, empty)).toEqual({
    address_line_1: 'Address Line 1 is required.',
    company_country: 'Country is required.',
    company_state: 'State/Province is required.',
    company_city: 'City/Town is required.',
    company_pincode: 'Postal Code is required.',
  })
})

test('all fields are sent as JSON text, including emptied ones', () => {
  const sent = customerData({ ...profileValues(profile), billing_name: '', company_city: '  Berlin ' })
  expect(JSON.parse(sent)).toEqual({
    billing_name: '',
    address_line_1: 'Lane 1',
    address_line_2: '',
    company_country: 'de',
    company_state: 'NRW',
    company_city: 'Berlin',
    company_pincode: '53111',
    tax_id: 'DE123456789',
  })
})

test('restoring the stored values is not a change', () => {
  const stored = profileValues(profile)
  expect(isChanged({ ...stored }, stored)).toBe(false)
  expect(isChanged({ ...stored, company_city: 'Berlin' }, stored)).toBe(true)
  expect(isChanged({ ...stored, billing_name: null }, { ...stored, billing_name: '' })).toBe(false)
})
