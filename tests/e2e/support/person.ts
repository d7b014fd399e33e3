/** User actions in the app, by role and label. Each ends when its result is on screen. */
import { expect, type Locator, type Page } from '@playwright/test'
import type { Product } from './harness.ts'

/** A user with an account, or about to have one. */
export interface Person {
  firstName: string
  lastName: string
  email: string
  password: string
}

/** A site to create; omitted values stay as the form suggests them. */
export interface NewSite {
  name: string
  kind?: 'WordPress' | 'PHP' | 'HTML'
  title?: string
}

/** Maximum duration for a WordPress on a busy machine; not a measurement. */
export const siteTimeout = 90_000

/** Fills in the signup form; the caller submits it. */
export async function fillSignup(page: Page, person: Person): Promise<void> {
  await page.getByLabel('First name').fill(person.firstName)
  await page.getByLabel('Last name').fill(person.lastName)
  await page.getByLabel('Email').fill(person.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(person.password)
  await page.getByLabel('I accept the terms').check()
}

/** Link of the next email to a user after `from` (an index into the output), as printed in the terminal. */
export async function mailLink(product: Product, to: string, subject: string, from: number): Promise<string> {
  const mail = new RegExp(`✉ Mail to ${RegExp.escape(to)}: [^\\n]*${subject}[^\\n]*\\n\\s+(http\\S+)\\n`)
  return (await product.waitForOutput(mail, from))[1] ?? ''
}

/** Calls a method as the page's user. @throws Error with the response if it was denied */
export function call<T = unknown>(page: Page, method: string, params: Record<string, unknown> = {}): Promise<T> {
  return page.evaluate(
    async ([name, body]) => {
      const { csrf_token: token = '' } = globalThis as { csrf_token?: string }
      const response = await fetch(`/api/method/${name}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: 'application/json', 'X-Frappe-CSRF-Token': token },
        body,
      })
      if (!response.ok) throw new Error(`${name} was answered with ${response.status}: ${await response.text()}`)
      return ((await response.json()) as { message: unknown }).message
    },
    [method, JSON.stringify(params)] as const,
  ) as Promise<T>
}

/**
 * Creates an account with a confirmed email, for stories that start after that; `invitation` is the token of the invitation
 * it accepts. Ends on the confirmation page, or its redirect.
 */
export async function newAccount(
  page: Page,
  product: Product,
  person: Person,
  invitation: string | null = null,
): Promise<void> {
  await page.goto('/web/login')
  const from = product.output().length
  await call(page, 'easydash.api.account.sign_up', {
    first_name: person.firstName,
    last_name: person.lastName,
    email: person.email,
    password: person.password,
    termsAndCondition: 1,
    ...(invitation !== null && { invite_token: invitation }),
  })
  await page.goto(await mailLink(product, person.email, 'Verify', from))
  await expect(page.getByRole('heading', { name: 'Your email is confirmed' })).toBeVisible()
}

/** Ends the tours of a logged-in user, for stories where they would be in the way. */
export async function withoutTours(page: Page, { email }: Pick<Person, 'email'>): Promise<void> {
  await call(page, 'frappe.client.set_value', {
    doctype: 'User Meta',
    name: email,
    fieldname: 'preferences',
    value: { tours_seen: ['onboarding', 'onboardingv2', 'features'] },
  })
}

/** Gives an organization this machine as its server, as the platform admin does; `page` is the admin's. */
export async function grantThisMachine(page: Page, organization: string): Promise<void> {
  await call(page, 'easydash.api.platform.grant_local_engine', { organization, granted: 1 })
}

/** Creates the installation's first account with its setup link; ends on the organization creation page. */
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
}

/** Logs in on the login page; ends on a page of the app. */
export async function logIn(page: Page, person: Pick<Person, 'email' | 'password'>): Promise<void> {
  await page.goto('/web/login')
  await page.getByLabel('Email').fill(person.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(person.password)
  await page.getByRole('button', { name: 'Log in' }).click()
  await loggedIn(page)
}

/** Waits for the page the login leads to. A redirect on the way to it would interrupt the next navigation. */
export async function loggedIn(page: Page): Promise<void> {
  await page.waitForURL((url) => url.pathname !== '/web/login')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
}

/**
 * Removes all cookies, as a new browser has none. Leaves the page first: an open one notices that its session is gone and
 * reloads, and a pending response would restore the cookies.
 */
export async function forgetSession(page: Page): Promise<void> {
  await page.goto('about:blank')
  await page.context().clearCookies()
}

/** Presses two keys of one shortcut. Together, because the app takes the second one only shortly after the first. */
export async function pressPair(page: Page, first: string, second: string): Promise<void> {
  await Promise.all([page.keyboard.press(first), page.keyboard.press(second)])
}

/** Fills in the creation form of a site. */
export async function fillSiteForm(page: Page, site: NewSite): Promise<void> {
  await expect(page.getByRole('radio', { checked: true, name: /development/i })).toBeAttached()
  if (site.kind) await page.getByRole('radio', { name: new RegExp(`^${site.kind}`) }).check()
  await page.getByLabel('Name', { exact: true }).fill(site.name)
  if (site.title !== undefined) await page.getByLabel('Site title').fill(site.title)
}

/** Submits the creation form; ends on the site's page with the job's drawer open. */
export async function submitSite(page: Page, site: NewSite): Promise<Locator> {
  await page.getByRole('button', { name: 'Create site' }).click()
  await page.waitForURL(/\/web\/site\/[a-z0-9]{10}\?job=/)
  const drawer = page.getByRole('dialog', { name: `Create ${site.title ?? site.name}` })
  await expect(drawer).toBeVisible()
  return drawer
}

/** Creates a site and waits until it is Live; ends on the site's page with the drawer closed. */
export async function createSite(page: Page, site: NewSite): Promise<void> {
  await page.goto('/web/site/create')
  await fillSiteForm(page, site)
  const drawer = await submitSite(page, site)
  await expect(drawer.getByText('Done', { exact: true })).toBeVisible({ timeout: siteTimeout })
  await drawer.getByRole('button', { name: 'Close' }).last().click()
  await expect(drawer).toBeHidden()
  await expect(siteStatus(page, 'Live')).toBeVisible()
}

/** The status in the header of a site's page. */
export function siteStatus(page: Page, status: string): Locator {
  return page.getByRole('main').getByText(status, { exact: true }).first()
}

/** Follows a link that opens a new tab; resolves when it has loaded. */
export async function inNewTab(page: Page, press: () => Promise<void>): Promise<Page> {
  const [tab] = await Promise.all([page.context().waitForEvent('page'), press()])
  await tab.waitForURL((url) => url.protocol.startsWith('http'))
  await tab.waitForLoadState('domcontentloaded')
  return tab
}

/** Whether the focused element is on screen, has a focus ring, and isn't covered. As a string: see `looks.ts`. */
const focusIsSeen = `(() => {
  const element = document.activeElement
  // Behind the last control comes the browser's own bar.
  if (element === document.body) return ''
  const ring = (one) => one !== null && ['outlineStyle', 'boxShadow'].some((name) => getComputedStyle(one)[name] !== 'none')
  // A radio is drawn by its card, a field by the box around it.
  const drawn = [element, element.nextElementSibling, element.parentElement, element.closest('label')].find(ring)
  const box = (element.offsetWidth > 2 ? element : (element.closest('label') ?? element)).getBoundingClientRect()
  const [x, y] = [box.left + Math.min(box.width, 40) / 2, box.top + Math.min(box.height, 40) / 2]
  const there = document.elementFromPoint(x, y)
  const over = there === null || !(element.contains(there) || there.contains(element) || there.closest('label')?.contains(element))
  return drawn && !over ? '' : element.outerHTML.slice(0, 200) + (drawn ? ' is covered' : ' has no ring')
})()`

/**
 * Presses Tab until the element with this role and name has the focus, up to 80 times. The focus must be visible at every
 * step.
 */
export async function tabTo(page: Page, role: Parameters<Page['getByRole']>[0], name: RegExp): Promise<void> {
  const wanted = page.getByRole(role, { name }).and(page.locator(':focus'))
  for (let presses = 0; presses < 80; presses += 1) {
    if ((await wanted.count()) > 0) return
    await page.keyboard.press('Tab')
    expect(await page.evaluate(focusIsSeen), 'the focus is seen').toBe('')
  }
  throw new Error(`Tab never reaches the ${role} ${String(name)}.`)
}
