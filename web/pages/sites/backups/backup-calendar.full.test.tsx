import { screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { SiteBackup } from '#shared/doctypes/site-backup.ts'
import { api, open, proven, shown } from '#tests/web/backups-tab.tsx'

// The date alone: what waits goes on.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 24, 12) }))
afterEach(() => void vi.useRealTimers())

test('the calendar says what the backups of each day are worth, and shows those of one', async () => {
  const at = (day: string, clock: string, more: Partial<SiteBackup>) => {
    const creation = `2026-11-${day} ${clock}.000000`
    return { ...proven, name: `b${day}${clock}`, note: `${day} ${clock}`, creation, taken_at: creation, ...more }
  }
  shown.backups = [
    at('02', '10:00:00', {}),
    at('02', '11:00:00', {}),
    at('03', '10:00:00', { proof: 'Not Tested' }),
    at('20', '10:00:00', { status: 'Failed' }),
    at('21', '10:00:00', { status: 'Expired' }),
  ]
  const inTime = (creation: string, filters: unknown) =>
    (filters as [string, string, string][]).every(
      ([field, operator, value]) =>
        field !== 'creation' || (operator === '<' ? creation < value : creation.slice(0, value.length) >= value),
    )
  api.on('frappe.client.get_list', ({ body }) => ({
    message:
      body['doctype'] === 'Site Backup'
        ? shown.backups.filter(({ creation }) => inTime(creation ?? '', body['filters']))
        : [],
  }))
  const { user } = open()
  const calendar = within(await screen.findByRole('region', { name: 'November 2026' }))
  const days = () => calendar.getAllByRole('button', { pressed: false }).map((one) => one.getAttribute('aria-label'))
  expect(await calendar.findByRole('button', { name: /2, .*: 2 backups, all proven$/ })).toBeTruthy()
  expect(days()).toEqual([
    expect.stringMatching(/2, .*: 2 backups, all proven$/),
    expect.stringMatching(/3, .*: 1 backup, not proven$/),
    expect.stringMatching(/20, .*: 1 backup, which failed or failed its proof$/),
  ])
  expect(calendar.getByRole('button', { name: 'Month after' })).toHaveProperty('disabled', true)
  await user.click(calendar.getByRole('button', { name: /all proven$/ }))
  expect(await screen.findByRole('heading', { name: /^Backups of .*2, / })).toBeTruthy()
  await waitFor(() => expect(screen.queryByText('20 10:00:00')).toBeNull())
  expect(screen.getByText('02 11:00:00')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Show all' }))
  expect(await screen.findByText('20 10:00:00')).toBeTruthy()
  await user.click(calendar.getByRole('button', { name: 'Month before' }))
  await waitFor(() => expect(calendar.queryByRole('button', { pressed: false })).toBeNull())
})
