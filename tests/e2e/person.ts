/** What a person does in the app, by role and label. Each step ends when its result is on the screen. */
import { expect, type Locator, type Page } from '@playwright/test'

/** Somebody with an account, or about to have one. */
export interface Person {
  firstName: string
  lastName: string
  email: string
  password: string
}

/** A site to create; what is left out stays as the form suggests it. */
export interface NewSite {
  name: string
  kind?: 'WordPress' | 'PHP' | 'HTML'
  title?: string
}

/** How long a WordPress may take on a busy machine; not a measurement. */
export const siteTimeout = 90_000

/** Fills the signup form; submitting is up to the caller. */
export async function fillSignup(page: Page, person: Person): Promise<void> {
  await page.getByLabel('First name').fill(person.firstName)
  await page.getByLabel('Last name').fill(person.lastName)
  await page.getByLabel('Email').fill(person.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(person.password)
  await page.getByLabel('I accept the terms').check()
}

/** The first account of an installation, by its setup link; ends at the creation of an organization. */
export async function createFirstAccount(page: Page, setupLink: string, person: Person): Promise<void> {
  await page.goto(setupLink)
  await fillSignup(page, person)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.waitForURL('**/web/organization/create')
}

/** From the creation page to the new organization's dashboard. */
export async function createOrganization(page: Page, title: string): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill(title)
  await expect(page.getByText('Available', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Create organization' }).click()
  await expect(page.getByRole('heading', { name: `Welcome to ${title}` })).toBeVisible()
  // The short tour begins by itself, once.
  const tour = page.getByRole('dialog', { name: 'Your organizations' })
  await expect(tour).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(tour).toBeHidden()
}

/** Logs in at the login page; ends on a page of the app. */
export async function logIn(page: Page, person: Pick<Person, 'email' | 'password'>): Promise<void> {
  await page.goto('/web/login')
  await page.getByLabel('Email').fill(person.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(person.password)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.waitForURL((url) => url.pathname !== '/web/login')
}

/** Fills the creation form of a site. */
export async function fillSiteForm(page: Page, site: NewSite): Promise<void> {
  await expect(page.getByRole('radio', { checked: true, name: /development/i })).toBeAttached()
  if (site.kind) await page.getByRole('radio', { name: new RegExp(`^${site.kind}`) }).check()
  await page.getByLabel('Name', { exact: true }).fill(site.name)
  if (site.title !== undefined) await page.getByLabel('Site title').fill(site.title)
}

/** Sends the creation form; ends on the site's page with the job's drawer open. */
export async function submitSite(page: Page, site: NewSite): Promise<Locator> {
  await page.getByRole('button', { name: 'Create site' }).click()
  await page.waitForURL(/\/web\/site\/[a-z0-9]{10}\?job=/)
  const drawer = page.getByRole('dialog', { name: `Create ${site.name}` })
  await expect(drawer).toBeVisible()
  return drawer
}

/** Creates a site from start to Live; the page shown then is the site's, the drawer closed. */
export async function createSite(page: Page, site: NewSite): Promise<void> {
  await page.goto('/web/site/create')
  await fillSiteForm(page, site)
  const drawer = await submitSite(page, site)
  await expect(drawer.getByText('Done', { exact: true })).toBeVisible({ timeout: siteTimeout })
  await drawer.getByRole('button', { name: 'Close' }).last().click()
  await expect(drawer).toBeHidden()
  await expect(siteStatus(page, 'Live')).toBeVisible()
}

/** The status in the head of a site's page. */
export function siteStatus(page: Page, status: string): Locator {
  return page.getByRole('main').getByText(status, { exact: true }).first()
}

/** Follows a link that opens a tab of its own; resolves when that tab has loaded. */
export async function inNewTab(page: Page, press: () => Promise<void>): Promise<Page> {
  const [tab] = await Promise.all([page.context().waitForEvent('page'), press()])
  await tab.waitForURL((url) => url.protocol.startsWith('http'))
  await tab.waitForLoadState('domcontentloaded')
  return tab
}
