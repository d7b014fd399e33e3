import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ReactNode } from 'react'
import { beforeEach, expect, test, vi } from 'vitest'
import type { Site } from '#shared/doctypes/site.ts'
import type { WordPressFacts } from '#shared/responses/wordpress.ts'
import { apiServer, type Call, type Reply } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { ApiError } from '#web/lib/api/api-error.ts'
import type { sendUpload as SendUpload } from '#web/lib/upload/send-upload.ts'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { ToastArea } from '#web/ui/overlay/toast-area.tsx'
import { WordPressTab } from './wordpress-tab.tsx'

const { sendUpload } = vi.hoisted(() => ({
  sendUpload: vi.fn<typeof SendUpload>(),
}))
vi.mock('#web/lib/upload/send-upload.ts', () => ({ sendUpload }))

const api = apiServer()
const plugin: WordPressFacts['plugins'][number] = {
  id: 'hello.php',
  kind: 'plugin',
  name: 'Hello Dolly',
  version: '1.7.2',
  author: 'Matt',
  description: 'Sings.',
  active: false,
  network: false,
  auto_update: false,
  update: '1.8',
  previous: '1.6',
  managed: false,
}
const facts: WordPressFacts = {
  version: '6.5.5',
  update: null,
  broken: null,
  previous: null,
  multisite: false,
  sites: null,
  plugins: [
    plugin,
    { ...plugin, id: 'a/a.php', name: 'Äpfel', active: true, update: null },
    { ...plugin, id: 'db.php', kind: 'drop_in', name: 'SQLite', managed: true, active: true, update: null },
  ],
  themes: [
    {
      id: 'one',
      name: 'One',
      version: '1',
      author: 'x',
      active: true,
      in_use: true,
      network: false,
      parent: null,
      auto_update: false,
      update: null,
      previous: null,
    },
  ],
  events: { total: 0, paused: false, rows: [] },
  counts: { post: 3 },
  roles: { administrator: 'Administrator', editor: 'Editor' },
}
const user = {
  login: 'boss',
  name: 'Boss',
  email: 'boss@example.com',
  roles: ['administrator'],
  ...{ registered: 0, from_login: false },
}
const site = {
  name: 's1',
  domain: 'blog',
  site_type: 'wp',
  status: 'Live',
  server: 'srv',
  engine: 'local',
  wordpress_checksum: 'Not Checked',
} as Site
const now = () => `${new Date().toISOString().slice(0, 19).replace('T', ' ')}.000000`

/** Replies by action; others get an empty one. */
let replies: Record<string, (call: Call) => Reply | Promise<Reply>>
const called = (method: string) => api.calls.filter((call) => call.body['method'] === method)

beforeEach(() => {
  replies = {
    wordpress_facts: () => ({ message: { facts, measured_at: now() } }),
    inspect_wordpress: () => ({ message: { facts, measured_at: now() } }),
    wordpress_users: () => ({ message: { total: 1, rows: [user] } }),
    checksum_report: () => ({ message: { report: null, measured_at: null } }),
    check_wordpress_health: () => ({ message: { checked_at: now(), findings: [] } }),
  }
  api.on('run_doc_method', (call) => replies[String(call.body['method'])]?.(call) ?? { message: {} })
  api.on('easydash.api.engine.capabilities', () => ({
    message: { engine: 'local', php_versions: [], capabilities: {} },
  }))
  api.on('frappe.client.get_doc_permissions', () => ({ message: { permissions: { read: 1, write: 1, share: 1 } } }))
  api.on('resource/Site/s1', () => ({ data: site }))
})

const open = (changes: Partial<Site> = {}, beside: ReactNode = null) =>
  renderAs(
    owner,
    <TooltipProvider>
      <WordPressTab site={{ ...site, ...changes }} />
      {beside}
    </TooltipProvider>,
  )

