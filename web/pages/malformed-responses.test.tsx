/** Every call of every detail page is answered with something of another shape: an error panel, never an empty or broken page. */
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import { Fragment, Suspense, type ReactElement } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Doctype } from '#shared/doctype.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { countryList, subscriptionStatus, userProfile } from '#shared/responses/billing.ts'
import { health } from '#shared/responses/health.ts'
import { logPage } from '#shared/responses/job-log.ts'
import { jobsPage, mailWithContent, organizationsPage, outboxPage, usersPage } from '#shared/responses/platform.ts'
import { isObject } from '#shared/parse-json.ts'
import { apiServer, type Call, type Reply } from '#tests/web/api.ts'
import { actionAnswers } from '#tests/web/action-answers.ts'
import { sampleOf, sampleTime } from '#tests/web/sample.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { dataClient } from '#web/lib/api/data-client.ts'
import { PathParams } from '#web/lib/routing/route-match.ts'
import { JobOverlay } from '#web/shell/frame/job-overlay.tsx'
import { LazyOverlay } from '#web/ui/overlay/lazy-overlay.tsx'
import { PageBoundary } from '#web/shell/frame/page-boundary.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { BillingPage } from './billing/billing-page.tsx'
import { BulkPage } from './bulk/bulk-page.tsx'
import { OrganizationPage } from './organization/organization-page.tsx'
import { MailDialog } from './platform/mail-dialog.tsx'
import { PlatformPage } from './platform/platform-page.tsx'
import { ServerPage } from './servers/server-page.tsx'
import { SitePage } from './sites/site-page.tsx'
import { UserPage } from './user/user-page.tsx'

