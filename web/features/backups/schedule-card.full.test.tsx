import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import type { Site } from '#shared/doctypes/site.ts'
import { apiServer } from '#tests/web/api.ts'
import { hoursAgo } from '#tests/web/hours-ago.ts'
import { member, owner, renderAs } from '#tests/web/screen.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { ScheduleCard } from './schedule-card.tsx'

const api = apiServer()
const site = { name: 's1', organization: 'acme', domain: 'blog', status: 'Live', server: 'srv' } as Site
const ofOrganization = {
  name: 'c1',
  modified: '2026-01-01 00:00:00.000000',
  site: null,
  enabled: 1,
  every: 'day',
  at: '03:00',
  time_zone: 'Europe/Berlin',
  keep_hourly: 0,
  keep_daily: 7,
  keep_weekly: 4,
  keep_monthly: 6,
  keep_yearly: 0,
  next_run: '2999-01-01 02:00:00.000000',
}
const own = { ...ofOrganization, name: 'c2', site: 's1', every: 'week', keep_daily: 0, keep_weekly: 0, keep_monthly: 0 }
const sentence = 'Every day at 03:00 (Europe/Berlin); 7 daily, 4 weekly, and 6 monthly backups are kept.'
let schedules: readonly object[]
let rights: Record<string, 0 | 1>
let capabilities: Record<string, unknown>
let due: object

const open = (session = owner, of: Partial<Site> | null = {}) =>
  renderAs(
    session,
    <TooltipProvider>
      <ScheduleCard organization="acme" site={of && { ...site, ...of }} />
    </TooltipProvider>,
  )
const written = () => api.calls.filter(({ name, verb }) => name.startsWith('resource/') && verb !== 'GET')

beforeEach(() => {
  schedules = [ofOrganization]
  rights = { read: 1, write: 1 }
  capabilities = {}
  due = { since: null, waits_for: null, limit: 0 }
  api.on('easydash.api.engine.capabilities', () => ({ message: { capabilities } }))
  api.on('frappe.client.get_doc_permissions', () => ({ message: { permissions: rights } }))
  api.on('frappe.client.get_list', ({ body }) => ({
    message:
      body['doctype'] === 'Site Backup'
        ? [{ name: 'b1', taken_at: '2026-02-03 04:05:06.000000', creation: '2026-02-03 04:05:06.000000' }]
        : schedules,
  }))
  api.on('easydash.api.backups.preview_retention', ({ body }) => ({
    message:
      Number(body['keep_daily']) < 7 ? { keep: ['b2', 'b3'], delete: ['b1'] } : { keep: ['b1', 'b2'], delete: [] },
  }))
  api.on('easydash.api.backups.due', () => ({ message: due }))
  api.on('easydash.api.backups.stores', () => ({
    message: {
      default: 'local',
      stores: [
        { store: 'local', label: null, status: null, usage: { backups: 1, bytes: 1000 }, price: null, unknown: null },
        {
          store: 'k1',
          label: 'Archive',
          status: 'Connected',
          usage: { backups: 0, bytes: 0 },
          price: null,
          unknown: null,
        },
      ],
    },
  }))
  api.on('resource/Backup%20Schedule', () => ({ data: own }))
  api.on('resource/Backup%20Schedule/:name', () => ({ data: own }))
  api.on('resource/Backup%20Schedule/c2', () => ({ data: own }))
})

test('says what happens, when next, and that it is the organization’s', async () => {
  open()
  expect(await screen.findByText(sentence)).toBeTruthy()
  expect(screen.getByText('From the organization')).toBeTruthy()
  expect(screen.getByText(/^Next: in/)).toBeTruthy()
  expect(screen.queryByRole('button', { name: /Use the organization/ })).toBeNull()
})

test.each([
  ['server', 1, 'It waits for its server, where one is made at a time.'],
  ['server', 2, 'It waits for its server, where 2 are made at a time.'],
  ['hours', 0, 'It waits for the hours of the schedule.'],
  ['job', 0, 'It waits for the running job of the site.'],
  [null, 0, 'It begins within a minute.'],
])('a backup that is due says since when, and what it waits for: %s %i', async (waits_for, limit, text) => {
  due = { since: `${hoursAgo(3)}000`, waits_for, limit }
  open()
  expect((await screen.findByText(/^A backup is due/)).textContent).toContain(
    `A backup is due since 3 hours ago. ${text}`,
  )
})

