/** One malformed answer of an action among right ones: its part of the page says so, and the rest of the page stays. */
import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { Suspense, type ReactElement } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Action } from '#shared/doctype.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { actionResponse } from '#shared/responses/actions.ts'
import { apiServer } from '#tests/web/api.ts'
import { actionAnswers } from '#tests/web/action-answers.ts'
import { sampleOf, sampleTime } from '#tests/web/sample.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { unreadableMessage } from '#web/lib/api/api-error.ts'
import { dataClient } from '#web/lib/api/data-client.ts'
import { clearToasts } from '#web/lib/browser/toasts.ts'
import { PathParams } from '#web/lib/routing/route-match.ts'
import { PageBoundary } from '#web/shell/frame/page-boundary.tsx'
import { ToastArea } from '#web/ui/overlay/toast-area.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { BulkPage } from './bulk/bulk-page.tsx'
import { OrganizationPage } from './organization/organization-page.tsx'
import { SitePage } from './sites/site-page.tsx'

const api = apiServer()
const standard = {
  owner: owner.user,
  creation: sampleTime,
  modified: sampleTime,
  modified_by: owner.user,
  docstatus: 0,
  idx: 0,
}
const site = {
  ...standard,
  organization: 'acme',
  site_type: 'wp',
  status: 'Live',
  server: 'v1',
  admin_user: 'ann',
  url: 'https://blog.example',
}
const documents: Readonly<Record<string, object>> = {
  'resource/Site/s1': { ...site, name: 's1', domain: 'blog' },
  'resource/Site/h1': { ...site, name: 'h1', domain: 'plain', site_type: 'html' },
  'resource/Organization/acme': { ...standard, name: 'acme', title: 'Acme', slug: 'acme', _owner: owner.user },
  'resource/Bulk%20Run/r1': {
    ...{ ...standard, name: 'r1', organization: 'acme', action: 'archive', label: 'Archive', status: 'Done' },
    ...{ total: 1, waiting: 0, running: 0, done: 1, failed: 0, skipped: 0, canceled: 0 },
  },
}

interface Screen {
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  readonly page: ReactElement
  /** Buttons that lead to the call, in their order. */
  readonly press: readonly string[]
}
const ofSite = (tab: string, ...press: string[]): Screen => ({
  path: `/site/s1#${tab}`,
  params: { site: 's1' },
  page: <SitePage />,
  press,
})

/** Actions whose answers are shown where they are read: the page or dialog on which each is malformed. */
const shown: Readonly<Record<string, Screen>> = {
  'Site.uptime': ofSite('monitoring'),
  'Site.check_now': ofSite('monitoring', 'Check now'),
  'Site.wordpress_facts': ofSite('wordpress'),
  'Site.inspect_wordpress': ofSite('wordpress'),
  'Site.check_wordpress_health': ofSite('wordpress'),
  'Site.wordpress_users': ofSite('wordpress'),
  'Site.checksum_report': ofSite('wordpress'),
  'Site.package_checksums': ofSite('wordpress'),
  'Site.wordpress_versions': ofSite('wordpress', 'Change version…'),
  'Site.read_wordpress_settings': ofSite('configurations'),
  'Site.language_offers': ofSite('configurations', 'Add language…'),
  'Site.list_shares': ofSite('', 'Share'),
  'Site.read_log': ofSite('logs'),
  'Site.list_mails': ofSite('logs', 'Mail'),
  'Site.list_files': ofSite('files'),
  'Site.list_trash': ofSite('files', 'Trash'),
  'Site.database_tables': ofSite('database'),
  'Organization.candidates_for_change_owner': {
    path: '/organization',
    params: {},
    page: <OrganizationPage />,
    press: ['Transfer ownership…'],
  },
  'Bulk Run.rows': { path: '/bulk/r1', params: { run: 'r1' }, page: <BulkPage />, press: [] },
}

