/** From `npm start` to a published post: a user's first day, in one story. */
import { cpus, hostname, release, totalmem } from 'node:os'
import type { BrowserContext, Page } from '@playwright/test'
import { ada, blog, expect, organization, ownTest as test } from './support/harness-test.ts'
import { expectValidLayout } from './support/looks.ts'
import { call, fillSignup, fillSiteForm, inNewTab, siteStatus, siteTimeout, submitSite } from './support/person.ts'

test.describe.configure({ mode: 'serial' })

/** One browser for the whole story. */
let context: BrowserContext
let page: Page

test.beforeAll(async ({ browser, product, recording }) => {
  context = await browser.newContext({ baseURL: product.url })
  recording.follow(context)
  page = await context.newPage()
})

test.afterAll(async ({ recording }) => {
  await recording.settled()
  await context.close()
})

test('npm start prints its steps with durations, then the URL and the setup link', ({ product }) => {
  const lines = product.output().trimEnd().split('\n')
  const steps = lines.filter((line) => line.startsWith('✓ '))
  expect(steps.length).toBeGreaterThanOrEqual(4)
  for (const step of steps) expect(step).toMatch(/^✓ \S.* \d+(?:\.\d+)? (?:s|min \d+ s)$/)
  expect(lines.at(-2)).toBe(`Easydash is ready: ${product.url}/web`)
  expect(lines.at(-1)).toMatch(/^Create the first account: http\S+\/web\/signup\?setup=\S{20,}$/)
})

test('the installation can only be claimed with the setup link, and the page says where to find it', async () => {
  await page.goto('/web')
  await expect(page).toHaveURL(/\/web\/login$/)
  await page.getByRole('link', { name: 'Create an account' }).click()
  await expect(page.getByRole('heading', { name: 'Create the first account' })).toBeVisible()
  await expect(page.getByText('The setup link is in the terminal')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Create account' })).toHaveCount(0)

  await page.goto('/web/signup?setup=not-the-token')
  await fillSignup(page, ada)
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page.getByText('This setup link is not valid any more.')).toBeVisible()
})

test('the setup link opens a signup form with a live password strength and required terms', async ({ product }) => {
  await page.goto(product.setupLink ?? '')
  const password = page.getByRole('textbox', { name: 'Password' })
  const strength = page.getByRole('meter', { name: 'Password strength' })
  await password.focus()
  for (const [text, word, value] of [
    ['a', 'No Strength', '0'],
    ['kangaroo42', 'Weak', '33'],
    ['correct-horse', 'Average', '66'],
    ['kangaroo teapot 42', 'Excellent', '100'],
  ] as const) {
    await password.fill(text)
    await expect(strength).toHaveAttribute('aria-valuetext', word)
    await expect(strength).toHaveAttribute('aria-valuenow', value)
    await expect(page.getByText(word, { exact: true })).toBeVisible()
  }

  await fillSignup(page, ada)
  await page.getByLabel('I accept the terms').uncheck()
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page.getByText('Accept the terms to continue.')).toBeVisible()
  await password.fill('kangaroo42')
  await page.getByLabel('I accept the terms').check()
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page.getByText(/easy to guess/).first()).toBeVisible()

  await password.fill(ada.password)
  await page.getByLabel('Send me news').check()
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.waitForURL('**/web/organization/create')
})

test('the organization gets a slug with a live availability check', async () => {
  const title = page.getByLabel('Name', { exact: true })
  const slug = page.getByLabel('Short name')
  const available = page.getByText('Available', { exact: true })
  await title.fill('Żółw & Söhne GmbH')
  await expect(slug).toHaveValue('zolw-and-sohne-gmbh')
  await expect(available).toBeVisible()

  for (const [text, problem] of [
    ['ab', /3/],
    ['admin', /reserved/],
    ['create', /reserved/],
    ['-edge', /hyphen|begin|start/i],
  ] as const) {
    await slug.fill(text)
    await expect(page.getByRole('alert').filter({ hasText: problem })).toBeVisible()
    await expect(available).toBeHidden()
  }
  await slug.fill('UPPER Case')
  await expect(slug).toHaveValue('upper-case')
  await slug.fill('x'.repeat(40))
  await expect(slug).toHaveValue('x'.repeat(32))

  await title.fill(organization.title)
  await slug.fill('')
  await slug.blur()
  await expect(slug).toHaveValue(organization.slug)
  await expect(available).toBeVisible()
  await page.getByRole('button', { name: 'Create organization' }).click()
})