const api = apiServer()
const standard = {
  owner: owner.user,
  creation: sampleTime,
  modified: sampleTime,
  modified_by: owner.user,
  docstatus: 0,
  idx: 0,
}
/** A job with everything that its drawer shows. */
const jobIn = (status: 'Done' | 'Failed' | 'Running', name: string) => ({
  ...standard,
  name,
  owner: 'ben@acme.example',
  job_type: 'site.create',
  label: 'Create blog',
  status,
  percent: 40,
  reference_doctype: 'Site',
  reference_name: 's1',
  reference_title: 'blog',
  steps: [
    {
      key: 'copy',
      label: 'Copy files',
      status,
      started: standard.creation,
      ended: status === 'Running' ? null : standard.creation,
      percent: 40,
      weight: 1,
      wait: {
        since: standard.creation,
        reason: 'Waiting for {0}',
        reason_i18n: { id: 'Waiting for {0}', values: ['v1'] },
      },
    },
  ],
  started: standard.creation,
  ended: status === 'Running' ? null : standard.creation,
  error_message: 'The disk is full.',
  error_message_i18n: { id: 'The disk is full.' },
  next_action: 'Free some space.',
  next_action_i18n: { id: 'Free some space.' },
  log_lines: 1,
  usual_seconds: 90,
})
const documents: Record<string, object> = {
  'resource/Site/s1': { ...standard, name: 's1', domain: 'blog', site_type: 'wp', status: 'Live', server: 'v1' },
  'resource/Bulk%20Run/r1': {
    ...{ ...standard, name: 'r1', organization: 'acme', action: 'archive', label: 'Archive', status: 'Done' },
    ...{ total: 1, waiting: 0, running: 0, done: 1, failed: 0, skipped: 0, canceled: 0 },
  },
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
  'resource/Subscription%20Organization/acme': { ...standard, name: 'acme', plan_name: 'Free' },
  'resource/Platform%20Settings/platform': { ...standard, name: 'platform', plans_enabled: 1 },
  ...Object.fromEntries(
    (['Done', 'Failed', 'Running'] as const).map((status, at) => [
      `resource/Job/j${at + 1}`,
      jobIn(status, `j${at + 1}`),
    ]),
  ),
  'resource/Activity/a1': {
    ...standard,
    name: 'a1',
    actor: 'ben@acme.example',
    action: 'created the site',
    reference_doctype: 'Site',
    reference_name: 's1',
    reference_title: 'blog',
    detail: 'with Ben',
    detail_i18n: { id: 'with {0}', values: ['Ben'] },
    before: { server: 'v1', title: 'Blog' },
    after: { server: 'v2', title: 'Journal' },
    result: 'Done',
    took_ms: 1200,
    via: 'web',
    job: 'j1',
  },
  'resource/Organization/acme': { ...standard, name: 'acme', title: 'Acme', slug: 'acme', _owner: owner.user },
}
const user = owner.user ?? ''
/** The call without which a page has nothing to show; '' for a page that shows a list. */
type Page = readonly [path: string, main: string, params: Record<string, string>, page: ReactElement]
const billing = 'easydash.easydash.doctype.subscription_organization.subscription_organization'
/** Drawers are opened by the address, over a page. */
const overSites = (
  <>
    <h1>Sites</h1>
    <LazyOverlay open>
      <JobOverlay />
    </LazyOverlay>
  </>
)
const pages: readonly Page[] = [
  ...' #monitoring #activities #wordpress #configurations #logs #files #database #staging'
    .split(' ')
    .map((tab) => [`/site/s1${tab}`, 'resource/Site/s1', { site: 's1' }, <SitePage key="site" />] as const),
  ...['', '#activities'].map(
    (tab) => [`/server/v1${tab}`, 'resource/Server/v1', { server: 'v1' }, <ServerPage key="server" />] as const,
  ),
  ...['', '#rolesandpermission', '#settings'].map(
    (tab) =>
      [`/user/ann${tab}`, `resource/User/${encodeURIComponent(user)}`, { user }, <UserPage key="user" />] as const,
  ),
  ...['', 'slack', 'github', 'cloud_providers', 'backup_providers', 'ssh', 'activities'].map(
    (tab) =>
      [`/organization#${tab}`, 'resource/Organization/acme', {}, <OrganizationPage key="organization" />] as const,
  ),
  ['/billing#profile', `${billing}.get_user_profile`, {}, <BillingPage key="billing" />],
  ...['purchases', 'invoices', 'payment-methods', 'plans'].map(
    (tab) => [`/billing#${tab}`, `${billing}.get_subscription_status`, {}, <BillingPage key="billing" />] as const,
  ),
  ['/billing#activities', '', {}, <BillingPage key="billing" />],
  ...['organizations', 'users', 'outbox', 'jobs', 'health'].map(
    (tab) => [`/platform#${tab}`, `easydash.api.platform.${tab}`, {}, <PlatformPage key="platform" />] as const,
  ),
  ['/bulk/r1', 'resource/Bulk%20Run/r1', { run: 'r1' }, <BulkPage key="bulk" />],
  ['/platform#plans', '', {}, <PlatformPage key="platform" />],
  ...['text', 'elsewhere'].map(
    (name) =>
      [
        `/platform?organizations.open=${name}#organizations`,
        'easydash.api.platform.organizations',
        {},
        <PlatformPage key="platform" />,
      ] as const,
  ),
  [
    '/platform/mail',
    'easydash.api.platform.outbox_mail',
    {},
    <Fragment key="mail">
      <h1>Platform</h1>
      <MailDialog mail={1} onClose={() => undefined} />
    </Fragment>,
  ],
  ...['j1', 'j2', 'j3'].map((job) => [`/site?job=${job}`, `resource/Job/${job}`, {}, overSites] as const),
  ['/site/s1?activity=a1#activities', 'resource/Activity/a1', { site: 's1' }, <SitePage key="site" />],
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

const plan = subscriptionStatus.parse(sampleOf(subscriptionStatus))
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
  'easydash.api.two_factor.status': () => ({ enabled: true, since: sampleTime, recovery_codes_left: 8 }),
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
      created: sampleTime,
      last_used: sampleTime,
    },
  ],
  [`${billing}.get_user_profile`]: () => sampleOf(userProfile),
  'easydash.api.payment_subscription.get_countries_list': () => sampleOf(countryList),
  [`${billing}.get_subscription_status`]: () => plan,
  'easydash.api.platform.organizations': () => sampleOf(organizationsPage),
  'easydash.api.platform.users': () => sampleOf(usersPage),
  'easydash.api.platform.outbox': () => sampleOf(outboxPage),
  'easydash.api.platform.outbox_mail': () => sampleOf(mailWithContent),
  'easydash.api.platform.jobs': () => sampleOf(jobsPage),
  'easydash.api.platform.health': () => sampleOf(health),
  'easydash.easydash.doctype.server_logs.server_logs.get_job_logs': ({ body }) =>
    body['cursor'] === undefined ? sampleOf(logPage) : { lines: [], cursor: 1, done: true },
  run_doc_method: ({ body }) => actionAnswers[String(body['method'])] ?? [],
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
    { ...owner, modules: { ee: true, wpc: false }, platformAdmin: true, subscription: plan },
    <TooltipProvider>
      <PathParams value={params}>
        <PageBoundary at={path}>
          <Suspense fallback="…">{page}</Suspense>
        </PageBoundary>
      </PathParams>
    </TooltipProvider>,
    path,
  )
  await screen.findAllByRole('heading', { level: 1, hidden: true })
  // Tabs are loaded when they are opened.
  await vi.dynamicImportSettled()
  await waitFor(() => {
    expect(document.querySelector('.sk')).toBeNull()
    expect(dataClient.isFetching()).toBe(0)
  })
  return document.body.textContent ?? ''
}

/** Error panels, which offer to try again. A failed job is reported by a notice without a button. */
const panels = () => screen.queryAllByRole('alert').filter((alert) => within(alert).queryAllByRole('button').length > 0)

test.each(pages)(
  '%s stays readable, whatever any of its calls answers',
  async (...entry) => {
    const [path, main] = entry
    serve()
    await show(entry)
    expect(panels().map(({ textContent }) => textContent)).toEqual([])
    const names = [...new Set(api.calls.map(({ name }) => (name === ':method' ? '' : name)))].filter(Boolean)
    if (main !== '') expect(names).toContain(main)
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
          screen.getAllByRole('heading', { level: 1, hidden: true })[0]?.textContent,
          `${path}: ${name} answers ${kind}`,
        ).toMatch(/\S/)
        if (name === main)
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

const withParts = pages.filter(([, main]) => Object.values(documents[main] ?? {}).some(isObject))
test.each(withParts)('%s stays readable, whatever the parts of its document are', async (...entry) => {
  const [path, main] = entry
  for (const [field, right] of Object.entries(documents[main] ?? {})) {
    if (!isObject(right) && !Array.isArray(right)) continue
    for (const [kind, malform] of malformed) {
      cleanup()
      dataClient.clear()
      serve(main, (doc) => ({ ...(doc as object), [field]: malform(right) }))
      const text = await show(entry)
      expect(text, `${path}: ${field} is ${kind}`).not.toMatch(/undefined|NaN|\[object|Unexpected Application Error/)
    }
  }
})
