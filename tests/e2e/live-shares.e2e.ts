/** Two users in two browsers: what one shares and revokes appears on the other's open pages without a reload. */
import type { Page } from '@playwright/test'
import { passwords } from './support/leak-markers.ts'
import { blog, expect, organization, test } from './support/harness-test.ts'
import { call, type Person } from './support/person.ts'
import { secondMember, type TwoPeople } from './support/second-member.ts'

test.describe.configure({ mode: 'serial' })

const liv: Person = { firstName: 'Liv', lastName: 'Hart', email: 'liv@live.example', password: passwords.second }

let people: TwoPeople
let office: Page
let page: Page
let member = ''

test.beforeAll(async ({ browser, product, owner, site, recording }) => {
  expect(site, 'there is a site').toBeTruthy()
  people = await secondMember({ browser, product, owner, recording }, liv)
  ;({ office, page, member } = people)
})
test.afterAll(() => people.close())

/** Checks that the page wasn't reloaded in between. */
async function staysLoaded(act: () => Promise<void>): Promise<void> {
  await page.evaluate('globalThis.storyPage = true')
  await act()
  expect(await page.evaluate('globalThis.storyPage'), 'the page was not loaded again').toBe(true)
}
const row = () => page.getByRole('main').getByRole('row').filter({ hasText: blog.name })
const dialog = () => office.getByRole('dialog', { name: `Share ${blog.title}` })
const give = async () => {
  await dialog().getByLabel('Add a member').fill('liv')
  await dialog()
    .getByRole('option', { name: /Liv Hart/ })
    .click()
  await expect(dialog().getByRole('row').filter({ hasText: 'Liv Hart' })).toBeVisible()
}
const take = () => dialog().getByRole('button', { name: 'Remove access of Liv Hart' }).click()
const become = (role: string) =>
  call(office, 'frappe.client.set_value', {
    doctype: 'Organization Member',
    name: member,
    fieldname: 'organization_role',
    value: role,
  })

test('a shared site appears in the open list, and disappears when it is unshared', async ({ site }) => {
  await page.goto('/web/site')
  await expect(page.getByText('No sites yet')).toBeVisible()
  await office.goto(site)
  await office.getByRole('button', { name: 'Share', exact: true }).click()
  await staysLoaded(async () => {
    await give()
    await expect(row()).toBeVisible()
    await take()
    await expect(page.getByText('No sites yet')).toBeVisible()
  })
})

test('the dashboard does the same', async () => {
  await page.goto('/web/')
  const link = page.getByRole('main').getByRole('link', { name: blog.title }).first()
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(link).toHaveCount(0)
  await staysLoaded(async () => {
    await give()
    await expect(link).toBeVisible()
    await take()
    await expect(link).toHaveCount(0)
  })
})

test('the page of a site appears, changes and closes with its share', async ({ site }) => {
  const loadError = page.getByRole('heading', { level: 1, name: 'The site did not load' })
  const admin = page.getByRole('button', { name: /^Open admin/ })
  await page.goto(site)
  await expect(loadError).toBeVisible()
  await staysLoaded(async () => {
    await give()
    await expect(page.getByRole('heading', { level: 1, name: blog.title })).toBeVisible()
    await expect(admin).toHaveCount(0)
    await dialog().getByRole('combobox', { name: 'Access of Liv Hart' }).selectOption('Can edit')
    await expect(admin).toBeVisible()
    await dialog().getByRole('combobox', { name: 'Access of Liv Hart' }).selectOption('Can view')
    await expect(admin).toHaveCount(0)
    await take()
    await expect(loadError).toBeVisible()
    await expect(page.getByRole('main')).not.toContainText(blog.name)
  })
})

test('a new role adds its menu entries, removes other pages, and needs no share', async () => {
  const entries = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
  // Still on the page of the site, which is no longer shared.
  await expect(entries).toHaveCount(4)
  await staysLoaded(async () => {
    await become('Organization Manager')
    await expect(page.getByRole('heading', { level: 1, name: blog.title })).toBeVisible()
    await expect(entries).toHaveCount(5)
    await dialog().getByLabel('Add a member').fill(liv.email)
    await expect(dialog().getByText('Liv Hart is an admin or manager and can access every site.')).toBeVisible()
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Users' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Users' })).toBeVisible()
    await become('Organization User')
    await expect(page).toHaveURL(/\/web\/site$/)
    await expect(page.getByText('This page is for admins and managers.')).toBeVisible()
    await expect(entries).toHaveCount(4)
    await expect(page.getByText('No sites yet')).toBeVisible()
  })
})

test('a removed member is redirected from the open page', async () => {
  await call(office, 'frappe.client.delete', { doctype: 'Organization Member', name: member })
  await expect(page).toHaveURL(/\/web\/organization\/create$/)
  await expect(page.getByText(organization.title)).toHaveCount(0)
})
