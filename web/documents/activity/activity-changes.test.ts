import { afterEach, expect, it, vi } from 'vitest'
import { toDescriptor, msg } from '#shared/localized-message.ts'
import { changesOf } from './activity-changes.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
  localStorage.clear()
})

it('lists changed fields with their labels, in the doctype’s order, and omits the rest', () => {
  const before = { name: 'abc', modified: '2025-11-20 10:00:00', title: 'Old', status: 'Live', php_version: '8.3' }
  const after = { name: 'abc', modified: '2025-11-20 11:00:00', php_version: '8.4', status: 'Live', title: 'New' }
  expect(changesOf('Site', before, after)).toEqual([
    { field: 'title', label: 'Title', before: 'Old', after: 'New' },
    { field: 'php_version', label: 'PHP', before: '8.3', after: '8.4' },
  ])
})

it('lists the fields set in a new document, with the titles of linked documents', () => {
  expect(
    changesOf('Site', null, JSON.stringify({ domain: 'blog', server: 's1', title: null, site_type: 'wp' })),
  ).toEqual([
    { field: 'domain', label: 'Name', before: null, after: 'blog' },
    { field: 'server', label: 'Server', before: null, after: { doctype: 'Server', name: 's1' } },
    { field: 'site_type', label: 'Type', before: null, after: 'WordPress' },
  ])
})

it('never shows a secret, even if one was logged in plain text', () => {
  const changes = changesOf('Organization', { hcloud_token: 'hc-old-token' }, { hcloud_token: 'hc-new-token' })
  expect(changes).toHaveLength(1)
  expect(changes[0]).toMatchObject({ field: 'hcloud_token', before: '••••••••', after: '••••••••' })
  expect(JSON.stringify(changes)).not.toContain('hc-')
})

it('handles action details, unknown doctypes and malformed entries', () => {
  expect(changesOf(null, null, { retry_count: 3 })).toEqual([
    { field: 'retry_count', label: 'Retry count', before: null, after: '3' },
  ])
  expect(changesOf('Nothing', 'not json', ['x'])).toEqual([])
  expect(changesOf('Site', { favorite: 0 }, { favorite: 1 })).toMatchObject([{ before: 'No', after: 'Yes' }])
})

it('shows oversized values by size and hash', () => {
  const sha256 = 'ab'.repeat(32)
  const omitted = (bytes: number) => ({ omitted: { bytes, sha256 } })
  expect(changesOf('Saved View', { filters: omitted(12_595) }, { filters: { omitted: { bytes: 20_000 } } })).toEqual([
    { field: 'filters', label: 'Filters', before: `12.3 KB, SHA-256 ${sha256}`, after: '19.5 KB, not kept' },
  ])
  // An omitted value that didn't change is no change. An omitted sentence is shown by size and hash, even if its parts are
  // omitted too.
  expect(changesOf('Saved View', { filters: omitted(9000) }, { filters: omitted(9000) })).toEqual([])
  expect(changesOf(null, null, { error_message: omitted(9000), error_message_i18n: omitted(5000) })).toMatchObject([
    { field: 'error_message', after: `8.8 KB, SHA-256 ${sha256}` },
  ])
})

it('shows a message once, without its parts', () => {
  const after = {
    error_code: 'conflict',
    error_message: 'It is full.',
    error_message_i18n: { id: 'It is full.' },
  }
  expect(changesOf(null, null, after).map(({ field, after: now }) => [field, now])).toEqual([
    ['error_code', 'conflict'],
    ['error_message', 'It is full.'],
  ])
})

it('shows a message in the user’s language', async () => {
  vi.resetModules()
  localStorage.setItem('language', 'en-XA')
  vi.stubGlobal('easydash', {})
  const inLanguage = await import('./activity-changes.ts')
  const full = msg`${'blog'} is full.`
  const side = { error_message: full.text, error_message_i18n: toDescriptor(full) }
  expect(inLanguage.changesOf(null, null, side)[0]?.after).toMatch(/^\[blog íš ƒúļļ\.·+\]$/)
})
