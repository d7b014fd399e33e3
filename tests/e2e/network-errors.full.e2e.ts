/**
 * When the server denies, fails, sends garbage, is slow or down: input is kept, failures are shown with a working next step,
 * nothing is left half done, and no spinner runs forever.
 */
import type { Page, Route } from '@playwright/test'
import { ignoreConsoleErrors } from './support/console-watch.ts'
import { ada, asOwner, blog, expect, organization, test } from './support/harness-test.ts'
import { siteStatus } from './support/person.ts'

/** A way for a call to fail. */
interface Fault {
  fail: (route: Route) => Promise<void>
  /** Displayed message; null if the screen has its own text for the call. */
  message: string | null
}

const frappe = (status: number, kind: string, headers: Record<string, string> = {}): Fault => {
  const message = `The server said ${status} on purpose.`
  const item = JSON.stringify({ message, indicator: 'red' })
  const json = { exc_type: kind, exception: `frappe.exceptions.${kind}`, _server_messages: JSON.stringify([item]) }
  return { fail: (route) => route.fulfill({ status, headers, json }), message }
}
const text = (status: number, contentType: string, body: string, message: string | null): Fault => ({
  fail: (route) => route.fulfill({ status, contentType, body }),
  message,
})
const drop = (reason: 'connectionreset' | 'timedout'): Fault => ({
  fail: (route) => route.abort(reason),
  message: 'The server does not answer. Check the connection, then try again.',
})
const foreign = 'Something other than the server answered. Check the connection, then try again.'

const faults: Readonly<Record<string, Fault>> = {
  '400': frappe(400, 'CSRFTokenError'),
  '401': frappe(401, 'AuthenticationError'),
  '403': frappe(403, 'PermissionError'),
  '404': frappe(404, 'DoesNotExistError'),
  '409': frappe(409, 'DuplicateEntryError'),
  '413': frappe(413, 'RequestEntityTooLarge'),
  '417': frappe(417, 'ValidationError'),
  '429': frappe(429, 'RateLimitExceededError', { 'retry-after': '1' }),
  '500': frappe(500, 'InternalError'),
  '503': frappe(503, 'ServiceUnavailableError', { 'retry-after': '1' }),
  '500 without a word': text(500, 'application/json', '', null),
  'a proxy’s 502': text(502, 'text/html', '<html><h1>Bad Gateway</h1></html>', null),
  'a page of somebody else': text(200, 'text/html', '<html><h1>Log in to the hotel</h1></html>', foreign),
  'half an answer': text(200, 'application/json', '{"message": [{"na', foreign),
  'a broken connection': drop('connectionreset'),
  'no answer': drop('timedout'),
}

/** What the browser itself logs about such failures. */
const brokenCalls =
  /Failed to load resource: (?:the server responded with a status of 50[023]|net::ERR_(?:CONNECTION_RESET|TIMED_OUT)).*\/api\//

/** Makes calls fail as `now` says, from now on. */
async function breakCalls(page: Page, calls: string | RegExp, method: string): Promise<{ now: Fault | null }> {
  const state: { now: Fault | null } = { now: null }
  await page.route(calls, (route) =>
    state.now && route.request().method() === method ? state.now.fail(route) : route.fallback(),
  )
  return state
}

const toasts = (page: Page) => page.getByRole('region', { name: /Notifications/ })
const nameField = (page: Page) => page.getByLabel('Name', { exact: true })
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true })

asOwner('a list shows each reason why it did not load, and Retry loads it', async ({ page, site, problems }) => {
  expect(site, 'there is a site').toBeTruthy()
  const sites = await breakCalls(page, /get_list\?doctype=Site&/, 'GET')
  sites.now = frappe(500, 'InternalError')
  await page.goto('/web/site')
  const panel = page.getByRole('main').getByRole('alert').filter({ hasText: 'The sites did not load' })
  const retry = panel.getByRole('button', { name: 'Retry' })
  for (const [name, fault] of Object.entries(faults)) {
    sites.now = fault
    await retry.click()
    await expect(panel, name).toContainText(fault.message ?? 'There was an error while fetching the documents.')
    await expect(page.getByText('No sites yet'), name).toHaveCount(0)
    await expect(retry, name).not.toHaveAttribute('aria-busy')
  }
  // Held until the click: the list also reads again by itself, and the button would be gone.
  const clicked = Promise.withResolvers<void>()
  sites.now = { fail: (route) => clicked.promise.then(() => route.continue()), message: null }
  await retry.click()
  clicked.resolve()
  await expect(page.getByRole('row').filter({ hasText: blog.name })).toBeVisible()
  await expect(panel).toHaveCount(0)
  // Loaded rows stay when a refetch fails, and show their age.
  sites.now = faults['a proxy’s 502'] ?? null
  await page.getByRole('button', { name: 'Site', exact: true }).click()
  await expect(page.getByRole('alert').first()).toBeVisible()
  ignoreConsoleErrors(problems, brokenCalls)
})

asOwner('if nothing can be read, every screen reports it and none loads forever', async ({ page, site }) => {
  await page.goto('/web/terms')
  await page.route('**/api/**', (route) => (faults['417'] as Fault).fail(route))
  const paths = ['/web', '/web/site', '/web/site/create', site, '/web/server', '/web/user', '/web/organization']
  for (const path of [...paths, '/web/billing#plans', '/web/platform', '/web/platform#health']) {
    await page.goto(path)
    await expect(page.getByRole('main').getByRole('button', { name: 'Retry' }).first(), path).toBeVisible()
    await expect(page.locator('.sk'), path).toHaveCount(0)
    await expect(page.getByRole('main').locator('.spin'), path).toHaveCount(0)
  }
})

