/** How screen readers hear of jobs that ended. */
import { act, waitFor } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { clearToasts, showToast } from '#web/lib/browser/toasts.ts'
import { ToastArea } from '#web/ui/overlay/toast-area.tsx'
import { jobEndsToast, jobEndToast, type EndedJob } from './job-end-toasts.ts'

afterEach(() => act(clearToasts))

const job = (status: NonNullable<EndedJob['status']>): EndedJob => ({
  name: 'j1',
  job_type: 'site.create',
  label: 'Create blog',
  status,
  ended: '2026-03-01 10:00:00.000000',
  reference_doctype: 'Site',
  reference_name: 's1',
  reference_title: 'blog',
  reference_address: null,
  error_message: status === 'Failed' ? 'The disk is full.' : null,
  error_message_i18n: null,
  outcome: null,
  outcome_i18n: null,
})

test.each([
  ['one that failed', () => jobEndToast(job('Failed'))],
  ['one that was canceled', () => jobEndToast(job('Cancelled'))],
  ['one that is done', () => jobEndToast(job('Done'))],
  ['several, one of which failed', () => jobEndsToast([job('Done'), job('Failed')])],
])('the end of jobs interrupts nobody: %s', async (_which, toast) => {
  renderAs(owner, <ToastArea />)
  act(() => void showToast(toast()))
  const announcement = () => document.querySelector('body > [role=status]')
  await waitFor(() => expect(announcement()?.textContent).toMatch(/Create blog|2 jobs/))
  expect(announcement()?.getAttribute('aria-live')).toBe('polite')
})

test('what a job found is said with its end, and is no success', () => {
  const found = jobEndToast({ ...job('Done'), outcome: 'The proof failed: a file is missing' })
  expect(found).toMatchObject({ description: 'The proof failed: a file is missing', variant: 'info' })
  expect(jobEndToast(job('Done'))).toMatchObject({ variant: 'success' })
})

test('what is done is opened from its message, unless it was deleted', () => {
  expect(jobEndToast(job('Done')).action).toEqual({ label: 'Open', href: '/site/s1' })
  expect(jobEndToast({ ...job('Done'), job_type: 'site.delete' }).action).toEqual({
    label: 'Details',
    href: '/job?job=j1',
  })
})
