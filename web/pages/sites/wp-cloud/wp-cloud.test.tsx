import { cleanup, screen, waitFor, within } from '@testing-library/react'
import { Suspense } from 'react'
import { useLocation } from 'react-router'
import { expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { sampleTime } from '#tests/web/sample.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { PathParams } from '#web/lib/routing/route-match.ts'
import type { Session } from '#web/lib/session/session.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { SiteCreatePage } from '../site-create-page.tsx'
import { SitePage } from '../site-page.tsx'
import { WpcSiteListPage } from './wpc-site-list-page.tsx'

const api = apiServer()
const optionsMethod = 'easydash.easydash.doctype.wpc_site.wpc_site.get_options'
const options = {
  data_centers: ['ams', 'bur'],
  php_versions: [
    { version: '8.3', is_default: false, until: '2026-12-15' },
    { version: '8.4', is_default: true, until: null },
  ],
}
const site = {
  ...{ name: 'w1', doctype: 'WPC Site', domain: 'one.example', status: 'Live', owner: owner.user },
  ...{
    atomic_site_id: '42',
    php_version: '8.4',
    wordpress_version: '6.8.3',
    space_quota: '50G',
    space_used: 1024 ** 2,
  },
  ...{
    memory_mb: 512,
    workers: 10,
    burst: 1,
    checked_at: sampleTime,
    usr_alias_domains: 'a.example\nb.example',
    creation: sampleTime,
  },
}
const answers: Readonly<Record<string, (args?: Record<string, unknown>) => object>> = {
  list_shares: () => [],
  list_privileged: () => [],
  list_backups: () => ({ backups: [{ backup: '7', kind: 'fs', on_demand: true, creation: sampleTime }] }),
  list_ssh_users: () => ({ host: 'ssh.example', logins: ['acme-ann'] }),
  get_metrics: () => ({
    interval: 900,
    samples: [
      { timestamp: 1_800_000_000, requests: 30, response_seconds: 0.1, cache_percent: 50 },
      { timestamp: 1_800_000_900, requests: 10, response_seconds: 0.5, cache_percent: 90 },
    ],
  }),
  read_log: (args) => ({
    lines: [{ at: sampleTime, level: 'error', text: args?.['cursor'] ? 'an older line' : 'a newer line' }],
    cursor: args?.['cursor'] ? null : 'c1',
  }),
}
const on: Session = { ...owner, modules: { ee: true, wpc: true } }
const manager: Session = {
  ...on,
  organization: { name: 'acme', title: 'Acme', role: 'Organization Manager', owner: false },
}

const member: Session = {
  ...on,
  organization: { name: 'acme', title: 'Acme', role: 'Organization User', owner: false },
}

function Where() {
  const { pathname, search } = useLocation()
  return <p data-testid="where">{`${pathname}${search}`}</p>
}

function answer(more: object = {}) {
  api.on('resource/:doctype/:name', () => ({ data: {} }))
  api.on('resource/Site/w1', () => ({
    status: 404,
    body: { exc_type: 'DoesNotExistError', exception: 'Site w1 not found' },
  }))
  api.on('resource/WPC%20Site/w1', () => ({ data: { ...site, ...more } }))
  api.on('frappe.client.get_doc_permissions', () => ({ message: { permissions: { read: 1, write: 0, share: 0 } } }))
  api.on('frappe.client.get_list', () => ({ message: [] }))
  api.on('frappe.client.get_count', () => ({ message: 0 }))
  api.on(optionsMethod, () => ({ message: options }))
  // Of the form for servers.
  api.on('easydash.api.site.php.get_versions', () => ({ message: ['8.4'] }))
  api.on('frappe.desk.search.search_link', () => ({ message: [] }))
  api.on('run_doc_method', ({ body }) => ({
    message: answers[String(body['method'])]?.(body['args'] as Record<string, unknown> | undefined) ?? { job: 'j1' },
  }))
}

async function openPage(hash: string, session = on, more: object = {}) {
  answer(more)
  const { user } = renderAs(
    session,
    <TooltipProvider>
      <PathParams value={{ site: 'w1' }}>
        <Suspense>
          <SitePage />
        </Suspense>
      </PathParams>
    </TooltipProvider>,
    `/site/w1${hash}`,
  )
  await screen.findByRole('heading', { level: 1, name: 'one.example' })
  return user
}

const calls = () =>
  api.calls
    .filter(({ name, body }) => name === 'run_doc_method' && answers[String(body['method'])] === undefined)
    .map(({ body }) => body)

test('the page of a site says what WP Cloud says', async () => {
  await openPage('')
  expect(document.body.textContent).toMatch(/512 MB.*10.*On.*1 MB of 50 GB/)
  expect(screen.getByRole('link', { name: 'Open wp-admin' }).getAttribute('href')).toBe('https://one.example/wp-admin/')
})

test('one that failed says why, and is not linked', async () => {
  await openPage('', on, { status: 'Failed', failure_reason: 'WP Cloud has one.example already.' })
  expect(screen.getByText('WP Cloud has one.example already.')).toBeTruthy()
  expect(screen.queryByRole('link', { name: 'Visit' })).toBeNull()
})

test('settings are changed one by one, aliases as a list', async () => {
  const user = await openPage('#configurations')
  await user.click(await screen.findByRole('button', { name: 'Change PHP version…' }))
  const php = within(await screen.findByRole('dialog'))
  await user.selectOptions(php.getByLabelText(/PHP/), '8.3')
  await user.click(php.getByRole('button', { name: 'Change PHP version' }))
  await waitFor(() => expect(calls()).toMatchObject([{ method: 'set_php_version', args: { value: '8.3' } }]))
  await user.click(screen.getByRole('button', { name: 'Change aliases…' }))
  const dialog = within(await screen.findByRole('dialog'))
  await user.type(dialog.getByLabelText('Alias domains'), '{Enter}C.example')
  await user.click(dialog.getByRole('button', { name: 'Save' }))
  await waitFor(() =>
    expect(calls().at(-1)).toMatchObject({
      method: 'set_aliases',
      args: { value: ['a.example', 'b.example', 'c.example'] },
    }),
  )
})

test('a manager changes settings, and neither buys resources nor ends the site', async () => {
  await openPage('#configurations', manager)
  const buttons = (await screen.findAllByRole('button')).map(({ textContent }) => textContent)
  expect(buttons).toContain('Change domain…')
  for (const name of ['Change PHP workers…', 'Change storage…', 'Suspend…', 'Delete permanently…'])
    expect(buttons).not.toContain(name)
})

test('a backup is restored after a question, and a backup on demand can be deleted', async () => {
  const user = await openPage('#backups')
  expect(await screen.findByRole('button', { name: 'Delete…' })).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Restore…' }))
  await user.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Restore' }))
  await waitFor(() => expect(calls()).toMatchObject([{ method: 'restore', args: { backup: '7' } }]))
})

test('requests count for what they were; older lines follow the newer ones', async () => {
  const user = await openPage('#monitoring', manager)
  expect(await screen.findByText('40')).toBeTruthy()
  expect(screen.getByText('0.2 s')).toBeTruthy()
  expect(screen.getByText('60%')).toBeTruthy()
  await user.click(await screen.findByRole('button', { name: 'Older lines' }))
  expect(await screen.findByText('an older line')).toBeTruthy()
  expect(screen.getByText('a newer line')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Older lines' })).toBeNull()
})

test('admins remove an SSH user after a question; managers have no such tab', async () => {
  const user = await openPage('#ssh')
  await user.click(await screen.findByRole('button', { name: 'Remove acme-ann…' }))
  await user.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: /Remove/ }))
  await waitFor(() => expect(calls()).toMatchObject([{ method: 'remove_ssh_user', args: { user: 'acme-ann' } }]))
  cleanup()
  await openPage('', manager)
  expect(screen.queryByRole('tab', { name: 'SSH' })).toBeNull()
})