test('the dashboard shows completed steps and links to creating the first site', async () => {
  await expect(page.getByRole('heading', { name: `Welcome to ${organization.title}` })).toBeVisible()
  const checklist = page.getByRole('main')
  await expect(checklist.getByText('Create the organization')).toBeVisible()
  await expect(checklist.getByText(ada.email)).toBeVisible()
  await expect(checklist.getByRole('img', { name: '2 of 5 steps done' })).toBeVisible()
  const tour = page.getByRole('dialog', { name: 'Your organizations' })
  await expect(tour).toBeHidden()
  await page.getByRole('button', { name: 'Start the tour' }).click()
  await expect(tour).toContainText('1 of 7')
  await page.keyboard.press('Escape')
  await expect(tour).toBeHidden()
  await expect(page.getByRole('link', { name: 'Create a site' })).toBeVisible()
  await expect(page.getByRole('button', { name: `Organization: ${organization.title}` })).toContainText('Owner')
  await expectValidLayout(page)
})

test('"This machine" is a server with real data', async () => {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Servers' }).click()
  await page.getByRole('link', { name: hostname() }).click()
  const main = page.getByRole('main')
  await expect(main.getByRole('heading', { name: hostname(), level: 1 })).toBeVisible()
  for (const text of ['Healthy', 'This machine', 'Development']) {
    await expect(main.getByText(text, { exact: true }).first()).toBeVisible()
  }
  // The machine's, not those that this process may use.
  const cores = cpus().length
  for (const [label, value] of [
    ['System', /\w/],
    ['Kernel', new RegExp(`${RegExp.escape(release())}$`)],
    ['CPU', new RegExp(`^${cores} cores?$`)],
    ['RAM', new RegExp(`^${Math.floor(totalmem() / 2 ** 30)}(?:\\.\\d+)? GB$`)],
    ['Uptime', /^\d+ (?:d|h|min|s)/],
  ] as const) {
    const term = main.getByRole('term').filter({ hasText: new RegExp(`^${label}$`) })
    await expect(term.locator('xpath=following-sibling::dd[1]')).toHaveText(value)
  }
  await expect(main.getByText(/^[\d.]+ GB of disk free$/)).toBeVisible()
  await expect(main.getByText(/^Healthy, up for /)).toBeVisible()
})