test('shows what was stored without reading the site again, if it is new', async () => {
  open()
  expect(await screen.findByText('Hello Dolly')).toBeTruthy()
  expect(screen.getByText('Update to 1.8')).toBeTruthy()
  expect(await screen.findByText(/boss@example.com/)).toBeTruthy()
  expect(called('inspect_wordpress')).toHaveLength(0)
})

test('shows what was stored and reads the site again, if it is old', async () => {
  replies['wordpress_facts'] = () => ({ message: { facts, measured_at: '2026-01-01 00:00:00.000000' } })
  replies['inspect_wordpress'] = () => ({
    message: { facts: { ...facts, version: '6.6' }, measured_at: now() },
  })
  open()
  expect(await screen.findByText('Hello Dolly')).toBeTruthy()
  expect(await screen.findByText('WordPress 6.6')).toBeTruthy()
})

test('a site that is read for the first time shows its plugins before everything else', async () => {
  const rest = Promise.withResolvers<Reply>()
  replies['wordpress_facts'] = () => ({ message: { facts: null, measured_at: null } })
  replies['list_plugins'] = () => ({ message: facts.plugins.map(({ id, ...plugin }) => ({ plugin: id, ...plugin })) })
  replies['inspect_wordpress'] = () => rest.promise
  open()
  expect(await screen.findByText('Hello Dolly')).toBeTruthy()
  expect(screen.queryByText('WordPress 6.5')).toBeNull()
  rest.resolve({ message: { facts: { ...facts, version: '6.6' }, measured_at: now() } })
  expect(await screen.findByText('WordPress 6.6')).toBeTruthy()
  expect(screen.getByText('Hello Dolly')).toBeTruthy()
  expect(called('list_plugins')).toHaveLength(1)
})

test('in a network, a plugin is activated on all sites', async () => {
  replies['wordpress_facts'] = () => ({ message: { facts: { ...facts, multisite: true }, measured_at: now() } })
  open()
  await userEvent.click(await screen.findByRole('button', { name: 'More actions for Hello Dolly' }))
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Activate on all sites' }))
  await waitFor(() => expect(called('set_plugin')).toHaveLength(1))
  expect(called('set_plugin')[0]?.body['args']).toEqual({ plugin: 'hello.php', do: 'activate', network: 1 })
})

test('in a network, themes are enabled for all sites, and super admins made', async () => {
  replies['wordpress_facts'] = () => ({ message: { facts: { ...facts, multisite: true }, measured_at: now() } })
  open()
  await userEvent.click(await screen.findByRole('switch', { name: 'Enabled for all sites' }))
  await waitFor(() => expect(called('set_theme_network')[0]?.body['args']).toEqual({ theme: 'one', enabled: 1 }))
  await userEvent.click(await screen.findByRole('button', { name: 'More actions for boss' }))
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Make super admin…' }))
  expect(called('set_super_admin')).toHaveLength(0)
  await userEvent.click(await screen.findByRole('button', { name: 'Make super admin' }))
  await waitFor(() => expect(called('set_super_admin')[0]?.body['args']).toEqual({ login: 'boss', enabled: 1 }))
})

test('activating sends the plugin, and a refusal is shown', async () => {
  replies['set_plugin'] = () => ({
    status: 417,
    body: {
      exc_type: 'ValidationError',
      exception: 'x',
      _server_messages: JSON.stringify([JSON.stringify({ message: 'It is fatal.' })]),
    },
  })
  const { user: person } = open()
  await person.click(await screen.findByRole('button', { name: 'Activate Hello Dolly' }))
  await waitFor(() => expect(called('set_plugin')).toHaveLength(1))
  expect(called('set_plugin')[0]?.body).toMatchObject({
    dt: 'Site',
    dn: 's1',
    args: { plugin: 'hello.php', do: 'activate' },
  })
})

test('what belongs to how the site is run can’t be changed', async () => {
  open()
  const line = (await screen.findByText('SQLite')).closest('li')
  expect(line && within(line).queryAllByRole('button')).toEqual([])
})

