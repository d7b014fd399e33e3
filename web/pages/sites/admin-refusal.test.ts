import { expect, test } from 'vitest'
import { adminRefusal } from './admin-refusal.ts'

const row = { name: 's1', domain: 'blog', site_type: 'wp', status: 'Live' } as const

test('the admin of a live WordPress site opens', () => {
  expect(adminRefusal(row)).toBeNull()
})

test('for others it is said why not', () => {
  expect(adminRefusal({ ...row, locked_by_job: 'j1' })).toBe('Busy: a job is running on it')
  expect(adminRefusal({ ...row, status: 'Suspended' })).toBe('It opens while a site is live. Now: blog, Suspended.')
  expect(adminRefusal({ ...row, site_type: 'html' })).toBe('blog is not a WordPress site, so it has no admin.')
})
