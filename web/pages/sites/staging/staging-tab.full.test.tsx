import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import type { Site } from '#shared/doctypes/site.ts'
import type { PushPlan } from '#shared/responses/push-plan.ts'
import { apiServer, type Reply } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { dataClient } from '#web/lib/api/data-client.ts'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { StagingTab } from './staging-tab.tsx'

const api = apiServer()
const live = { name: 's1', domain: 'shop', site_type: 'wp', status: 'Live', server: 'srv', pushed_at: null } as Site
const staging = { ...live, name: 's2', domain: 'shop-staging', staging_of: 's1' } as Site
const none = { added: 0, changed: 0, deleted: 0, samples: [] }
const plan: PushPlan = {
  files: {
    digest: 'f',
    staging: { added: 1, changed: 1, deleted: 0, samples: [{ label: 'wp-content/a.php', what: 'add' }] },
    live: none,
    clashes: [{ id: 'f'.repeat(16), path: 'style.css', staging: 'change', live: 'change' }],
    total: 1,
  },
  database: {
    digest: 'd',
    kinds: [
      { kind: 'posts', staging: { ...none, changed: 1 }, live: { ...none, changed: 1 } },
      { kind: 'orders', staging: none, live: { ...none, added: 3, samples: [{ label: 'Order 7', what: 'add' }] } },
    ],
    clashes: [
      {
        id: 'a'.repeat(16),
        kind: 'posts',
        type: 'changed',
        label: '<b>Hello</b>',
        detail: 'post_title',
        staging: { op: 'change', value: 'Of staging', hidden: false },
        live: { op: 'change', value: 'Of live', hidden: false },
      },
      {
        id: 'b'.repeat(16),
        kind: 'posts',
        type: 'number',
        label: 'New page',
        detail: '',
        staging: { op: 'add', value: 'New page', hidden: false },
        live: { op: 'add', value: '', hidden: true },
      },
    ],
    total: 5,
    notes: [{ table: 'wp_odd', note: 'no_key' }],
  },
}
let stored: { plan: PushPlan | null; made_at: string | null }
let sites: Record<string, unknown>[]
let losses: Reply
const sent = (method: string) =>
  api.calls.filter(({ body }) => body['method'] === method).map(({ body }) => body['args'])

beforeEach(() => {
  stored = { plan, made_at: '2026-11-25 04:00:00.000000' }
  sites = [{ name: 's1', domain: 'shop' }]
  losses = { message: { since: '2026-11-25 04:10:00.000000', files: none, kinds: [] } }
  api.on(':method', () => ({ message: [] }))
  api.on('frappe.client.get_list', () => ({ message: sites }))
  api.on('easydash.api.engine.capabilities', () => ({ message: { capabilities: {} } }))
  api.on('run_doc_method', ({ body }) =>
    body['method'] === 'push_losses' ? losses : { message: body['method'] === 'push_plan' ? stored : { job: 'j1' } },
  )
})

const open = (site: Site) =>
  renderAs(
    owner,
    <TooltipProvider>
      <StagingTab site={site} />
    </TooltipProvider>,
    '/site/s2#staging',
  )

test('shows what changed on either side as text, and pushes with the decisions', async () => {
  const { user } = open(staging)
  const changes = await screen.findByRole('region', { name: 'What changed since staging was created' })
  expect(within(changes).getByText('1 added, 1 changed')).toBeTruthy()
  expect(within(changes).getByText('3 added')).toBeTruthy()
  expect(screen.getByText(/wp_odd has no key/)).toBeTruthy()
  expect(screen.getByText(/3 more are not listed/)).toBeTruthy()
  const page = screen.getByRole('group', { name: 'New page' })
  expect(within(page).getAllByText('Hidden, because it is or contains a secret')).toHaveLength(1)

  const post = screen.getByRole('group', { name: '<b>Hello</b> post_title' })
  expect(within(post).getByRole('radio', { name: /Keep shop/ })).toHaveProperty('checked', true)
  await user.click(within(post).getByRole('radio', { name: /Take staging/ }))
  await user.click(within(screen.getByRole('region', { name: 'Files' })).getByRole('checkbox'))
  await user.click(screen.getByRole('button', { name: 'Push to shop…' }))
  await user.click(await screen.findByRole('button', { name: 'Push' }))
  await waitFor(() => expect(sent('push_staging')).toHaveLength(1))
  expect(sent('push_staging')[0]).toEqual({
    made_at: stored.made_at,
    what: ['files', 'database'],
    take: ['a'.repeat(16)],
    take_all: ['files'],
  })
})

test('content that is pushed as a whole is one decision, which says what it costs', async () => {
  const side = { op: 'change', value: '', hidden: false } as const
  const clash = { id: 'c'.repeat(16), kind: 'database', type: 'changed', label: '', detail: '' } as const
  const database = { ...plan.database!, clashes: [{ ...clash, staging: side, live: side }], total: 1, notes: [] }
  stored = {
    plan: { files: { ...plan.files, clashes: [], total: 0 }, database },
    made_at: '2026-11-25 06:00:00.000000',
  }
  const { user } = open(staging)
  const content = await screen.findByRole('group', { name: 'All content' })
  expect(within(content).getByText(/is lost there/)).toBeTruthy()
  expect(screen.getByText(/unless you choose staging for all content/)).toBeTruthy()
  await user.click(within(content).getByRole('radio', { name: /Take staging/ }))
  await user.click(screen.getByRole('button', { name: 'Push to shop…' }))
  await user.click(await screen.findByRole('button', { name: 'Push' }))
  await waitFor(() => expect(sent('push_staging')[0]).toMatchObject({ take: ['c'.repeat(16)], take_all: [] }))
})

