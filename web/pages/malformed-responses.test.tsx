/** Every call of every detail page is answered with something of another shape: an error panel, never an empty or broken page. */
import { cleanup, screen, waitFor } from '@testing-library/react'
import { Suspense, type ReactElement } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { apiServer, type Reply } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { dataClient } from '#web/lib/api/data-client.ts'
import { PathParams } from '#web/lib/routing/route-match.ts'
import { PageBoundary } from '#web/shell/frame/page-boundary.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { OrganizationPage } from './organization/organization-page.tsx'
import { ServerPage } from './servers/server-page.tsx'
import { SitePage } from './sites/site-page.tsx'
import { UserPage } from './user/user-page.tsx'

const api = apiServer()
const standard = {
  owner: owner.user,
  creation: '2026-11-21 14:00:00.000000',
  modified: '2026-11-21 14:00:00.000000',
  modified_by: owner.user,
  docstatus: 0,
  idx: 0,
}
const documents: Record<string, object> = {
  'resource/Site/s1': { ...standard, name: 's1', domain: 'blog', site_type: 'wp', status: 'Live', server: 'v1' },
  'resource/Server/v1': { ...standard, name: 'v1', hostname: 'web-1', status: 'Healthy', engine: 'ee' },
  [`resource/User/${encodeURIComponent(owner.user ?? '')}`]: {
    ...standard,
    name: owner.user,
    email: owner.user,
    first_name: 'Ann',
    full_name: 'Ann Lee',
    enabled: 1,
  },
  'resource/Organization/acme': { ...standard, name: 'acme', title: 'Acme', slug: 'acme', _owner: owner.user },
}
const pages: readonly [path: string, doc: string, params: Record<string, string>, page: ReactElement][] = [
  ['/site/s1', 'resource/Site/s1', { site: 's1' }, <SitePage key="site" />],
  ['/server/v1', 'resource/Server/v1', { server: 'v1' }, <ServerPage key="server" />],
  ['/user/ann', Object.keys(documents)[2] ?? '', { user: owner.user ?? '' }, <UserPage key="user" />],
  ['/organization', 'resource/Organization/acme', {}, <OrganizationPage key="organization" />],
]
const malformed: readonly [string, unknown][] = [
  ['null', null],
  ['a list', [{ name: 7 }, null]],
  ['an object', { unexpected: true }],
  ['a number', 7],
  ['a text', 'undefined behavior'.slice(9)],
]

beforeEach(() => {
  // Another try would only come seconds later.
  const { queries } = dataClient.getDefaultOptions()
  dataClient.setDefaultOptions({ queries: { ...queries, retry: false } })
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  vi.stubGlobal('reportError', vi.fn())
})
afterEach(() => vi.restoreAllMocks())

/** Serves everything as it should be, but `broken`. */
function serve(broken?: string, reply?: () => Reply): void {
  api.on(':method', () => ({ message: [] }))
  api.on('resource/:doctype/:name', () => ({ status: 404, body: { exception: 'Not found' } }))
  api.on('frappe.client.get_list', () => ({ message: [] }))
  api.on('frappe.client.get_count', () => ({ message: 0 }))
  api.on('frappe.client.get_doc_permissions', () => ({ message: { permissions: { read: 1, write: 1, share: 1 } } }))
  api.on('easydash.api.engine.capabilities', () => ({ message: { engine: 'ee', php_versions: [], capabilities: {} } }))
  api.on('run_doc_method', () => ({ message: [] }))
  for (const [name, data] of Object.entries(documents)) api.on(name, () => ({ data }))
  if (broken !== undefined && reply) api.on(broken, reply)
}

async function show([path, , params, page]: (typeof pages)[number]): Promise<string> {
  renderAs(
    { ...owner, modules: { ee: true, wpc: false } },
    <TooltipProvider>
      <PathParams value={params}>
        <PageBoundary at={path}>
          <Suspense fallback="…">{page}</Suspense>
        </PageBoundary>
      </PathParams>
    </TooltipProvider>,
    path,
  )
  await screen.findAllByRole('heading', { level: 1 })
  await waitFor(() => expect(dataClient.isFetching()).toBe(0))
  return document.body.textContent ?? ''
}

test.each(pages)(
  '%s stays readable, whatever any of its calls answers',
  async (...entry) => {
    const [path, doc] = entry
    serve()
    await show(entry)
    const names = [...new Set(api.calls.map(({ name }) => (name === ':method' ? '' : name)))].filter(Boolean)
    expect(names).toContain(doc)
    for (const name of names) {
      for (const [kind, value] of malformed) {
        cleanup()
        dataClient.clear()
        serve(name, () => (name.startsWith('resource/') ? { data: value } : { message: value }))
        const text = await show(entry)
        expect(text, `${path}: ${name} answers ${kind}`).not.toMatch(/undefined|NaN|\[object/)
        expect(
          screen.getAllByRole('heading', { level: 1 })[0]?.textContent,
          `${path}: ${name} answers ${kind}`,
        ).toMatch(/\S/)
        if (name === doc)
          expect(screen.getAllByRole('alert').length, `${path}: ${name} answers ${kind}`).toBeGreaterThan(0)
      }
    }
  },
  60_000,
)

test.each([
  ['no state', { status: undefined }],
  ['a number for a text', { domain: 7 }],
  ['a text for a number', { disk_used: 'much' }],
])('a site with %s is an error with a way back, not an invented state', async (_what, wrong) => {
  serve('resource/Site/s1', () => ({ data: { ...documents['resource/Site/s1'], ...wrong } }))
  const [site] = pages
  const text = site ? await show(site) : ''
  expect(screen.getAllByRole('alert').length).toBeGreaterThan(0)
  expect(text).not.toMatch(/Setting up|Live/)
})