test('nothing is due without a schedule', async () => {
  schedules = []
  due = { since: `${hoursAgo(3)}000`, waits_for: null, limit: 0 }
  open()
  expect(await screen.findByText('No automatic backups.')).toBeTruthy()
  expect(api.calls.some(({ name }) => name === 'easydash.api.backups.due')).toBe(false)
})

test('sites that begin one after the other have no next time in common', async () => {
  schedules = [{ ...ofOrganization, spread: 90, before_changes: 1 }]
  open()
  expect(
    await screen.findByText(
      'Every day at 03:00 (Europe/Berlin), each site at a time of its own within 90 minutes after it; 7 daily, 4 weekly, and 6 monthly backups are kept. Changes that can break a site begin with a backup, too.',
    ),
  ).toBeTruthy()
  expect(screen.queryByText(/^Next/)).toBeNull()
})

test('says in which hours backups begin, and that they wait for their server, also those of a site of its own', async () => {
  const hours = { window_from: '22:00', window_until: '06:00' }
  schedules = [
    { ...ofOrganization, per_server: 2 },
    { ...own, ...hours, every: 'hour', at: '00:15' },
  ]
  open()
  expect(
    await screen.findByText(
      'Every hour at minute 15 (Europe/Berlin), only from 22:00 until 06:00; all backups are kept. While 2 backups are being made on a server, scheduled ones wait there.',
    ),
  ).toBeTruthy()
})

test('hours are set and emptied; a limit is set for the organization, and stays while its schedule is off', async () => {
  const hours = { window_from: '22:00', window_until: '06:00' }
  schedules = [{ ...ofOrganization, ...hours, per_server: 0 }]
  const { user } = open(owner, null)
  await user.click(await screen.findByRole('button', { name: 'Change…' }))
  const dialog = within(await screen.findByRole('dialog'))
  const from = await dialog.findByLabelText('Only from')
  await user.clear(from)
  await user.type(from, '9 am')
  await user.click(dialog.getByRole('button', { name: 'Save' }))
  expect(await dialog.findByText('Enter a time like 03:00.')).toBeTruthy()
  await user.clear(from)
  await user.clear(dialog.getByLabelText('Until'))
  const limit = dialog.getByLabelText(/^At the same time on a server/)
  await user.clear(limit)
  await user.type(limit, '3')
  await user.click(dialog.getByRole('button', { name: 'Save' }))
  await waitFor(() =>
    expect(written()).toMatchObject([{ body: { window_from: null, window_until: null, per_server: 3 } }]),
  )
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await user.click(screen.getByRole('button', { name: 'Change…' }))
  await user.click(await screen.findByRole('checkbox', { name: 'Back up automatically' }))
  expect(screen.getByLabelText(/^At the same time on a server/)).toBeTruthy()
  expect(screen.queryByLabelText('Only from')).toBeNull()
})

test('the limit is not one of a site', async () => {
  const { user } = open()
  await user.click(await screen.findByRole('button', { name: 'Change…' }))
  expect(await screen.findByLabelText('Only from')).toBeTruthy()
  expect(screen.queryByLabelText(/^At the same time on a server/)).toBeNull()
})

test('promises no backup that is not made', async () => {
  schedules = []
  const { unmount } = open()
  expect(await screen.findByText('No automatic backups.')).toBeTruthy()
  unmount()
  schedules = [ofOrganization, { ...own, enabled: 0, next_run: null }]
  open(owner, { name: 's1', status: 'Live' })
  expect(await screen.findByText('No automatic backups.')).toBeTruthy()
})

test('a site whose engine cannot be backed up has no next backup', async () => {
  capabilities = { backup: { supported: false, reason: 'Not here.' } }
  open()
  expect(await screen.findByText('Not here.')).toBeTruthy()
  expect(screen.queryByText(/^Next/)).toBeNull()
})

