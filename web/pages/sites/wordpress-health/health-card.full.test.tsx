import { screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import type { Site } from '#shared/doctypes/site.ts'
import { findingKinds, type Finding, type FindingKind } from '#shared/responses/site-findings.ts'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import type { WordPress } from '../wordpress/use-wordpress.ts'
import { dataClient } from '#web/lib/api/data-client.ts'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { HealthCard } from './health-card.tsx'

const api = apiServer()
const site = { name: 's1', site_type: 'wp', status: 'Live', locked_by_job: null, protections: null } as Site
const one = (kind: Finding['kind'], count: number | null = null, detail: string | null = null): Finding => ({
  kind,
  count,
  detail,
  pages: [],
  at_least: false,
})

function setup(findings: readonly Finding[], changes: Partial<WordPress> = {}, unseen: readonly string[] = []) {
  const found = { checked_at: '2026-11-24 12:00:00.000000', findings, not_observed: unseen }
  api.on('run_doc_method', () => ({ message: found }))
  const change = vi.fn(async () => true as const)
  const wordpress = {
    site,
    held: null,
    heldFor: () => null,
    changing: null,
    measuredAt: null,
    change,
    ...changes,
  } as unknown as WordPress
  const card = (
    <TooltipProvider>
      <HealthCard wordpress={wordpress} />
    </TooltipProvider>
  )
  return { change, ...renderAs(owner, card) }
}

afterEach(() => {
  vi.useRealTimers()
})

test('a site with which nothing is wrong says so, and since when', async () => {
  setup([])
  expect(await screen.findByText('Nothing found')).toBeTruthy()
  expect(screen.getByText(/^Checked /)).toBeTruthy()
})

test('what could not be looked at is said, and a number that is a lower bound', async () => {
  setup([{ ...one('php_errors', 40), at_least: true }], {}, ['updates', 'disk'])
  expect(await screen.findByText('At least 40 PHP errors in the last day')).toBeTruthy()
  expect(
    screen.getByText(
      'Not checked this time: versions, because plugins and themes were not read yet and disk, because its size or limit is not known.',
    ),
  ).toBeTruthy()
})

test('every kind of finding has a text, in the given order', async () => {
  setup(findingKinds.map((kind) => one(kind, 2_500, 'detail of the site')))
  const lines = await screen.findAllByRole('listitem')
  expect(lines).toHaveLength(findingKinds.length)
  expect(lines[0]?.textContent).toContain('WordPress does not load')
  for (const line of lines) expect(line.textContent).not.toMatch(/undefined|\{/)
})

/** What repairs each kind, as `real-findings.full.test.ts` does it on a real site: a call, a dialog, or the tab where it can be done. */
const repairs: Readonly<Record<FindingKind, readonly [action: string, args: object] | 'a dialog' | `#${string}`>> = {
  broken: '#logs',
  php_errors: '#logs',
  errors_shown: ['set_protection', { protection: 'hide_errors', enabled: 1 }],
  uploads_php: ['set_protection', { protection: 'no_uploads_php', enabled: 1 }],
  late_events: ['run_due_events', {}],
  events_paused: ['pause_scheduled_events', { paused: 0 }],
  disk: '#files',
  slow: '#monitoring',
  slow_pages: '#logs',
  old_php: '#configurations',
  core_update: 'a dialog',
  plugin_updates: ['update_plugins', {}],
  theme_updates: ['update_themes', {}],
  default_admin: 'a dialog',
  file_editing: ['set_protection', { protection: 'no_file_editing', enabled: 1 }],
}

test.each(findingKinds)('%s has what repairs it, and nothing else', async (kind) => {
  const { change, user } = setup([one(kind, 1, '8.2')])
  const row = within(await screen.findByRole('listitem'))
  const links = row.queryAllByRole('link').map((link) => new URL((link as HTMLAnchorElement).href).hash)
  const buttons = row.queryAllByRole('button')
  expect(links.length + buttons.length).toBe(1)
  const [button] = buttons
  if (button) await user.click(button)
  const calls = change.mock.calls.map((call: readonly unknown[]) => call.slice(0, 2))
  const dialogs = screen.queryAllByRole('dialog').map(() => 'a dialog')
  expect([...links, ...dialogs, ...calls]).toEqual([repairs[kind]])
})

test('a button repairs, and the site is checked again once that is done', async () => {
  const { change, user } = setup([one('uploads_php'), one('late_events', 3, 'wp_update_plugins')])
  const checks = () => api.calls.filter(({ body }) => body['method'] === 'check_wordpress_health').length
  await user.click(await screen.findByRole('button', { name: 'Block PHP in uploads' }))
  expect(change).toHaveBeenCalledWith(
    'set_protection',
    { protection: 'no_uploads_php', enabled: 1 },
    { key: 'fix-uploads_php' },
  )
  await user.click(screen.getByRole('button', { name: 'Run due events' }))
  expect(change).toHaveBeenLastCalledWith('run_due_events', {}, { key: 'fix-late_events' })
  await waitFor(() => expect(checks()).toBe(2))
  // The first one is a job: a check meanwhile would be refused.
  await waitFor(() => expect(dataClient.isFetching()).toBe(0))
  expect(checks()).toBe(2)
  expect(screen.getByText('3 scheduled events are more than 15 minutes late')).toBeTruthy()
})

test.each([
  ['8.1', 'PHP 8.1 has had no security fixes since Dec 31, 2025'],
  ['8.2', 'PHP 8.2 gets security fixes until Dec 31, 2026 only'],
])('an old PHP version says until when it is safe: %s', async (version, title) => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-01T00:00:00Z') })
  setup([one('old_php', null, version)])
  expect(await screen.findByText(title)).toBeTruthy()
  expect(screen.queryByText(version)).toBeNull()
})

test('a protection can be turned off again', async () => {
  const { change, user } = setup([], { site: { ...site, protections: 'hide_errors no_uploads_php' } })
  const list = await screen.findByRole('list', { name: 'Protected' })
  expect(within(list).getAllByRole('listitem')).toHaveLength(2)
  await user.click(screen.getByRole('button', { name: 'Turn off: No PHP among the uploads' }))
  expect(change).toHaveBeenCalledWith(
    'set_protection',
    { protection: 'no_uploads_php', enabled: 0 },
    { key: 'protection-no_uploads_php' },
  )
})

test('nothing is changed while a job has the site, and nothing is called healthy', async () => {
  const { change, user } = setup([one('uploads_php')], { held: 'Wait for the job that is in progress.' })
  await user.click(await screen.findByRole('button', { name: 'Block PHP in uploads' }))
  expect(change).not.toHaveBeenCalled()
  setup([], { site: { ...site, status: 'Archived' } })
  expect(await screen.findByText('Checked when the site is live.')).toBeTruthy()
})

test('an administrator named admin is renamed in a dialog, and the site is checked again', async () => {
  const { user } = setup([one('default_admin')])
  await user.click(await screen.findByRole('button', { name: 'Rename…' }))
  const dialog = await screen.findByRole('dialog', { name: 'Rename the user admin' })
  await user.click(within(dialog).getByRole('button', { name: 'Rename user' }))
  expect(within(dialog).getByText(/^Enter a username/)).toBeTruthy()
  await user.type(within(dialog).getByLabelText(/New username/), 'ann')
  await user.click(within(dialog).getByRole('button', { name: 'Rename user' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  const sent = api.calls.filter(({ body }) => body['method'] === 'rename_wordpress_user')
  expect(sent.map(({ body }) => body['args'])).toEqual([{ login: 'admin', new_login: 'ann' }])
  await waitFor(() =>
    expect(api.calls.filter(({ body }) => body['method'] === 'check_wordpress_health')).toHaveLength(2),
  )
})

test('updates start from the card: plugins and themes at once, WordPress after its dialog', async () => {
  const findings = [one('core_update', null, '6.8'), one('plugin_updates', 2), one('theme_updates', 1)]
  const { change, user } = setup(findings)
  await user.click(await screen.findByRole('button', { name: 'Update plugins' }))
  expect(change).toHaveBeenLastCalledWith('update_plugins', {}, { key: 'fix-plugin_updates' })
  await user.click(screen.getByRole('button', { name: 'Update themes' }))
  expect(change).toHaveBeenLastCalledWith('update_themes', {}, { key: 'fix-theme_updates' })
  await user.click(screen.getByRole('button', { name: 'Update…' }))
  expect(await screen.findByRole('dialog')).toBeTruthy()
})

test('slow pages are listed with their time and number', async () => {
  const pages = [
    { path: '/shop/', count: 12, slowest_ms: 8_250 },
    { path: '/', count: 1, slowest_ms: 2_100 },
  ]
  setup([{ ...one('slow_pages', 13), pages }])
  expect(await screen.findByText('13 requests for pages took over 2 seconds in the last day')).toBeTruthy()
  const list = screen.getByRole('list', { name: 'Slowest pages' })
  expect(
    within(list)
      .getAllByRole('listitem')
      .map((line) => line.textContent),
  ).toEqual(['/shop/ up to 8.3 s, 12 requests', '/ up to 2.1 s, 1 request'])
})