/** Actions whose answers are read after something was started, and the module that checks them. */
const checkedIn: Readonly<Record<string, string>> = {
  'Organization.list_members': 'pages/users/people.ts',
  'Organization.list_invitations': 'pages/users/people.ts',
  'Site.list_privileged': 'pages/sites/use-shares.ts',
  'Site.read_mail': 'pages/sites/logs/mail-drawer.tsx',
  'Site.install_language': 'pages/sites/configurations/wordpress-settings.ts',
  'Site.save_wordpress_settings': 'pages/sites/configurations/wordpress-settings.ts',
  'Site.list_plugins': 'pages/sites/wordpress/use-wordpress.ts',
  'Site.add_wordpress_user': 'pages/sites/wordpress/add-user-dialog.tsx',
  'Site.reset_wordpress_password': 'pages/sites/wordpress/users-card.tsx',
  'Site.run_scheduled_event': 'pages/sites/wordpress/events-card.tsx',
  'Site.run_due_events': 'pages/sites/wordpress/events-card.tsx',
  'Site.pause_scheduled_events': 'pages/sites/wordpress/events-card.tsx',
  'Site.database_rows': 'pages/sites/database/database-data.ts',
  'Site.database_cell': 'pages/sites/database/database-data.ts',
  'Site.run_sql': 'pages/sites/database/sql-console.tsx',
  'Site.undo_sql': 'pages/sites/database/sql-console.tsx',
  'Site.run_php': 'pages/sites/database/php-console.tsx',
  'Site.console_runs': 'pages/sites/database/run-list.tsx',
  'Site.compare_wordpress_file': 'pages/sites/wordpress-core/diff-drawer.tsx',
  'Site.files_folder': 'pages/sites/site-overview-tab.tsx',
  'Site.read_file': 'pages/sites/files/file-editor.tsx',
  'Site.clone': 'pages/sites/copies/clone-dialog.tsx',
  'Site.create_staging': 'pages/sites/copies/clone-dialog.tsx',
  'Site.push_plan': 'pages/sites/staging/push-panel.tsx',
  'Site.push_losses': 'pages/sites/staging/roll-back-dialog.tsx',
  'Site.read_import_report': 'pages/sites/portable/portable-cards.tsx',
  'Site.preview_domain_change': 'pages/sites/configurations/find-addresses.ts',
}

/** Actions whose answers are not checked: nobody reads more of them than a job or a single text. */
const unread = new Set(
  `Organization.transfer_ownership Organization.set_modules Organization.make_server_access_token Organization.test_connection
  Member Invite.resend Member Invite.copy_link Member Invite.confirm Server.candidates_for_change_owner
  Site.share Site.set_owner Site.create_preview_link Site.login_as Site.set_plugin_auto_update Site.set_theme_auto_update
  Site.set_wordpress_role Site.rename_wordpress_user Site.delete_wordpress_user Site.add_network_site Site.delete_network_site
  Site.set_theme_network Site.set_super_admin Site.write_file Site.delete_files Site.restore_files Site.download_export
  Site.add_alias Site.set_alias_mode Site.remove_alias Subscription Organization.change_plan
  Subscription Organization.cancel_plan Subscription Organization.reactivate_plan`.split(/(?<=\.\w+)\s+/),
)

test('every action with an answer that the web app names is malformed here, checked, or read by nobody', async () => {
  const sources = new Map<string, string>()
  const web = join(import.meta.dirname, '..')
  for await (const name of glob('**/*.{ts,tsx}', { cwd: web }))
    if (!name.includes('.test.')) sources.set(name, readFileSync(join(web, name), 'utf8'))
  const named = doctypes.flatMap((type) =>
    Object.entries<Action>(type.actions ?? {})
      .filter(([, { returns }]) => returns !== undefined && returns !== 'Nothing')
      .filter(([name]) => [...sources.values()].some((source) => source.includes(`'${name}'`)))
      .map(([name]) => `${type.name}.${name}`),
  )
  const declared = [...Object.keys(shown), ...Object.keys(checkedIn), ...unread]
  expect(named.filter((id) => !declared.includes(id))).toEqual([])
  expect(declared.filter((id) => !named.includes(id))).toEqual([])
  const unchecked = Object.entries(checkedIn).filter(([id, module]) => {
    const name = id.split('.')[1] ?? ''
    // Nearby, so that the check of another answer in the same module does not count.
    const near = `[\\s\\S]{0,2000}`
    const checked = `(?:checkedResult\\(|settingsDoc\\(|returns[:,]|safeParse\\()`
    return !new RegExp(`${checked}${near}'${name}'|'${name}'${near}${checked}`).test(sources.get(module) ?? '')
  })
  expect(unchecked).toEqual([])
})

