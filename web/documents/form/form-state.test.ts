import { describe, expect, it } from 'vitest'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { data, int, select } from '#shared/fields.ts'
import { checkField, checkForm, doctypeForm, formPayload, startValues } from './form-state.ts'

const wordpressOnly = ['title', 'admin_user', 'admin_email']
const form = doctypeForm(SiteDoctype, ['domain', 'site_type', 'php_version', 'title', 'admin_user', 'admin_email'], {
  checks: { domain: (value) => (value === 'www' ? 'That name is reserved.' : null) },
  hidden: (name, values) => values['site_type'] !== 'wp' && wordpressOnly.includes(name),
})
const values = {
  domain: 'blog',
  site_type: 'wp',
  php_version: '8.4',
  title: 'Blog',
  admin_user: 'ann',
  admin_email: 'ann@example.com',
}

describe('form from a description', () => {
  it('starts with the description’s defaults, given values first', () => {
    expect(startValues(form)).toMatchObject({ domain: '', site_type: 'wp', php_version: '8.4' })
    expect(startValues(form, { php_version: '8.2' })).toMatchObject({ php_version: '8.2' })
  })

  it('accepts good values', () => {
    expect(checkForm(form, values)).toEqual({})
  })

  it('asks for required fields, in the order of the form', () => {
    expect(checkForm(form, { ...values, domain: '  ', site_type: '' })).toEqual({
      domain: 'Name is required.',
      site_type: 'Type is required.',
    })
  })

  it('holds values to format, length, choices and own rules', () => {
    expect(checkField(form, 'admin_email', { ...values, admin_email: 'nobody' })).toMatch(/\S/)
    expect(checkField(form, 'title', { ...values, title: 'x'.repeat(201) })).toBe(
      'Title can have at most 200 characters.',
    )
    expect(checkField(form, 'php_version', { ...values, php_version: '5.6' })).toBe('Choose one of the listed values.')
    expect(checkField(form, 'domain', { ...values, domain: 'www' })).toBe('That name is reserved.')
  })

  it('holds numbers to their bounds', () => {
    const numbers = { fields: { size: int({ min: 8, max: 16 }) }, names: ['size'] }
    expect([
      checkField(numbers, 'size', { size: '7' }),
      checkField(numbers, 'size', { size: '17' }),
      checkField(numbers, 'size', { size: '8.5' }),
    ]).toEqual(['Size must be at least 8.', 'Size must be at most 16.', 'Size must be a whole number.'])
    expect(checkField(numbers, 'size', { size: 'abc' })).toBe('Size must be a number.')
    expect(checkField(doctypeForm(ServerDoctype, ['vm_ebs_size']), 'vm_ebs_size', { vm_ebs_size: '40' })).toBeNull()
  })

  it('neither checks nor sends what is not asked', () => {
    const html = { ...values, site_type: 'html', admin_email: 'broken', title: 'kept in the draft' }
    expect(checkForm(form, html)).toEqual({})
    expect(formPayload(form, html)).toEqual({ domain: 'blog', site_type: 'html', php_version: '8.4' })
  })

  it('sends trimmed texts and real numbers, and leaves empty ones out', () => {
    const mixed = { fields: { name: data(), size: int(), kind: select(['a']) }, names: ['name', 'size', 'kind'] }
    expect(formPayload(mixed, { name: ' x ', size: '5', kind: '' })).toEqual({ name: 'x', size: 5 })
  })
})