test('plugins are found regardless of case and accents, and by state', async () => {
  const { user: person } = open()
  await person.type(await screen.findByRole('searchbox', { name: 'Search plugins' }), 'APFEL')
  await waitFor(() => expect(screen.queryByText('Hello Dolly')).toBeNull())
  expect(screen.getByText('Äpfel')).toBeTruthy()
  await person.clear(screen.getByRole('searchbox', { name: 'Search plugins' }))
  await person.selectOptions(screen.getByRole('combobox', { name: 'Show' }), 'updates')
  expect(await screen.findByText('Hello Dolly')).toBeTruthy()
  expect(screen.queryByText('Äpfel')).toBeNull()
})

test('a site that does not load says why and what to do', async () => {
  replies['wordpress_facts'] = () => ({
    message: { facts: { ...facts, broken: 'Call to undefined x()' }, measured_at: now() },
  })
  open()
  expect((await screen.findByRole('alert')).textContent).toMatch(/does not load.*undefined x.*Deactivate/s)
})

test('plugins that are known before the rest are changed once it has arrived, because it moves them', async () => {
  const rest = Promise.withResolvers<Reply>()
  replies['wordpress_facts'] = () => ({ message: { facts: null, measured_at: null } })
  replies['list_plugins'] = () => ({ message: facts.plugins.map(({ id, ...plugin }) => ({ plugin: id, ...plugin })) })
  replies['inspect_wordpress'] = () => rest.promise
  const { user: person } = open()
  const activate = await screen.findByRole('button', { name: 'Activate Hello Dolly' })
  expect(activate.getAttribute('aria-disabled')).toBe('true')
  await person.click(activate)
  expect(called('set_plugin')).toHaveLength(0)
  rest.resolve({ message: { facts, measured_at: now() } })
  expect(await screen.findByText('6.5.5')).toBeTruthy()
  expect(activate.getAttribute('aria-disabled')).toBeNull()
})

test('while a job holds the site, changes by a job wait for it, and others are off with the reason', async () => {
  replies['set_plugin'] = () => ({ message: { job: 'job2' } })
  const waits = { waits_for: 'job1', waits_for_label: 'Restart blog', waits_for_title: 'blog' }
  api.on('resource/Job/job2', () => ({ data: { name: 'job2', ...waits } }))
  const { user: person } = open({ locked_by_job: 'job1', status: 'Updating' }, <ToastArea />)
  expect(await screen.findByText(/^A job is in progress\./)).toBeTruthy()
  const addUser = screen.getByRole('button', { name: 'Add user…' })
  expect([addUser.getAttribute('aria-disabled'), addUser.title]).toEqual([
    'true',
    'Wait for the job that is in progress.',
  ])
  await person.click(screen.getByRole('button', { name: 'Activate Hello Dolly' }))
  await waitFor(() => expect(called('set_plugin')).toHaveLength(1))
  expect(await screen.findByText('Waits for “Restart blog”')).toBeTruthy()
})

test('a plugin is updated, and rolled back to the version that is kept', async () => {
  const { user: person } = open()
  await person.click(await screen.findByRole('button', { name: 'Update Hello Dolly to 1.8' }))
  await waitFor(() => expect(called('set_plugin')).toHaveLength(1))
  await person.click(screen.getByRole('button', { name: 'More actions for Hello Dolly' }))
  await person.click(await screen.findByRole('menuitem', { name: /Roll back to 1\.6/ }))
  await waitFor(() => expect(called('set_plugin')[1]?.body['args']).toEqual({ plugin: 'hello.php', do: 'rollback' }))
})

