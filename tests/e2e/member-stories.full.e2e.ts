/** A member with whom a site is shared: who may view is offered no change and refused on the wire, who may edit does each. */
import type { Page } from '@playwright/test'
import { fetchFrom } from '#server/engines/local/engine-fixture.ts'
import { deleteOtherSites } from './support/cleanup.ts'
import { blog, expect, test } from './support/harness-test.ts'
import { passwords } from './support/leak-markers.ts'
import { call, siteStatus, siteTimeout, type Person } from './support/person.ts'
import { secondMember, type TwoPeople } from './support/second-member.ts'

test.describe.configure({ mode: 'serial', timeout: 8 * siteTimeout })
test.use({ actionTimeout: siteTimeout })

const mia: Person = { firstName: 'Mia', lastName: 'Cole', email: 'mia@shares.example', password: passwords.second }

let people: TwoPeople
let office: Page
let page: Page
let id = ''

test.beforeAll(async ({ browser, product, owner, site, recording }) => {
  people = await secondMember({ browser, product, owner, recording }, mia)
  ;({ office, page } = people)
  page.setDefaultTimeout(siteTimeout)
  id = site.split('/').at(-1) ?? ''
})
test.afterAll(async ({ browser, product, owner }) => {
  await people.close()
  await deleteOtherSites(browser, { baseURL: product.url, storageState: owner }, blog.name)
})

const onSite = <T = unknown>(who: Page, method: string, args: Record<string, unknown> = {}, dn = id) =>
  call<T>(who, 'run_doc_method', { dt: 'Site', dn, method, args })
const share = (bits: Partial<Record<'read' | 'write' | 'share', 1>>) =>
  onSite(office, 'share', { user: mia.email, ...bits })
const region = (name: string) => page.getByRole('region', { name })
const button = (name: string | RegExp) => page.getByRole('button', { name }).first()

/** Waits until the job in the automatically opened drawer is done, and closes it. */
async function jobEnds(): Promise<void> {
  const drawer = page.getByRole('dialog')
  await expect(drawer.getByText('Done', { exact: true }).first()).toBeVisible({ timeout: 2 * siteTimeout })
  await drawer.getByRole('button', { name: 'Close' }).last().click()
  await expect(drawer).toBeHidden()
}

/** Changes, and reading what the site contains, with arguments that would do something for somebody who may edit it. */
const editing: [string, Record<string, unknown>?][] = [
  ['save_wordpress_settings', { changes: { tagline: 'Not mine' }, expected: { tagline: '' } }],
  ['maintenance', { enabled: 1 }],
  ['add_alias', { domain: 'not-mine.example', mode: 'redirect' }],
  ['change_domain', { domain: 'not-mine' }],
  ['add_wordpress_user', { login: 'mia', email: mia.email, role: 'administrator' }],
  ['set_plugin', { plugin: 'hello.php', do: 'activate' }],
  ['create_staging', { domain: 'not-mine' }],
  ['clone', { domain: 'not-mine' }],
  ['write_file', { path: 'not-mine.txt', content: 'x', version: null }],
  ...['wordpress_users', 'login_link', 'log_sources', 'database_tables', 'check_now', 'backup'].map((one): [string] => [
    one,
  ]),
]
/** What takes the right to manage it. */
const managing: typeof editing = [
  ['share', { user: mia.email, share: 1 }],
  ['set_owner', { new_owner: mia.email }],
  ['suspend'],
  ['archive'],
]

/** Every one of these is refused for want of the right, and the site stays as it is, without a job. */
async function expectRefused(actions: typeof editing): Promise<void> {
  const fieldname = ['owner', 'domain', 'usr_alias_domains', 'maintenance', 'status']
  const state = async () => [
    await call(office, 'frappe.client.get_value', { doctype: 'Site', filters: id, fieldname }),
    await call(office, 'frappe.client.get_count', { doctype: 'Job', filters: { owner: mia.email } }),
  ]
  const before = await state()
  for (const [method, args] of actions)
    await expect(onSite(page, method, args), method).rejects.toThrow(/answered with 403.*PermissionError/)
  expect(await state()).toEqual(before)
}

