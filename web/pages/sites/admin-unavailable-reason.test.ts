import { expect, test } from 'vitest'
import { adminUnavailableReason } from './admin-unavailable-reason.ts'

const row = { name: 's1', domain: 'blog', site_type: 'wp', status: 'Live' } as const

test('the admin of a live WordPress site can be opened', () => {
  expect(adminUnavailableReason(row)).toBeNull()
})

test('other sites show why it cannot', () => {
  expect(adminUnavailableReason({ ...row, locked_by_job: 'j1' })).toBe('Busy: a job is running on it')
  expect(adminUnavailableReason({ ...row, status: 'Suspended' })).toBe(
    'It opens while a site is live. Now: blog, Suspended.',
  )
  expect(adminUnavailableReason({ ...row, site_type: 'html' })).toBe(
    'blog is not a WordPress site, so it has no admin.',
  )
  expect(adminUnavailableReason({ ...row, title: 'My blog', site_type: 'html' })).toContain('My blog is not')
})