test('a site gets a schedule of its own, after what that deletes was shown', async () => {
  const { user } = open()
  await user.click(await screen.findByRole('button', { name: 'Change…' }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(await dialog.findByText('Keeps all 2 backups.')).toBeTruthy()
  const daily = dialog.getByLabelText('Daily')
  await user.clear(daily)
  await user.type(daily, '1')
  expect(dialog.getByRole('button', { name: 'Save' })).toHaveProperty('disabled', true)
  expect(await dialog.findByText(/Keeps 2, deletes 1 backup /)).toBeTruthy()
  expect(await dialog.findByText(/Feb.* 2026/)).toBeTruthy()
  await user.click(dialog.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(written()).toMatchObject([
    {
      verb: 'POST',
      body: {
        organization: 'acme',
        site: 's1',
        every: 'day',
        time_zone: 'Europe/Berlin',
        keep_daily: 1,
        keep_weekly: 4,
      },
    },
  ])
})

test('a schedule stores its backups in a bucket, or where the organization does', async () => {
  schedules = [ofOrganization, { ...own, store: 'k1' }]
  const { user } = open()
  await user.click(await screen.findByRole('button', { name: 'Change…' }))
  const dialog = within(await screen.findByRole('dialog'))
  const store = await dialog.findByLabelText('Stored at')
  expect(store).toHaveProperty('value', 'k1')
  await user.selectOptions(store, 'The organization’s: This installation')
  await user.click(dialog.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(written()).toMatchObject([{ verb: 'PUT', body: { store: null } }]))
})

test('switching off writes only that', async () => {
  schedules = [ofOrganization, own]
  const { user } = open()
  expect(await screen.findByText(/^Every Monday at 03:00 .* all backups are kept\.$/)).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Change…' }))
  await user.click(await screen.findByRole('checkbox', { name: 'Back up automatically' }))
  await user.click(screen.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(written().map(({ name, verb, body }) => ({ name, verb, body }))).toEqual([
    expect.objectContaining({ verb: 'PUT', body: { enabled: 0, modified: own.modified } }),
  ])
})

test('going back to the organization’s schedule says what that is, and deletes the own one', async () => {
  schedules = [ofOrganization, own]
  const { user } = open(member)
  await user.click(await screen.findByRole('button', { name: 'Use the organization’s…' }))
  const dialog = within(await screen.findByRole('alertdialog'))
  expect(dialog.getByText(new RegExp(sentence.replace(/[().]/g, '.')))).toBeTruthy()
  await user.click(dialog.getByRole('button', { name: 'Use the organization’s' }))
  await waitFor(() => expect(written()).toMatchObject([{ name: 'resource/Backup%20Schedule/c2', verb: 'DELETE' }]))
})

test('who can only read the site changes nothing, nor does a member the organization’s', async () => {
  rights = { read: 1, write: 0 }
  const { unmount } = open(member)
  expect(await screen.findByText(sentence)).toBeTruthy()
  expect(screen.queryByRole('button')).toBeNull()
  unmount()
  open(member, null)
  expect(await screen.findByText(sentence)).toBeTruthy()
  expect(screen.queryByRole('button')).toBeNull()
})

test('the organization’s schedule says what it would delete of all sites', async () => {
  const { user } = open(owner, null)
  await user.click(await screen.findByRole('button', { name: 'Change…' }))
  expect(await screen.findByText('Keeps all 2 backups.')).toBeTruthy()
  const asked = api.calls.find(({ name }) => name.includes('preview'))
  expect(asked?.body).toMatchObject({ organization: 'acme', keep_daily: 7, time_zone: expect.any(String) })
  await user.click(await screen.findByRole('button', { name: 'Save' }))
  await waitFor(() => expect(written()).toMatchObject([{ verb: 'PUT', body: { enabled: 1, keep_daily: 7 } }]))
})

test('the owner is asked for the recovery key until it was downloaded, with a fresh password', async () => {
  let downloaded: string | null = null
  api.on('resource/Organization/acme', () => ({ data: { name: 'acme', recovery_key_downloaded: downloaded } }))
  api.on('run_doc_method', () => {
    downloaded = '2026-01-01 00:00:00.000000'
    return { message: { file_name: 'key.txt', content: 'AGE-SECRET-KEY-1' } }
  })
  const saved = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockReturnValue()
  const { user } = open()
  await user.click(await screen.findByRole('button', { name: 'Download' }))
  await waitFor(() => expect(screen.queryByText('Download the recovery key')).toBeNull())
  expect(saved).toHaveBeenCalledOnce()
  saved.mockRestore()
})