test('a plugin is added by its name on wordpress.org', async () => {
  const { user: person } = open()
  await person.click(await screen.findByRole('button', { name: 'Add plugin…' }))
  await person.type(await screen.findByLabelText(/Name on wordpress.org/), 'https://wordpress.org/x')
  await person.click(screen.getByRole('button', { name: 'Install' }))
  expect(await screen.findByText(/lowercase letters, digits and hyphens/)).toBeTruthy()
  expect(called('install_plugin')).toHaveLength(0)
  await person.clear(screen.getByLabelText(/Name on wordpress.org/))
  await person.type(screen.getByLabelText(/Name on wordpress.org/), 'akismet')
  await person.click(screen.getByRole('button', { name: 'Install' }))
  await waitFor(() => expect(called('install_plugin')[0]?.body['args']).toEqual({ slug: 'akismet' }))
})

const choose = async (name: string) => {
  const { user: person } = open()
  await person.click(await screen.findByRole('button', { name: 'Add plugin…' }))
  const file = new File(['PK'], name, { type: 'application/zip' })
  await person.upload(await screen.findByLabelText('ZIP file'), file)
  return person
}

test('an uploaded theme is offered as a theme, and a version that is installed is replaced only when told', async () => {
  const about = { package: 'p1', type: 'theme', name: 'Look', version: '2.0', installed: '1.0' }
  sendUpload.mockResolvedValueOnce(about)
  const person = await choose('look.zip')
  expect(await screen.findByText(/You can install it as a theme/)).toBeTruthy()
  expect(screen.getByText('Version 1.0 is installed')).toBeTruthy()
  expect(called('install_package')).toHaveLength(0)
  await person.click(screen.getByRole('button', { name: 'Replace 1.0 with 2.0' }))
  await waitFor(() => expect(called('install_package')[0]?.body['args']).toEqual({ package: 'p1', replace: 1 }))
  expect(called('discard_package')).toHaveLength(0)
})

test('what was uploaded and is not installed is discarded', async () => {
  sendUpload.mockResolvedValueOnce({ package: 'p2', type: 'plugin', name: 'Tool', version: '1', installed: null })
  const person = await choose('tool.zip')
  await person.click(await screen.findByRole('button', { name: 'Back' }))
  await waitFor(() => expect(called('discard_package')[0]?.body['args']).toEqual({ package: 'p2' }))
  expect(screen.getByRole('button', { name: 'Choose a ZIP file…' })).toBeTruthy()
})

test('an upload shows its progress and can be canceled; a refusal is shown', async () => {
  const refused = Promise.withResolvers<unknown>()
  sendUpload.mockImplementationOnce((_file, { onProgress }) => {
    onProgress(1)
    return refused.promise
  })
  const person = await choose('tool.zip')
  expect(await screen.findByText(/50\s?% of 2/)).toBeTruthy()
  await person.click(screen.getByRole('button', { name: 'Cancel upload' }))
  expect(sendUpload.mock.lastCall?.[1].signal.aborted).toBe(true)
  sendUpload.mockRejectedValueOnce(new ApiError('The ZIP file is empty.'))
  const file = new File(['PK'], 'tool.zip')
  await person.upload(await screen.findByLabelText('ZIP file'), file)
  expect(await screen.findByText('The ZIP file is empty.')).toBeTruthy()
})

test('what is no ZIP file is not sent', async () => {
  sendUpload.mockClear()
  await choose('tool.rar')
  expect(await screen.findByText(/This is no ZIP file/)).toBeTruthy()
  expect(sendUpload).not.toHaveBeenCalled()
})

test('a new password is shown once', async () => {
  replies['reset_wordpress_password'] = () => ({ message: { password: 'Abcdefghijklmnopqrstuvw1' } })
  const { user: person } = open()
  await person.click(await screen.findByRole('button', { name: 'More actions for boss' }))
  await person.click(await screen.findByRole('menuitem', { name: /Reset password/ }))
  await person.click(await screen.findByRole('button', { name: 'Reset password' }))
  expect(await screen.findByText('Abcdefghijklmnopqrstuvw1')).toBeTruthy()
  await person.click(screen.getAllByRole('button', { name: 'Close' })[0]!)
  await waitFor(() => expect(screen.queryByText('Abcdefghijklmnopqrstuvw1')).toBeNull())
})