asOwner('a form keeps its input whatever the server responds, and saves it in the end', async ({ page, problems }) => {
  const settings = await breakCalls(page, '**/api/resource/Organization/*', 'PUT')
  await page.goto('/web/organization')
  await expect(nameField(page)).toHaveValue(organization.title)
  await nameField(page).fill('Fernhill in trouble')
  for (const [name, fault] of Object.entries(faults)) {
    settings.now = fault
    await save(page).click()
    const alert = page.getByRole('form').getByRole('alert')
    await expect(alert, name).toContainText(fault.message ?? 'There was an error while updating the document.')
    await expect(nameField(page), name).toHaveValue('Fernhill in trouble')
    await expect(save(page), name).not.toHaveAttribute('aria-busy')
  }
  settings.now = null
  await save(page).click()
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  await nameField(page).fill(organization.title)
  await save(page).click()
  await expect(save(page)).toHaveCount(0)
  ignoreConsoleErrors(problems, brokenCalls)
})

asOwner('a failed action is reported by name; its dialog keeps the input', async ({ page, site, problems }) => {
  const action = await breakCalls(page, '**/api/method/run_doc_method', 'POST')
  await page.goto(site)
  const openAdmin = page.getByRole('button', { name: /^Open admin/ })
  for (const name of ['417', 'a proxy’s 502', 'a broken connection']) {
    const fault = faults[name] as Fault
    action.now = fault
    await openAdmin.click()
    await expect(toasts(page).getByText('Open admin failed')).toBeVisible()
    await expect(toasts(page).getByText(fault.message ?? 'There was an error.')).toBeVisible()
    await expect(openAdmin).not.toHaveAttribute('aria-busy')
    await toasts(page).getByRole('button', { name: 'Close' }).click()
  }

  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: /^Archive/ }).click()
  const dialog = page.getByRole('alertdialog', { name: `Archive ${blog.title}?` })
  for (const name of ['409', '500 without a word', 'a page of somebody else']) {
    const fault = faults[name] as Fault
    action.now = fault
    await dialog.getByRole('button', { name: 'Archive', exact: true }).click()
    await expect(dialog.getByRole('alert')).toHaveText(fault.message ?? 'There was an error.')
  }
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.reload()
  await expect(siteStatus(page, 'Live')).toBeVisible()
  ignoreConsoleErrors(problems, brokenCalls)
})

asOwner('with a slow server, repeated clicks send one request, and other pages stay usable', async ({ page, site }) => {
  expect(site, 'there is a site').toBeTruthy()
  let release = (): void => undefined
  const hold = (): Promise<void> => new Promise((resolve) => (release = resolve))
  let held = hold()
  const sent: string[] = []
  const wait = async (route: Route): Promise<void> => {
    sent.push(route.request().method())
    await held
    await route.continue()
  }
  await page.route(/get_list\?doctype=Site&/, wait)
  await page.goto('/web/site')
  await expect(page.getByRole('heading', { level: 1, name: 'Sites' })).toBeVisible()
  await expect(page.getByRole('table').locator('.sk').first()).toBeVisible()
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings' }).click()
  await expect(nameField(page)).toHaveValue(organization.title)
  release()

  held = hold()
  sent.length = 0
  await page.route('**/api/resource/Organization/*', (route) =>
    route.request().method() === 'PUT' ? wait(route) : route.fallback(),
  )
  await nameField(page).fill('Fernhill slowly')
  await save(page).click()
  const saving = page.getByRole('button', { name: /^Saving/ })
  await expect(saving).toHaveAttribute('aria-busy', 'true')
  // Clicked anyway, as users do.
  await saving.click({ force: true })
  await nameField(page).press('Control+Enter')
  release()
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  expect(sent.filter((verb) => verb === 'PUT')).toHaveLength(1)
  await nameField(page).fill(organization.title)
  await save(page).click()
  await expect(save(page)).toHaveCount(0)
})

test('a failed login shows the reason and keeps the input', async ({ page, owner, problems }) => {
  expect(owner, 'there is an account').toBeTruthy()
  const login = await breakCalls(page, '**/api/method/login', 'POST')
  await page.goto('/web/login')
  await page.getByLabel('Email').fill(ada.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(ada.password)
  for (const name of ['429', '500', 'a proxy’s 502', 'half an answer', 'a broken connection']) {
    const fault = faults[name] as Fault
    login.now = fault
    await page.getByRole('button', { name: 'Log in' }).click()
    await expect(page.getByText(fault.message ?? 'There was an error while logging in'), name).toBeVisible()
    await expect(page.getByLabel('Email')).toHaveValue(ada.email)
  }
  login.now = null
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.waitForURL(/\/web\/?$/)
  ignoreConsoleErrors(problems, brokenCalls)
})

asOwner(
  'a session that cannot be read counts as logged out, and the page comes back by itself',
  async ({ page, site, problems }) => {
    await page.route(`**${site}`, async (route) => {
      const response = await route.fetch()
      const body = (await response.text()).replace('"session":{', '"not_delivered":{')
      await route.fulfill({ response, body })
    })
    const session = await breakCalls(page, /get_logged_user/, 'GET')
    session.now = text(502, 'text/html', '<html><h1>Bad Gateway</h1></html>', null)
    await page.goto(`${site}#activities`)
    await expect(page.getByRole('heading', { level: 1, name: 'Log in' })).toBeVisible()
    await expect(page.getByRole('main').getByRole('status')).toContainText('The server did not answer.')
    session.now = null
    await expect(page).toHaveURL(new RegExp(`${site}#activities$`))
    await expect(page.getByRole('heading', { level: 1, name: blog.title })).toBeVisible()
    ignoreConsoleErrors(problems, brokenCalls)
  },
)