test('nothing chosen, or nothing changed, cannot be pushed', async () => {
  const { user, unmount } = open(staging)
  await user.click(await screen.findByRole('checkbox', { name: /^Files/ }))
  await user.click(screen.getByRole('checkbox', { name: /^Content/ }))
  expect(screen.getByText('Choose files, content or both.')).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Push to shop…' }).getAttribute('aria-disabled')).toBe('true')
  unmount()
  dataClient.clear()
  stored = {
    plan: { files: { ...plan.files, staging: none, clashes: [], total: 0 }, database: null },
    made_at: '2026-11-25 05:00:00.000000',
  }
  open(staging)
  expect(await screen.findByText(/there is nothing to push/)).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Push to shop…' })).toBeNull()
})

test('sites are called by their titles, with their addresses beside', async () => {
  sites = [{ name: 's1', domain: 'shop', title: 'My shop' }]
  const { container, unmount } = open({ ...staging, title: 'My shop' })
  expect(await screen.findByRole('button', { name: 'Push to My shop…' })).toBeTruthy()
  expect(container.textContent).toContain('Staging of My shop shop. Visitors')
  unmount()
  dataClient.clear()
  sites = [{ ...staging, title: 'My shop', creation: '2026-11-25 04:00:00.000000' }]
  open({ ...live, title: 'My shop' })
  const link = await screen.findByRole('link', { name: 'My shop' })
  expect(link.closest('li')?.textContent).toContain('shop-staging')
})

test('a site lists its staging sites, and offers the rollback of a push that is kept', async () => {
  sites = [{ name: 's2', domain: 'shop-staging', status: 'Live', creation: '2026-11-25 04:00:00.000000' }]
  const { unmount } = open(live)
  expect((await screen.findByRole('link', { name: 'shop-staging' })).getAttribute('href')).toContain('/site/s2#staging')
  expect(screen.getByRole('button', { name: 'Create staging site…' })).toBeTruthy()
  expect(screen.queryByText('Last push')).toBeNull()
  unmount()
  open({ ...live, pushed_at: '2026-11-25 04:10:00.000000', pushed_from: 'shop-staging' })
  expect(await screen.findByRole('button', { name: 'Roll back the push…' })).toBeTruthy()
  expect(screen.getByText(/the push of shop-staging is kept/)).toBeTruthy()
})

const pushed = { ...live, pushed_at: '2026-11-25 04:10:00.000000', pushed_from: 'shop-staging' }

test.each<[string, Partial<Site>, RegExp]>([
  ['a network on this machine', { multisite: 'subdir', engine: 'local' }, /Clone it/],
  ['a network on a server', { multisite: 'subdir', engine: 'ee' }, /is not copied on servers/],
  ['a PHP site with a database', { site_type: 'php', with_database: 1, engine: 'ee' }, /only its code knows/],
])('%s has no staging site, and reads why', async (_what, more, reason) => {
  sites = []
  open({ ...live, ...more })
  expect(await screen.findByText(reason)).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Create staging site…' })).toBeNull()
})

test('before a push is rolled back, the dialog names what changed since, which is lost', async () => {
  const orders = { ...none, added: 2, samples: [{ label: '#71', what: 'add' as const }] }
  losses = {
    message: {
      since: '2026-11-25 04:10:00.000000',
      files: { ...none, changed: 1 },
      kinds: [{ kind: 'orders', changes: orders }],
    },
  }
  const { user } = open(pushed)
  await user.click(await screen.findByRole('button', { name: 'Roll back the push…' }))
  const dialog = await screen.findByRole('alertdialog', { name: 'Roll back the push?' })
  expect(await within(dialog).findByText('Orders: 2 added')).toBeTruthy()
  expect(within(dialog).getByText('Files: 1 changed')).toBeTruthy()
  expect(within(dialog).getByText('#71')).toBeTruthy()
  expect(sent('roll_back_push')).toEqual([])
  await user.click(within(dialog).getByRole('button', { name: 'Roll back the push' }))
  await waitFor(() => expect(sent('roll_back_push')).toHaveLength(1))
})

test.each([
  ['nothing changed', () => losses, /Nothing changed since the push/],
  [
    'it cannot be found out',
    (): Reply => ({ status: 503, body: { exc_type: 'ServiceUnavailableError' } }),
    /It is not known what changed/,
  ],
])('the dialog says if %s', async (_what, reply, text) => {
  losses = reply()
  const { user } = open(pushed)
  await user.click(await screen.findByRole('button', { name: 'Roll back the push…' }))
  const dialog = await screen.findByRole('alertdialog')
  expect(await within(dialog).findByText(text)).toBeTruthy()
  expect(within(dialog).getByRole('button', { name: 'Roll back the push' })).toBeTruthy()
})