test('logging in as a user opens its link in a new tab; the user of a person is left to that person', async () => {
  replies['wordpress_users'] = () => ({
    message: { total: 2, rows: [user, { ...user, login: 'mia', name: 'Mia', from_login: true }] },
  })
  replies['login_link'] = () => ({ message: { url: 'http://blog.localhost/.easydash/login?token=x' } })
  const replace = vi.fn<(url: string) => void>()
  vi.spyOn(window, 'open').mockReturnValue({
    closed: false,
    document: {},
    location: { replace },
  } as unknown as Window)
  const { user: person } = open()
  await person.click(await screen.findByRole('button', { name: 'More actions for boss' }))
  await person.click(await screen.findByRole('menuitem', { name: 'Log in as this user' }))
  await waitFor(() => expect(replace).toHaveBeenCalledWith('http://blog.localhost/.easydash/login?token=x'))
  expect(called('login_link')[0]?.body).toMatchObject({ args: { user: 'boss' } })
  await person.click(screen.getByRole('button', { name: 'More actions for mia' }))
  const item = await screen.findByRole('menuitem', { name: /Log in as this user/ })
  expect(item.getAttribute('aria-disabled')).toBe('true')
  expect(item.textContent).toContain('belongs to one person')
})

test('a role that was changed can be given back', async () => {
  replies['set_wordpress_role'] = () => ({ message: { ran: null } })
  const { user: person } = open({}, <ToastArea />)
  await person.selectOptions(await screen.findByLabelText(/^Role of /), 'editor')
  const [first] = called('set_wordpress_role')
  expect(first?.body['args']).toMatchObject({ role: 'editor' })
  await person.click(await screen.findByRole('button', { name: 'Undo' }))
  await waitFor(() => expect(called('set_wordpress_role')).toHaveLength(2))
  expect(called('set_wordpress_role')[1]?.body['args']).toEqual({
    ...(first?.body['args'] as object),
    role: 'administrator',
  })
})

test('adding a user checks the name before it is sent', async () => {
  replies['add_wordpress_user'] = () => ({ message: { password: 'Abcdefghijklmnopqrstuvw1' } })
  const { user: person } = open()
  await person.click(await screen.findByRole('button', { name: 'Add user…' }))
  await person.type(await screen.findByLabelText(/Username/), 'no/slash')
  await person.type(screen.getByLabelText(/Email address/), 'n@example.com')
  await person.click(screen.getByRole('button', { name: 'Add user' }))
  expect(await screen.findByText(/letters, digits, spaces/)).toBeTruthy()
  expect(called('add_wordpress_user')).toHaveLength(0)
  await person.clear(screen.getByLabelText(/Username/))
  await person.type(screen.getByLabelText(/Username/), 'nora')
  await person.click(screen.getByRole('button', { name: 'Add user' }))
  expect(await screen.findByText('Password of nora')).toBeTruthy()
  expect(called('add_wordpress_user')[0]?.body['args']).toEqual({
    login: 'nora',
    email: 'n@example.com',
    role: 'editor',
  })
})

test('changed files of WordPress are listed with what that can mean', async () => {
  replies['checksum_report'] = () => ({
    message: {
      report: {
        version: '6.5.5',
        source: 'package',
        checked: 1_300,
        changed: ['wp-admin/about.php'],
        added: ['wp-includes/x.php'],
        missing: [],
        truncated: false,
      },
      measured_at: now(),
    },
  })
  open({ wordpress_checksum: 'Modified' })
  expect(await screen.findByText('wp-admin/about.php')).toBeTruthy()
  expect(screen.getByText(/somebody broke in/)).toBeTruthy()
  expect(screen.getByText('Modified')).toBeTruthy()
})