test('who may view the site is offered nothing that changes it, alone or among others', async ({ site }) => {
  await share({ read: 1 })
  await page.goto(`${site}#configurations`)
  await expect(page.getByText('“Configurations” is not available here')).toBeVisible()
  await expect(page.getByText(/You need access to edit this site/)).toBeVisible()
  await expect(page.getByRole('tablist').first().getByRole('tab')).toHaveText([
    'Overview',
    'Backup and restore',
    'Monitoring',
    'Activity',
  ])
  for (const name of ['Share', /^Open admin/, 'More actions'])
    await expect(page.getByRole('button', { name })).toHaveCount(0)
  await page.getByRole('tab', { name: 'Monitoring' }).click()
  await expect(page.getByText('The homepage must contain')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Check now' })).toHaveCount(0)
  await page.getByRole('tab', { name: 'Backup and restore' }).click()
  await expect(page.getByText('No automatic backups.')).toBeVisible()
  await expect(page.getByRole('button', { name: /^Back up now/ })).toHaveCount(0)
  await expectRefused([...editing, ...managing])

  await page.goto('/web/site')
  await page.getByRole('checkbox', { name: `Select ${blog.title}` }).check()
  await expect(region('Selected rows').getByText('Not available for the selected rows')).toBeVisible()
  await call(page, 'easydash.api.site.start_bulk_run', { action: 'set_php_version', argument: '8.3', sites: [id] })
  const [run] = await call<{ name: string }[]>(page, 'frappe.client.get_list', { doctype: 'Bulk Run' })
  await page.goto(`/web/bulk/${run?.name}`)
  await expect(page.getByText('You can no longer do this on the site.')).toBeVisible()
})

test('who may edit it changes settings, domains, users and files, and sees logs and database', async ({
  site,
  product,
}) => {
  const visit = (host: string, path = '/') => fetchFrom(product.port, `${host}:${product.port}`, path)
  await share({ read: 1, write: 1 })
  await page.goto(`${site}#configurations`)
  await expect(region('Danger zone')).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Share', exact: true })).toHaveCount(0)
  const form = page.getByRole('form', { name: 'WordPress settings' })
  await form.getByLabel('Tagline').fill('Kept by Mia')
  await form.getByRole('button', { name: 'Save' }).click()
  await expect.poll(async () => (await visit(`${blog.name}.localhost`, '/feed/')).body).toContain('Kept by Mia')
  await region('Domains').getByRole('textbox', { name: 'Alias' }).fill('mia.example')
  await button('Add alias').click()
  await expect.poll(async () => (await visit('mia.example')).status).toBe(301)
  await button(`Remove mia.example:${product.port}`).click()
  await expect.poll(async () => (await visit('mia.example')).status).toBe(404)

  await page.getByRole('tab', { name: 'WordPress' }).click()
  await button('Add user…').click()
  await page.getByLabel('Username').fill('mias-author')
  await page.getByLabel('Email address').fill('author@shares.example')
  await page.getByRole('dialog').getByRole('button', { name: 'Add user' }).click()
  await page
    .getByRole('dialog', { name: 'Password of mias-author' })
    .getByRole('button', { name: 'Close' })
    .last()
    .click()
  await expect(page.getByText('author@shares.example')).toBeVisible()
  await button('More actions for mias-author').click()
  await page.getByRole('menuitem', { name: /^Delete/ }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete user' }).click()
  await expect(page.getByText('author@shares.example')).toHaveCount(0)

  await page.getByRole('tab', { name: 'Files' }).click()
  await page
    .getByLabel('Files', { exact: true })
    .and(page.locator('input'))
    .setInputFiles({ name: 'mia.txt', mimeType: 'text/plain', buffer: Buffer.from('of a member') })
  await expect.poll(async () => (await visit(`${blog.name}.localhost`, '/mia.txt')).body).toBe('of a member')
  await page.getByRole('tab', { name: 'Logs' }).click()
  await page.getByRole('group', { name: 'Logs' }).getByRole('button', { name: 'Access' }).click()
  await expect(
    page
      .getByRole('log', { name: 'Access' })
      .getByText(/^200 GET \/mia\.txt/)
      .first(),
  ).toBeVisible()
  await page.goto(`${site}#database`)
  await region('Tables')
    .getByRole('button', { name: /^wp_posts/ })
    .click()
  await expect(page.getByRole('table', { name: 'Rows of wp_posts' }).getByText('Hello world!').first()).toBeVisible()
  // The consoles are for admins.
  await expect(page.getByRole('group', { name: 'Tools' })).toHaveCount(0)
  await page.goto(`${site}#monitoring`)
  await button('Check now').click()
  await expect(page.getByText(/The site is (?:up|slow)/).first()).toBeVisible({ timeout: siteTimeout })
  await onSite(page, 'save_wordpress_settings', { changes: { tagline: '' }, expected: { tagline: 'Kept by Mia' } })
  await onSite(page, 'delete_files', { paths: ['mia.txt'] })
  await expectRefused(managing)
  await expect(onSite(page, 'run_sql', { sql: 'SELECT 1' })).rejects.toThrow(/answered with 403/)

  await page.goto(`${site}#backupandrestore`)
  await button('Back up now…').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Back up', exact: true }).click()
  await jobEnds()
  await page.reload()
  await button(/^Actions for/).click()
  await page.getByRole('menuitem', { name: 'Pin' }).click()
  await button(/^Actions for/).click()
  for (const name of ['Restore…', 'Download', 'Unpin']) await expect(page.getByRole('menuitem', { name })).toBeVisible()
})

test('who may edit it clones it, pushes from staging, and works on several at once', async ({ site, product }) => {
  const start = async (item: string, name: string, confirm: string) => {
    await page.goto(site)
    await button('More actions').click()
    await page.getByRole('menuitem', { name: item }).click()
    await page.getByRole('dialog').getByLabel(/^Name/).fill(name)
    await page.getByRole('dialog').getByRole('button', { name: confirm }).click()
    await page.waitForURL((url) => !url.pathname.startsWith(site))
    await jobEnds()
    await expect(siteStatus(page, 'Live')).toBeVisible()
  }
  await start('Clone…', 'mias-copy', 'Clone site')
  // The copy belongs to whoever made it.
  await expect(page.getByRole('button', { name: 'Share', exact: true })).toBeVisible()
  await start('Create staging site…', 'mias-staging', 'Create staging site')
  const staging = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  await onSite(page, 'write_file', { path: 'pushed.txt', content: 'pushed by a member', version: null }, staging)
  await page.getByRole('tab', { name: 'Staging' }).click()
  await button('Compare').click()
  await jobEnds()
  await button(`Push to ${blog.title}…`).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Push', exact: true }).click()
  await jobEnds()
  const pushed = () => fetchFrom(product.port, `${blog.name}.localhost:${product.port}`, '/pushed.txt')
  expect((await pushed()).body).toBe('pushed by a member')
  await page.goto(`${site}#staging`)
  await button('Roll back the push').click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Roll back the push' }).click()
  await jobEnds()
  expect((await pushed()).status).toBe(404)

  await page.goto('/web/site')
  await page.getByLabel('Select the rows of this page').check()
  await region('Selected rows').getByRole('button', { name: 'Clear cache' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Clear cache (3)' }).click()
  await expect(page.getByText('3 of 3 sites finished')).toBeVisible({ timeout: siteTimeout })
  await expect(page.getByRole('button', { name: 'Done 3' })).toBeVisible()
})

test('who may manage it suspends and resumes it', async ({ site }) => {
  await share({ read: 1, write: 1, share: 1 })
  await page.goto(`${site}#configurations`)
  await expect(page.getByRole('button', { name: 'Share', exact: true }).first()).toBeVisible()
  await region('Danger zone')
    .getByRole('button', { name: /^Suspend/ })
    .click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Suspend', exact: true }).click()
  await jobEnds()
  await expect(siteStatus(page, 'Suspended')).toBeVisible()
  await page.getByRole('main').getByRole('button', { name: 'Resume' }).first().click()
  await jobEnds()
  await expect(siteStatus(page, 'Live')).toBeVisible()
  await onSite(office, 'unshare', { user: mia.email })
  await expect(page.getByRole('heading', { level: 1, name: 'The site did not load' })).toBeVisible()
})