function create(session: Session) {
  return renderAs(
    session,
    <TooltipProvider>
      <Suspense>
        <SiteCreatePage />
        <Where />
      </Suspense>
    </TooltipProvider>,
    '/site/create?where=wp-cloud',
  )
}

test('a site is ordered with what was chosen', async () => {
  answer()
  api.on('resource/WPC%20Site', () => ({ data: { ...site, job: 'j9' } }))
  const { user } = create(on)
  await user.type(await screen.findByLabelText(/Domain/), 'ONE.example')
  await user.selectOptions(await screen.findByRole('combobox', { name: 'Data center' }), 'ams')
  await user.click(screen.getAllByRole('button', { name: 'Create site' })[0] as HTMLElement)
  await waitFor(() => expect(screen.getByTestId('where').textContent).toBe('/site/w1?job=j9'))
  expect(api.calls.findLast(({ name }) => name === 'resource/WPC%20Site')?.body).toMatchObject({
    ...{ domain: 'one.example', data_center: 'ams', php_version: '8.4', space_quota: '25G', organization: 'acme' },
  })
})

test('without an account there, the way to one', async () => {
  answer()
  api.on(optionsMethod, () => ({
    status: 417,
    body: {
      exc_type: 'ValidationError',
      exception: 'The organization has no connection to WP Cloud.',
      field: 'connection',
    },
  }))
  create(on)
  expect((await screen.findByRole('link', { name: 'Open the settings' })).getAttribute('href')).toContain(
    '#cloud_providers',
  )
})

