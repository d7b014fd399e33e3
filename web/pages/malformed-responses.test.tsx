/** Every call of every detail page is answered with something of another shape: an error panel, never an empty or broken page. */
import { cleanup, screen, waitFor } from '@testing-library/react'
import { Suspense, type ReactElement } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Doctype } from '#shared/doctype.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { isObject } from '#shared/parse-json.ts'
import { apiServer, type Call, type Reply } from '#tests/web/api.ts'
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
  [`resource/User%20Meta/${encodeURIComponent(owner.user ?? '')}`]: { ...standard, name: owner.user, user: owner.user },
  'resource/Organization/acme': { ...standard, name: 'acme', title: 'Acme', slug: 'acme', _owner: owner.user },
}
const user = owner.user ?? ''
const pages: readonly (readonly [path: string, doc: string, params: Record<string, string>, page: ReactElement])[] = [
  ...['', '#activities'].map(
    (tab) => [`/site/s1${tab}`, 'resource/Site/s1', { site: 's1' }, <SitePage key="site" />] as const,
  ),
  ...['', '#activities'].map(
    (tab) => [`/server/v1${tab}`, 'resource/Server/v1', { server: 'v1' }, <ServerPage key="server" />] as const,
  ),
  ...['', '#settings'].map(
    (tab) =>
      [`/user/ann${tab}`, `resource/User/${encodeURIComponent(user)}`, { user }, <UserPage key="user" />] as const,
  ),
  ...['', 'slack', 'github', 'cloud_providers', 'backup_providers', 'auth', 'ssh', 'activities'].map(
    (tab) =>
      [`/organization#${tab}`, 'resource/Organization/acme', {}, <OrganizationPage key="organization" />] as const,
  ),
]
/** Texts in place of numbers, and numbers in place of everything else, at any depth. */
function otherTypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(otherTypes)
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, otherTypes(inner)]))
  return typeof value === 'number' ? 'much' : 7
}
/** The value without its innermost fields. */
function withoutFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutFields)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) =>
      isObject(inner) || Array.isArray(inner) ? [[key, withoutFields(inner)]] : [],
    ),
  )
}
const malformed: readonly [string, (right: unknown) => unknown][] = [
  ['null', () => null],
  ['a list', () => [{ name: 7 }, null]],
  ['an object', () => ({ unexpected: true })],
  ['a number', () => 7],
  ['a text', () => 'behavior'],
  ['other types', otherTypes],
  ['no fields', withoutFields],
]

beforeEach(() => {
  // Another try would only come seconds later.
  const { queries } = dataClient.getDefaultOptions()
  dataClient.setDefaultOptions({ queries: { ...queries, retry: false } })
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  vi.stubGlobal('reportError', vi.fn())
})
afterEach(() => vi.restoreAllMocks())

/** A value of a field as the server sends it. */
function valueOf(field: Doctype['fields'][string] | undefined): unknown {
  if (!field || field.fieldtype === 'Data' || field.fieldtype === 'Link') return 'text'
  if (['Check', 'Int', 'Float'].includes(field.fieldtype)) return 1
  if (['Datetime', 'Date'].includes(field.fieldtype)) return standard.creation
  if (field.fieldtype === 'Table' || field.is_list) return []
  if (field.fieldtype === 'JSON') return null
  return Array.isArray(field.options) ? field.options[0] : 'text'
}

/** Answer of a list request: one row that has every requested field with a value of its type. */
function rowsOf({ body }: Call): unknown {
  const type: Doctype | undefined = doctypes.find(({ name }) => name === body['doctype'])
  const fields = (body['fields'] ?? ['name']) as readonly string[]
  return [
    Object.fromEntries(
      fields.map((field) => {
        const key = field.split(' as ').at(-1) ?? field
        return [key, key === 'n' ? 1 : valueOf(type?.fields[key])]
      }),
    ),
  ]
}

const time = standard.creation
const actions: Record<string, unknown> = {
  list_members: [
    {
      name: 'm1',
      user: owner.user,
      full_name: 'Ann Lee',
      user_image: null,
      organization_role: 'Admin',
      is_owner: true,
      joined: time,
      sites: null,
      ssh_keys: 1,
      two_factor: true,
      last_active: time,
    },
  ],
  files_folder: { folder: '/srv/blog' },
}
/** What the server answers when nothing is wrong; anything else an empty list. */
const answers: Record<string, (call: Call) => unknown> = {
  'frappe.client.get_list': rowsOf,
  'frappe.client.get_count': () => 1,
  'frappe.client.get_doc_permissions': () => ({
    permissions: { read: 1, write: 1, create: 1, delete: 1, share: 1, submit: 0 },
  }),
  'easydash.api.engine.capabilities': () => ({
    engine: 'ee',
    php_versions: ['8.3'],
    capabilities: { restart: { supported: false, reason: 'Not here.' } },
  }),
  'easydash.api.two_factor.status': () => ({ enabled: true, since: time, recovery_codes_left: 8 }),
  'easydash.api.connections.facts': () => ({ egress_ips: ['192.0.2.1'], bot_name: 'bot', default_public_key: 'ssh' }),
  'easydash.api.sessions.list': () => [
    {
      id: 'a',
      current: true,
      device: 'Firefox on Windows',
      browser: 'Firefox',
      os: 'Windows',
      ip: null,
      country_code: '',
      country: '',
      created: time,
      last_used: time,
    },
  ],
  run_doc_method: ({ body }) => actions[String(body['method'])] ?? [],
}

const replyOf = (name: string, value: unknown): Reply =>
  name.startsWith('resource/') ? { data: value } : { message: value }

/** Serves everything as it should be, but what `broken` answers, which `malform` changes. */
function serve(broken?: string, malform = (right: unknown) => right): void {
  const right: Record<string, (call: Call) => unknown> = {
    ...answers,
    ...Object.fromEntries(Object.entries(documents).map(([name, data]) => [name, () => data])),
  }
  api.on(':method', () => ({ message: [] }))
  api.on('resource/:doctype/:name', () => ({ status: 404, body: { exception: 'Not found' } }))
  for (const [name, answer] of Object.entries(right)) api.on(name, (call) => replyOf(name, answer(call)))
  if (broken !== undefined) api.on(broken, (call) => replyOf(broken, malform(right[broken]?.(call) ?? [])))
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
  // Tabs are loaded when they are opened.
  await vi.dynamicImportSettled()
  await waitFor(() => {
    expect(document.querySelector('.sk')).toBeNull()
    expect(dataClient.isFetching()).toBe(0)
  })
  return document.body.textContent ?? ''
}

test.each(pages)(
  '%s stays readable, whatever any of its calls answers',
  async (...entry) => {
    const [path, doc] = entry
    serve()
    await show(entry)
    expect(screen.queryAllByRole('alert')).toEqual([])
    const names = [...new Set(api.calls.map(({ name }) => (name === ':method' ? '' : name)))].filter(Boolean)
    expect(names).toContain(doc)
    for (const name of names) {
      for (const [kind, malform] of malformed) {
        cleanup()
        dataClient.clear()
        serve(name, malform)
        const text = await show(entry)
        expect(text, `${path}: ${name} answers ${kind}`).not.toMatch(
          /undefined|NaN|\[object|Unexpected Application Error/,
        )
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
  serve('resource/Site/s1', (right) => ({ ...(right as object), ...wrong }))
  const [site] = pages
  const text = site ? await show(site) : ''
  expect(screen.getAllByRole('alert').length).toBeGreaterThan(0)
  expect(text).not.toMatch(/Setting up|Live/)
})