test('a site is created; its job shows progress and survives closing, reload and a second tab', async () => {
  await page.goto('/web')
  await page.getByRole('link', { name: 'Create a site' }).click()
  await fillSiteForm(page, blog)
  await expect(page.getByText(/The site will answer at http:\/\/blog\.localhost/)).toBeVisible()
  await page.getByLabel('PHP version').selectOption('8.3')
  const versions = await page.getByLabel('PHP version').getByRole('option').allInnerTexts()
  expect(versions).toEqual(['8.2', '8.3', '8.4', '8.5'])

  const drawer = await submitSite(page, blog)
  const jobUrl = page.url()
  await expect(drawer.getByRole('list', { name: 'Steps' }).getByRole('listitem').first()).toBeVisible()
  await expect(
    drawer
      .getByRole('progressbar')
      .or(drawer.getByText('Done', { exact: true }))
      .first(),
  ).toBeVisible()
  const second = await context.newPage()
  await second.goto(jobUrl)

  // After closing the drawer, the job continues and the page shows it.
  await drawer.getByRole('button', { name: 'Close' }).last().click()
  await expect(drawer).toBeHidden()
  await expect(page).not.toHaveURL(/job=/)
  await page.reload()
  await expect(siteStatus(page, 'Live')).toBeVisible({ timeout: siteTimeout })

  // The second tab updated by itself; after a reload it shows the same.
  const there = second.getByRole('dialog', { name: `Create ${blog.title}` })
  await expect(there.getByText('Done', { exact: true })).toBeVisible()
  const steps = await there.getByRole('list', { name: 'Steps' }).getByRole('listitem').allTextContents()
  expect(steps.length).toBeGreaterThanOrEqual(4)
  for (const step of steps) expect(step, 'a name, its state, a duration').toMatch(/^\S.*, Done\d.*(?:s|min)$/)
  // The log is read after the job, by pieces.
  const job = { doctype: 'Job', name: new URL(jobUrl).searchParams.get('job') }
  const { log_lines: written } = await call<{ log_lines: number }>(second, 'frappe.client.get', job)
  expect(written).toBeGreaterThan(3)
  await expect.poll(async () => (await logLines(second)).length).toBe(written)
  const log = await logLines(second)
  await second.reload()
  await expect(there.getByText('Done', { exact: true })).toBeVisible()
  await expect(there.getByRole('list', { name: 'Steps' }).getByRole('listitem')).toHaveText(steps)
  await expect.poll(() => logLines(second)).toEqual(log)
  await second.close()
})

test('Visit opens the site at its own host name', async ({ product }) => {
  const tab = await inNewTab(page, () => page.getByRole('link', { name: 'Visit' }).click())
  expect(new URL(tab.url()).host).toBe(`${blog.name}.localhost:${product.port}`)
  await expect(tab).toHaveTitle(new RegExp(blog.title))
  await tab.close()
})

test('Open admin logs in with one click; its link works once; a post is published', async ({ browser }) => {
  const links: string[] = []
  context.on('request', (request) => {
    if (request.url().includes('/.easydash/login')) links.push(request.url())
  })
  const admin = await inNewTab(page, () => page.getByRole('button', { name: 'Open admin' }).click())
  await expect(admin.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible()
  await expect(admin.getByRole('menuitem', { name: /^Howdy, Ada/ })).toBeVisible()
  expect(links).toHaveLength(1)

  const stranger = await browser.newPage()
  await stranger.goto(links[0] ?? '')
  await expect(stranger).toHaveTitle('This link was used already')
  await stranger.close()

  await publishPost(admin, blog.post)
  await admin.close()
  const visit = await inNewTab(page, () => page.getByRole('link', { name: 'Visit' }).click())
  await expect(visit.getByRole('link', { name: blog.post }).first()).toBeVisible()
  await visit.close()
})

test('the activity tab shows who got a link to the admin', async () => {
  await page.getByRole('tab', { name: 'Activity' }).click()
  const row = page.getByRole('row').filter({ hasText: 'got a link to the admin' })
  await expect(row).toContainText('Ada')
  await expect(page.getByRole('row').filter({ hasText: 'created the site' }).first()).toContainText('Done')
})

/** Log lines of the open drawer. */
async function logLines(tab: Page): Promise<string[]> {
  return await tab.getByRole('dialog').getByRole('region', { name: 'Log' }).locator('> div').allInnerTexts()
}

/** Publishes a post as the user of wp-admin. Its editor takes seconds of processor time: `wordpress.full.e2e.ts` writes in it. */
async function publishPost(admin: Page, title: string): Promise<void> {
  const status = await admin.evaluate(async (of) => {
    const nonce = await (await fetch('/wp-admin/admin-ajax.php?action=rest-nonce')).text()
    const response = await fetch('/?rest_route=/wp/v2/posts', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-WP-Nonce': nonce },
      body: JSON.stringify({ title: of, status: 'publish' }),
    })
    return response.status
  }, title)
  expect(status, 'the post is published').toBe(201)
}
