import { renderHook, screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import type { Site } from '#shared/doctypes/site.ts'
import type { Uptime } from '#shared/responses/uptime.ts'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { useToasts } from '#web/lib/browser/toasts.ts'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { MonitoringTab } from './monitoring-tab.tsx'

const api = apiServer()
const site = {
  name: 's1',
  domain: 'blog',
  site_type: 'wp',
  status: 'Live',
  server: 'srv',
  uptime_keyword: 'Hello',
} as Site
const none = { up: 0, slow: 0, down: 0, asleep: 0, paused: 0, median_ms: null, p95_ms: null, ttfb_ms: null }
const now = 1_800_000_000
const empty: Uptime = {
  range: '24h',
  from: now - 900,
  to: now,
  bucket_seconds: 300,
  buckets: [],
  totals: { ...none, availability: null },
  incidents: [],
}
const measured: Uptime = {
  ...empty,
  buckets: [
    { ...none, at: now - 900, up: 5, median_ms: 40, p95_ms: 90, ttfb_ms: 30 },
    { ...none, at: now - 300, down: 2, up: 3, median_ms: 50, p95_ms: 95, ttfb_ms: 30 },
  ],
  totals: { ...none, up: 9_999, down: 1, availability: 0.9999, median_ms: 45, p95_ms: 95, ttfb_ms: 30 },
  incidents: [
    {
      started: '2027-01-15 07:58:00.000000',
      ended: '2027-01-15 08:00:00.000000',
      reason: 'The page answered with status 500.',
      reason_i18n: { id: 'The page answered with status {0}.', values: [500] },
      change: 'a1',
    },
  ],
}
let found: Uptime
const called = (method: string) => api.calls.filter((call) => call.body['method'] === method)

beforeEach(() => {
  found = measured
  api.on('run_doc_method', (call) => {
    const { method } = call.body
    if (method === 'uptime') return { message: found }
    if (method === 'check_now') return { message: { state: 'up', status: 200, total_ms: 12 } }
    return { message: null }
  })
  api.on('easydash.api.engine.capabilities', () => ({
    message: { engine: 'local', php_versions: [], capabilities: {} },
  }))
  api.on('frappe.client.get_doc_permissions', () => ({ message: { permissions: { read: 1, write: 1, share: 1 } } }))
  api.on('resource/Site/s1', () => ({ data: site }))
  api.on('frappe.client.get_list', () => ({
    message: [
      {
        name: 'a1',
        creation: '2027-01-15 07:50:00.000000',
        action: 'Site.flush_cache',
        detail: null,
        detail_i18n: null,
        result: 'Done',
      },
    ],
  }))
})

const open = (changes: Partial<Site> = {}, address = '/site/s1#monitoring') => {
  window.history.replaceState(null, '', `/web${address}`)
  return renderAs(
    owner,
    <TooltipProvider>
      <MonitoringTab site={{ ...site, ...changes }} />
    </TooltipProvider>,
  )
}

test('shows availability without rounding it up, response times, and incidents with their cause', async () => {
  open()
  expect(await screen.findByText('99.99%')).toBeTruthy()
  expect(screen.getByText('The page answered with status 500.')).toBeTruthy()
  expect(screen.getByText(/Down for 2 min$/)).toBeTruthy()
  const change = await screen.findByRole('link', { name: /Last change before: Cleared the cache/ })
  expect(change.getAttribute('href')).toMatch(/activity=a1#activities$/)
})

test('downtime before the range does not count, and of more incidents than are returned, numbers are lower bounds', async () => {
  const earlier = { started: '2027-01-15 06:00:00.000000', ended: '2027-01-15 07:50:00.000000' }
  found = { ...measured, incidents: measured.incidents.map((one) => ({ ...one, ...earlier })) }
  const { unmount } = open()
  expect(await screen.findByText('Down for 5 min in total')).toBeTruthy()
  unmount()
  found = { ...measured, incidents: Array.from({ length: 100 }, () => ({ ...measured.incidents[0]!, ...earlier })) }
  open()
  expect(await screen.findByText('100 or more')).toBeTruthy()
  expect(screen.getByText(/^Down for .* or longer in total$/)).toBeTruthy()
})

test('the crosshair follows the arrow keys and says what it shows', async () => {
  const { user } = open()
  const chart = await screen.findByRole('slider', { name: /Response time and availability/ })
  chart.focus()
  await user.keyboard('{Home}')
  expect(chart.getAttribute('aria-valuetext')).toMatch(/Up, median 40 ms/)
  await user.keyboard('{ArrowRight}')
  expect(chart.getAttribute('aria-valuetext')).toMatch(/Not measured/)
  await user.keyboard('{ArrowRight}')
  expect(chart.getAttribute('aria-valuetext')).toMatch(/Down.*2 of 5 checks failed/)
})

test('the values are in a table', async () => {
  const { user } = open()
  await user.click(await screen.findByText('Show as a table'))
  expect(screen.getAllByRole('row')).toHaveLength(3)
})

test('a range is read when it is chosen', async () => {
  const { user } = open()
  await user.click(await screen.findByRole('button', { name: '7 days' }))
  await waitFor(() => expect(called('uptime').at(-1)?.body['args']).toEqual({ range: '7d' }))
})

test('a site without checks says when there are any', async () => {
  found = empty
  open()
  expect(await screen.findByText('No checks in this time')).toBeTruthy()
  expect(screen.getByText('The site was not down in this time.')).toBeTruthy()
})

test('Check now says what it found, and the graphs are read again', async () => {
  const { user } = open()
  await user.click(await screen.findByRole('button', { name: 'Check now' }))
  await waitFor(() => expect(called('check_now')).toHaveLength(1))
  await waitFor(() => expect(called('uptime').length).toBeGreaterThan(1))
})

test('the keyword is saved, and undone with the one before', async () => {
  const { user } = open()
  const toast = renderHook(useToasts).result
  const field = await screen.findByLabelText(/must contain/)
  await user.clear(field)
  await user.type(field, 'Welcome')
  await user.click(screen.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(called('set_uptime_keyword')[0]?.body['args']).toEqual({ keyword: 'Welcome' }))
  await waitFor(() => expect(toast.current.history[0]?.action?.label).toBe('Undo'))
  toast.current.history[0]?.action?.onClick?.()
  await waitFor(() => expect(called('set_uptime_keyword')[1]?.body['args']).toEqual({ keyword: 'Hello' }))
})
