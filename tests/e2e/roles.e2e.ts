/** One user in every role, from admin to none: visible screens, messages, and automatic changes. */
import type { Page } from '@playwright/test'
import { passwords } from './support/leak-markers.ts'
import { blog, expect, organization, test } from './support/harness-test.ts'
import { call, inNewTab, type Person } from './support/person.ts'
import { secondMember, type TwoPeople } from './support/second-member.ts'

test.describe.configure({ mode: 'serial' })

const rae: Person = { firstName: 'Rae', lastName: 'Stone', email: 'rae@roles.example', password: passwords.second }

let people: TwoPeople
let office: Page
let page: Page
let member = ''

test.beforeAll(async ({ browser, product, owner, site, recording }) => {
  expect(site, 'there is a site').toBeTruthy()
  people = await secondMember({ browser, product, owner, recording }, rae, 'Organization Admin')
  ;({ office, page, member } = people)
})
test.afterAll(() => people.close())

const entries = () => page.getByRole('navigation', { name: 'Main' }).getByRole('link')
const become = (role: string) =>
  call(office, 'frappe.client.set_value', {
    doctype: 'Organization Member',
    name: member,
    fieldname: 'organization_role',
    value: role,
  })

async function expectSentTo(path: string, to: RegExp, why: string): Promise<void> {
  await page.goto(path)
  await expect(page).toHaveURL(to)
  await expect(page.getByText(why)).toBeVisible()
}

test('admins can do everything except billing and deleting the organization', async () => {
  await page.goto('/web/site')
  await expect(entries()).toContainText(['Dashboard', 'Sites', 'Servers', 'Users', 'Settings', 'Support'])
  await expect(entries()).toHaveCount(6)
  await expectSentTo('/web/billing', /\/web\/site$/, 'This page is for the owner of the organization.')
  await page.goto('/web/organization')
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue(organization.title)
  await expect(page.getByRole('button', { name: /^Delete organization/ })).toHaveCount(0)
})

test('a user who becomes a manager while the settings are open is redirected', async () => {
  await page.getByLabel('Name', { exact: true }).fill('Not a manager’s business')
  await become('Organization Manager')
  await expect(page).toHaveURL(/\/web\/site$/)
  await expect(page.getByText('This page is for admins.')).toBeVisible()
  await expect(entries()).toContainText(['Dashboard', 'Sites', 'Servers', 'Users', 'Support'])
  await expect(entries()).toHaveCount(5)
})

test('a role change before the page’s socket connects also reaches the page', async () => {
  await become('Organization Admin')
  let allowConnection = (): void => undefined
  const closed = new Promise<void>((resolve) => (allowConnection = resolve))
  await page.route('**/socket.io/**', async (route) => {
    await closed
    await route.continue()
  })
  const socketRequest = page.waitForRequest(/\/socket\.io\//)
  await page.goto('/web/organization')
  await expect(page.getByLabel('Name', { exact: true })).toBeVisible()
  await socketRequest
  await become('Organization Manager')
  allowConnection()
  await expect(page).toHaveURL(/\/web\/site$/)
  await expect(page.getByText('This page is for admins.')).toBeVisible()
  await page.unroute('**/socket.io/**')
})

test('managers access all sites and servers, and can invite', async ({ site }) => {
  await page.goto(site)
  await expect(page.getByRole('button', { name: /^Open admin/ })).toBeEnabled()
  await page.goto('/web/server')
  await page.getByRole('main').getByRole('table').getByRole('link').first().click()
  await expect(page.getByRole('heading', { name: 'Machine' })).toBeVisible()
  await page.goto('/web/user')
  await expect(page.getByRole('button', { name: /^Invite/ }).first()).toBeVisible()
})

test('a manager has a WordPress user, and loses it with the role', async ({ site }) => {
  await page.goto(site)
  const admin = await inNewTab(page, () => page.getByRole('button', { name: /^Open admin/ }).click())
  await expect(admin.getByRole('menuitem', { name: /^Howdy, Rae Stone/ })).toBeVisible()
  await become('Organization User')
  await expect(async () => {
    await admin.reload()
    expect(admin.url()).toContain('/wp-login.php')
  }).toPass()
  await admin.close()
})

test('members see their own and shared sites', async ({ site }) => {
  await become('Organization User')
  await page.goto('/web/site')
  await expect(page.getByText('No sites yet')).toBeVisible()
  await expect(entries()).toContainText(['Dashboard', 'Sites', 'Servers', 'Support'])
  await expect(entries()).toHaveCount(4)
  await expectSentTo('/web/user', /\/web\/site$/, 'This page is for admins and managers.')
  await page.goto(site)
  await expect(page.getByRole('heading', { level: 1, name: 'The site did not load' })).toBeVisible()
  await page.getByRole('button', { name: 'Why?' }).click()
  await expect(page.getByRole('main').getByRole('alert')).toContainText(/shared/)
  const share = { dt: 'Site', dn: site.split('/').at(-1), method: 'share' }
  await call(office, 'run_doc_method', { ...share, args: { user: rae.email, read: 1, write: 0, share: 0 } })
  await page.goto('/web/site')
  const row = page.getByRole('row').filter({ hasText: blog.name })
  await expect(row).toBeVisible()
  // Seeing a site doesn't allow administering it: neither list nor search offers what the server would deny.
  await row.getByRole('button', { name: `Actions for ${blog.title}` }).click()
  const menu = page.getByRole('menu')
  await expect(menu.getByRole('menuitem', { name: 'Open site' })).toBeVisible()
  await expect(menu.getByRole('menuitem', { name: /^Open admin/ })).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(menu).toBeHidden()
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('option', { name: `Visit ${blog.title}` })).toBeVisible()
  await expect(page.getByRole('option', { name: `Open admin of ${blog.title}` })).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('combobox', { name: 'Search' })).toBeHidden()
  await row.getByRole('link').first().click()
  await expect(page.getByRole('heading', { level: 1, name: blog.title })).toBeVisible()
  await expect(page.getByRole('button', { name: /^Open admin/ }).and(page.locator(':enabled'))).toHaveCount(0)
})

test('a removed member sees what to do next', async () => {
  await call(office, 'frappe.client.delete', { doctype: 'Organization Member', name: member })
  await expect(page).toHaveURL(/\/web\/organization\/create$/)
  await expect(page.getByRole('heading', { name: 'Create an organization' })).toBeVisible()
})