/** Texts in place of numbers, and numbers in place of everything else, at any depth. */
function otherTypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(otherTypes)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, otherTypes(inner)]))
  return typeof value === 'number' ? 'much' : 7
}

const actionOf = (id: string): Action => {
  const [doctype, name = ''] = id.split('.')
  return doctypes.find((type) => type.name === doctype)?.actions?.[name] as Action
}

const rightOf = (name: string): unknown => {
  if (Object.hasOwn(actionAnswers, name)) return actionAnswers[name]
  const id = Object.keys(shown).find((one) => one.endsWith(`.${name}`))
  const schema = id === undefined ? undefined : actionResponse(actionOf(id))
  return schema ? sampleOf(schema) : []
}

/** Serves everything as it should be, but one action. */
function serve(broken?: string, value?: unknown): void {
  api.on(':method', () => ({ message: [] }))
  api.on('resource/:doctype/:name', () => ({ status: 404, body: { exception: 'Not found' } }))
  for (const [name, data] of Object.entries(documents)) api.on(name, () => ({ data }))
  api.on('frappe.client.get_doc_permissions', () => ({
    message: { permissions: { read: 1, write: 1, create: 1, delete: 1, share: 1, submit: 0 } },
  }))
  api.on('easydash.api.engine.capabilities', () => ({
    message: { engine: 'ee', php_versions: ['8.3'], capabilities: {} },
  }))
  api.on('run_doc_method', ({ body }) => ({
    message: body['method'] === broken ? value : rightOf(String(body['method'])),
  }))
}

const settled = async (): Promise<void> => {
  // Tabs and dialogs are loaded when they are opened.
  await vi.dynamicImportSettled()
  await waitFor(() => {
    expect(document.querySelector('.sk')).toBeNull()
    expect(dataClient.isFetching()).toBe(0)
  })
}

/** How often the page and its messages say that an answer can't be read. */
const complaints = (): number => (document.body.textContent ?? '').split(unreadableMessage).length - 1

/** Opens a page and what is pressed on it; returns its headings. */
async function show({ path, params, page, press }: Screen): Promise<string> {
  const user = userEvent.setup()
  clearToasts()
  renderAs(
    { ...owner, modules: { ee: true, wpc: false } },
    <TooltipProvider>
      <PathParams value={params}>
        <PageBoundary at={path}>
          <Suspense fallback="…">{page}</Suspense>
        </PageBoundary>
      </PathParams>
      <ToastArea />
    </TooltipProvider>,
    path,
  )
  await screen.findAllByRole('heading', { level: 1, hidden: true })
  await settled()
  for (const name of press) {
    const [button] = await screen.findAllByRole('button', { name, hidden: true })
    await user.click(button as HTMLElement)
    await settled()
  }
  return screen
    .getAllByRole('heading', { level: 1, hidden: true })
    .map(({ textContent }) => textContent)
    .join()
}

beforeEach(() => {
  // Another try would only come seconds later.
  const { queries } = dataClient.getDefaultOptions()
  dataClient.setDefaultOptions({ queries: { ...queries, retry: false } })
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
})
afterEach(() => vi.restoreAllMocks())

test.each(Object.entries(shown))('a malformed answer of %s alone is an error in its place', async (id, one) => {
  const name = id.split('.')[1] ?? ''
  const schema = actionResponse(actionOf(id))
  serve()
  const right = await show(one)
  expect(complaints()).toBe(0)
  expect(api.calls.map(({ body }) => body['method'])).toContain(name)
  // Other shapes are tried on all answers at once (malformed-responses.test.tsx).
  const malformed = [null, { unexpected: true }, otherTypes(rightOf(name))]
  for (const value of malformed) {
    // Null can say that nothing was read yet.
    if (schema?.safeParse(value).success) continue
    cleanup()
    dataClient.clear()
    serve(name, value)
    const what = `${id} answers ${JSON.stringify(value).slice(0, 80)}`
    expect(await show(one), what).toBe(right)
    await waitFor(() => expect(complaints(), what).toBeGreaterThan(0))
  }
})
