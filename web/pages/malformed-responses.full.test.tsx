/** What each kind of place on a screen shows in place of a response of another shape, which `checked-response.ts` refuses. */
import { screen, waitFor, within } from '@testing-library/react'
import type { UserEvent } from '@testing-library/user-event'
import { Suspense, type ReactElement } from 'react'
import { beforeEach, expect, test } from 'vitest'
import { uptime } from '#shared/responses/uptime.ts'
import { apiServer, type Reply } from '#tests/web/api.ts'
import { sampleOf, sampleTime } from '#tests/web/sample.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { unreadableMessage } from '#web/lib/api/api-error.ts'
import { dataClient } from '#web/lib/api/data-client.ts'
import { clearToasts } from '#web/lib/browser/toasts.ts'
import { PathParams } from '#web/lib/routing/route-match.ts'
import { JobOverlay } from '#web/shell/frame/job-overlay.tsx'
import { ToastArea } from '#web/ui/overlay/toast-area.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { MailDialog } from './platform/mail-dialog.tsx'
import { SitePage } from './sites/site-page.tsx'

const api = apiServer()
const site = {
  name: 's1',
  owner: owner.user,
  creation: sampleTime,
  modified: sampleTime,
  domain: 'blog',
  organization: 'acme',
  site_type: 'wp',
  status: 'Live',
  server: 'v1',
}
/** What the server answers when nothing is wrong. */
const right: Readonly<Record<string, Reply>> = {
  ':method': { message: [] },
  'resource/:doctype/:name': { status: 404, body: { exception: 'Not found' } },
  'resource/Site/s1': { data: site },
  'frappe.client.get_count': { message: 1 },
  'frappe.client.get_doc_permissions': { message: { permissions: { read: 1, write: 1, share: 1 } } },
  'easydash.api.engine.capabilities': { message: { engine: 'ee', php_versions: ['8.3'], capabilities: {} } },
}
const actions: Readonly<Record<string, unknown>> = { uptime: sampleOf(uptime) }

beforeEach(() => {
  // Another try would only come seconds later.
  const defaults = dataClient.getDefaultOptions()
  dataClient.setDefaultOptions({ queries: { ...defaults.queries, retry: false } })
  return () => {
    dataClient.setDefaultOptions(defaults)
    clearToasts()
  }
})

/** Renders part of the app, where some calls, or actions by their name, get a response of another shape. */
function setup(part: ReactElement, path: string, wrong: Readonly<Record<string, unknown>>): UserEvent {
  const malformed = (name: string): Reply =>
    name.startsWith('resource/') ? { data: wrong[name] } : { message: wrong[name] }
  for (const name of new Set([...Object.keys(right), ...Object.keys(wrong)]))
    api.on(name, () => (name in wrong ? malformed(name) : (right[name] as Reply)))
  api.on('run_doc_method', ({ body }) => {
    const action = String(body['method'])
    return action in wrong ? malformed(action) : { message: actions[action] ?? [] }
  })
  const { user } = renderAs(
    owner,
    <TooltipProvider>
      <PathParams value={{ site: 's1' }}>
        <Suspense>{part}</Suspense>
      </PathParams>
      <ToastArea />
    </TooltipProvider>,
    path,
  )
  return user
}
/** The panels that say that a response can't be read, each with a button to try again. */
const panels = async (): Promise<HTMLElement[]> =>
  (await screen.findAllByRole('alert')).filter(
    (alert) => alert.textContent.includes(unreadableMessage) && within(alert).queryByRole('button', { name: 'Retry' }),
  )
const heading = () => screen.findByRole('heading', { level: 1, name: 'blog' })

test('a page without its document is an error, and shows the document once that can be read', async () => {
  const user = setup(<SitePage />, '/site/s1', { 'resource/Site/s1': { ...site, status: undefined } })
  const [panel] = await panels()
  expect(screen.queryByRole('tab')).toBeNull()
  api.on('resource/Site/s1', () => ({ data: site }))
  await user.click(within(panel as HTMLElement).getByRole('button', { name: 'Retry' }))
  expect(await heading()).toBeTruthy()
})

test.each([
  ['what an action returns', '#monitoring', { uptime: { unexpected: true } }],
  ['a list', '#activities', { 'frappe.client.get_list': [{ name: 7 }, null] }],
])('%s is an error in its place, and the rest of the page stays', async (_what, tab, wrong) => {
  setup(<SitePage />, `/site/s1${tab}`, wrong)
  expect(await heading()).toBeTruthy()
  expect(await panels()).toHaveLength(1)
})

test('what is only beside something else is left out', async () => {
  setup(<SitePage />, '/site/s1#activities', {
    'frappe.client.get_list': [],
    'frappe.client.get_count': 'many',
    'frappe.client.get_doc_permissions': 7,
    'easydash.api.engine.capabilities': null,
  })
  expect(await heading()).toBeTruthy()
  await waitFor(() => expect(dataClient.isFetching()).toBe(0))
  expect(document.body.textContent).not.toMatch(/undefined|NaN|\[object/)
})

test('what a button asked for is a message', async () => {
  const user = setup(<SitePage />, '/site/s1#monitoring', { check_now: 7 })
  await user.click(await screen.findByRole('button', { name: 'Check now' }))
  expect((await screen.findAllByText(unreadableMessage)).length).toBeGreaterThan(0)
})

test.each([
  [
    'a drawer',
    '/site?job=j1',
    <JobOverlay key="job" />,
    { 'resource/Job/j1': { name: 'j1', status: 'Done', steps: 7 } },
  ],
  [
    'a dialog',
    '/platform',
    <MailDialog key="mail" mail={1} onClose={() => undefined} />,
    { 'easydash.api.platform.outbox_mail': [] },
  ],
])('%s says so, and can be closed', async (_what, path, part, wrong) => {
  setup(part, path, wrong)
  const dialog = await screen.findByRole('dialog')
  expect(await panels()).toHaveLength(1)
  expect(within(dialog).getAllByRole('button', { name: 'Close' }).length).toBeGreaterThan(0)
})
