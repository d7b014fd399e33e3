/** Every failure with a fixed title shows it where it happens (docs/contracts/screens.md, section 8). */
import type { Page } from '@playwright/test'
import { ignoreConsoleErrors } from './support/console-watch.ts'
import { ada, asOwner, expect, test } from './support/harness-test.ts'
import { call } from './support/person.ts'

/** The server's message, which isn't part of the fixed texts. */
const errorText = 'InternalError: Broken on purpose.'
/** What the browser logs about it. */
const broken = /status of 500 .*\/api\//

interface Failure {
  /** Path below /web; `{server}` is the first server's name. */
  at: string
  /** The failing call. */
  call: RegExp
  /** Part of its body, if several calls share a URL. */
  body?: string
  title: string
  /** Text below the title; defaults to the server's message. */
  text?: string
  act?: (page: Page) => Promise<void>
}

const search = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Type / to search' }).click()
  await page.getByRole('combobox', { name: 'Search' }).fill('fern')
}
const rows = /frappe\.desk\.reportview\.get$/

const failures: readonly Failure[] = [
  { at: '/user', call: /run_doc_method/, body: 'list_invitations', title: 'Error fetching organization invitations' },
  { at: '/server', call: /get_list\?doctype=Server&/, title: 'Error Fetching Servers' },
  { at: '/site/create', call: /search_link$/, body: '"Server"', title: 'Error Fetching Servers' },
  {
    at: '/site/create',
    call: /get_value\?.*server_category/,
    title: 'Error Fetching Server Category',
    text: 'The server category could not be found.',
  },
  { at: '/site/create', call: /php\.get_versions/, title: 'Unable To Fetch Supported PHP Versions' },
  { at: '/server/create', call: /get_cloud_provider_metadata$/, title: 'Error Fetching Cloud Provider Metadata' },
  { at: '/server/{server}', call: /resource\/Server\//, title: 'Error Fetching Server' },
  { at: `/user/${encodeURIComponent(ada.email)}`, call: /resource\/User\//, title: 'Error Fetching User Details' },
  {
    at: '/billing#plans',
    call: /get_subscription_status/,
    title: 'Error Fetching Subscription Status',
    text: 'Failed to fetch subscription status. Please try again later.',
  },
  { at: '/', call: rows, body: '["domain","like"', title: 'Error Fetching Sites by Name', act: search },
  {
    at: '/',
    call: rows,
    body: '["usr_alias_domains","like"',
    title: 'Error Fetching Sites by Alias Domain',
    act: search,
  },
  { at: '/', call: rows, body: '["hostname","like"', title: 'Error Fetching Servers', act: search },
  {
    at: '/',
    call: /method\/logout$/,
    title: 'There was an error while logging out',
    act: async (page) => {
      await page.getByRole('button', { name: 'User menu' }).click()
      await page.getByRole('menuitem', { name: 'Logout' }).click()
    },
  },
]

/** Makes one call fail and lets all others through. */
async function breakCall(page: Page, { call: address, body }: Pick<Failure, 'call' | 'body'>): Promise<void> {
  await page.route(address, (route) =>
    body === undefined || (route.request().postData() ?? '').includes(body)
      ? route.fulfill({ status: 500, json: { exc_type: 'InternalError', exception: errorText } })
      : route.fallback(),
  )
}

/**
 * Records assertive announcements and visible notifications from now on: they stay for a second and for some seconds, which
 * polling on a slow machine can miss.
 */
async function keepNotifications(page: Page): Promise<void> {
  await page.addInitScript(`
    window.announced = new Set()
    window.shown = new Set()
    new MutationObserver(() => {
      for (const status of document.querySelectorAll('[role=status][aria-live=assertive]')) announced.add(status.textContent)
      for (const item of document.querySelectorAll('[role=region] li')) if (item.checkVisibility()) shown.add(item.innerText)
    }).observe(document, { subtree: true, childList: true, characterData: true })
  `)
}

const recorded = (page: Page, set: 'announced' | 'shown'): Promise<string[]> => page.evaluate(`[...${set}]`)

for (const failure of failures) {
  asOwner(`“${failure.title}” at ${failure.at}`, async ({ page, owner, problems }) => {
    expect(owner, 'there is an account').toBeTruthy()
    await page.goto('/web/terms')
    const servers = await call<{ name: string }[]>(page, 'frappe.client.get_list', { doctype: 'Server' })
    await breakCall(page, failure)
    await keepNotifications(page)
    await page.goto(`/web${failure.at.replace('{server}', servers[0]?.name ?? '')}`)
    await failure.act?.(page)
    await expect
      .poll(() => recorded(page, 'announced'), { timeout: 30_000 })
      .toContainEqual(expect.stringContaining(`Notification ${failure.title}`))
    const shown = await recorded(page, 'shown')
    expect(shown).toContainEqual(expect.stringContaining(`${failure.title}\n${failure.text ?? errorText}`))
    ignoreConsoleErrors(problems, broken)
  })
}

test('an unsent password reset email has its own error text', async ({ page, owner, problems }) => {
  expect(owner, 'there is an account').toBeTruthy()
  await page.goto('/web/forgot-password')
  await page.route('**/*user.reset_password', (route) => route.fulfill({ status: 500, json: {} }))
  await page.getByLabel('Email').fill(ada.email)
  await page.getByRole('button', { name: 'Create link' }).click()
  await expect(page.getByText('There was an error sending password reset email.')).toBeVisible()
  ignoreConsoleErrors(problems, broken)
})