test('sites that the account has are added, but those that were left out', async () => {
  answer()
  const prefix = 'easydash.easydash.doctype.wpc_site.wpc_site'
  api.on(`${prefix}.list_unmanaged`, () => ({
    message: ['a', 'b'].map((name, at) => ({ atomic_site_id: String(at + 1), domain: `${name}.example` })),
  }))
  api.on(`${prefix}.import_sites`, () => ({ message: { added: ['w9'], failed: [] } }))
  const { user } = renderAs(
    on,
    <TooltipProvider>
      <WpcSiteListPage />
    </TooltipProvider>,
    '/site/wp-cloud',
  )
  await user.click(await screen.findByRole('button', { name: 'Add existing sites' }))
  await user.click(await screen.findByRole('checkbox', { name: 'b.example' }))
  await user.click(screen.getByRole('button', { name: 'Add 1 site' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(api.calls.findLast(({ name }) => name === `${prefix}.import_sites`)?.body).toEqual({ sites: ['1'] })
})

test('managers are not asked where', async () => {
  answer()
  create(manager)
  await screen.findByRole('heading', { level: 1, name: 'Create Site' })
  expect(screen.queryByText('On a server')).toBeNull()
})

test('a manager shares it with a member, who can see it and nothing more', async () => {
  const user = await openPage('', manager)
  api.on('frappe.client.get_list', () => ({ message: [{ name: 'mia@acme.example', full_name: 'Mia Moor' }] }))
  await user.click(screen.getByRole('button', { name: 'Share' }))
  const dialog = await screen.findByRole('dialog', { name: 'Share one.example' })
  expect(within(dialog).queryByRole('button', { name: 'Transfer ownership…' })).toBeNull()
  await user.type(within(dialog).getByRole('combobox', { name: 'Add a member' }), 'mia')
  await user.click(await screen.findByRole('option', { name: 'Mia Moor (mia@acme.example)' }))
  await waitFor(() =>
    expect(calls()).toMatchObject([
      { dt: 'WPC Site', dn: 'w1', method: 'share', args: { user: 'mia@acme.example', read: 1 } },
    ]),
  )
  expect(within(dialog).queryByRole('combobox', { name: 'Access of Mia Moor' })).toBeNull()
})

test('a member does not share what is shared with them', async () => {
  await openPage('', member)
  expect(screen.queryByRole('button', { name: 'Share' })).toBeNull()
})
