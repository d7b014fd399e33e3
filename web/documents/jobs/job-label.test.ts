import { afterEach, expect, test, vi } from 'vitest'
import { jobLabel } from './job-label.ts'

afterEach(() => {
  vi.resetModules()
  localStorage.clear()
})

test('matches the server’s label', () => {
  expect(jobLabel({ label: 'Create blog', reference_title: 'blog' })).toBe('Create blog')
  expect(jobLabel({ label: 'Create Create', reference_title: 'Create' })).toBe('Create Create')
  expect(jobLabel({ label: 'Create $& {title}', reference_title: '$& {title}' })).toBe('Create $& {title}')
  expect(jobLabel({ label: 'Look after disks' })).toBe('Look after disks')
  expect(jobLabel({ label: null })).toBe('')
})

test('keeps the document’s name in translations', async () => {
  localStorage.setItem('language', 'en-XA')
  vi.resetModules()
  const translated = await import('./job-label.ts')
  expect(translated.jobLabel({ label: 'Create blog', reference_title: 'blog' })).toMatch(/^\[Çřéáŧé blog·+\]$/)
})
