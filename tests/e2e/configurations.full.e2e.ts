/** The configurations of a site: each change is seen on the site itself. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { asOwner, blog, expect } from './support/harness-test.ts'
import { fetchFrom, type FetchOptions } from '#server/engines/local/engine-fixture.ts'
import { createSite, siteStatus, siteTimeout } from './support/person.ts'

asOwner.describe.configure({ timeout: 4 * siteTimeout })
asOwner.use({ actionTimeout: siteTimeout })

/** Waits until the job in the automatically opened drawer has ended, and closes it. */
async function finishJob(page: Page, end: 'Done' | 'Failed' = 'Done'): Promise<void> {
  const drawer = page.getByRole('dialog')
  await expect(drawer.getByText(end, { exact: true }).first()).toBeVisible({ timeout: siteTimeout })
  await drawer.getByRole('button', { name: 'Close' }).last().click()
  await expect(drawer).toBeHidden()
}

/** Chooses in the dialog of an action. */
async function confirmChoice(page: Page, action: string, choices: Record<string, string>): Promise<void> {
  const dialog = page.getByRole('dialog', { name: new RegExp(`^${action}`) })
  for (const [label, value] of Object.entries(choices)) await dialog.getByLabel(label).selectOption(value)
  await dialog.getByRole('button', { name: action, exact: true }).click()
}

/** A request of a stranger to a site; nothing but a browser knows the name of a site on this machine. */
const visit = (name: string, port: number, options: FetchOptions = {}) =>
  fetchFrom(port, `${name}.localhost:${port}`, '/', options)

const openTab = (page: Page, site: string) => page.goto(`${site}#configurations`)

asOwner(
  'settings of WordPress are saved together, undone, and never overwrite a change in wp-admin',
  async ({ page, site, product }) => {
    const front = `http://${blog.name}.localhost:${product.port}`
    await openTab(page, site)
    const form = page.getByRole('form', { name: 'WordPress settings' })
    const title = form.getByLabel('Title')
    await expect(title).toHaveValue(blog.title)
    await title.fill('A quieter “Journal” & more')
    await form.getByRole('textbox', { name: 'Permalinks' }).fill('news/%postname%')
    await form.getByRole('button', { name: 'Save' }).click()
    await expect(form.getByText('It begins with a slash.')).toBeVisible()
    await form.getByRole('button', { name: '/archives/123' }).click()
    await form.getByLabel('Time zone').selectOption('Europe/Berlin')
    // Leaving asks first.
    await page.getByRole('link', { name: 'Sites' }).first().click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Keep editing' }).click()
    await form.getByRole('button', { name: 'Save' }).click()
    const saved = page.getByRole('listitem').filter({ hasText: 'WordPress settings saved' })
    // It stays while the pointer is on it.
    await saved.hover()
    const visitor = await page.context().newPage()
    await visitor.goto(front)
    await expect(visitor).toHaveTitle(/A quieter “Journal” & more/)
    await expect(visitor.getByRole('main').getByRole('link', { name: 'Hello world!' }).first()).toHaveAttribute(
      'href',
      `${front}/archives/1`,
    )
    await visitor.goto(`${front}/archives/1`)
    await expect(visitor.getByRole('heading', { name: 'Hello world!', level: 1 })).toBeVisible()

    await saved.getByRole('button', { name: 'Undo' }).click()
    await expect(title).toHaveValue(blog.title)
    await visitor.goto(front)
    await expect(visitor).toHaveTitle(new RegExp(blog.title))
    await expect(form.getByRole('textbox', { name: 'Permalinks' })).toHaveValue('/%postname%/')

    // Somebody changes the tagline in WordPress while this form is open.
    await form.getByLabel('Tagline').fill('Mine')
    const other = await page.context().newPage()
    await openTab(other, site)
    const otherForm = other.getByRole('form', { name: 'WordPress settings' })
    await otherForm.getByLabel('Tagline').fill('Theirs')
    await otherForm.getByRole('button', { name: 'Save' }).click()
    await expect(other.getByRole('listitem').filter({ hasText: 'WordPress settings saved' })).toBeVisible()
    await other.close()
    await form.getByRole('button', { name: 'Save' }).click()
    await expect(form.getByText(/Theirs/)).toBeVisible()
    await form.getByRole('button', { name: 'Keep mine' }).click()
    await form.getByRole('button', { name: 'Save' }).click()
    await expect(saved).toBeVisible()
    await visitor.goto(front)
    await form.getByLabel('Tagline').fill('')
    await form.getByRole('button', { name: 'Save' }).click()
    await expect(form.getByRole('button', { name: 'Save' })).toHaveCount(0)
    await visitor.close()
  },
)

asOwner('debug mode, PHP limits, and a change that breaks the site is set back', async ({ page, site, product }) => {
  await openTab(page, site)
  const debug = page.getByRole('region', { name: 'Debug mode' })
  await debug.getByRole('button', { name: /^Turn on debug mode/ }).click()
  await confirmChoice(page, 'Turn on debug mode', { 'Turn off after': '4 hours' })
  await finishJob(page)
  await expect(debug.getByText(/^On, (?:4 h|3 h 5\d min) left$/)).toBeVisible()
  await debug.getByRole('button', { name: 'Turn off debug mode' }).click()
  await finishJob(page)
  await expect(debug.getByText('Off', { exact: true })).toBeVisible()

  const php = page.getByRole('region', { name: 'PHP' })
  await php.getByRole('button', { name: /^Change limits/ }).click()
  await confirmChoice(page, 'Change limits', { 'Memory limit (MB)': '128', 'Upload limit (MB)': '8' })
  await finishJob(page)
  await expect(php.getByText('128 MB')).toBeVisible()

  // A plugin that needs more than the next limit.
  const id = site.split('/').at(-1) ?? ''
  const plugins = join(product.dataDir, 'local', 'sites', id, 'www', 'wp-content', 'mu-plugins')
  await mkdir(plugins, { recursive: true })
  await writeFile(
    join(plugins, 'hungry.php'),
    `<?php if (empty($_SERVER['EASYDASH_INPUT'])) str_repeat('x', 80 * 1024 * 1024);`,
  )
  await php.getByRole('button', { name: /^Change limits/ }).click()
  await confirmChoice(page, 'Change limits', { 'Memory limit (MB)': '64' })
  const drawer = page.getByRole('dialog')
  await expect(drawer.getByText(/has its previous settings again/).first()).toBeVisible({ timeout: siteTimeout })
  await finishJob(page, 'Failed')
  await expect(siteStatus(page, 'Live')).toBeVisible()
  await expect(php.getByText('128 MB')).toBeVisible()
  expect((await visit(blog.name, product.port)).status).toBe(200)
  await rm(join(plugins, 'hungry.php'))
})

asOwner('maintenance mode and HTTP authentication stand before the site', async ({ page, site, product }) => {
  const stranger = (options?: FetchOptions) => visit(blog.name, product.port, options)
  await openTab(page, site)
  const visitors = page.getByRole('region', { name: 'Visitors' })
  const maintenance = visitors.getByRole('switch', { name: 'Maintenance mode' })
  await maintenance.click()
  const toast = page.getByRole('listitem').filter({ hasText: 'Maintenance mode is on' })
  await toast.hover()
  expect(await stranger()).toMatchObject({ status: 503, headers: { 'retry-after': '300' } })
  await expect(siteStatus(page, 'Live')).toBeVisible()
  await expect(siteStatus(page, 'Maintenance')).toBeVisible()
  await toast.getByRole('button', { name: 'Undo' }).click()
  await expect(maintenance).not.toBeChecked()
  expect((await stranger()).status).toBe(200)

  const auth = visitors.getByRole('switch', { name: 'HTTP authentication' })
  await auth.click()
  await expect(visitors.getByText('preview', { exact: true })).toBeVisible()
  expect((await stranger()).status).toBe(401)
  await visitors.getByRole('button', { name: /^Reveal HTTP auth password/ }).click()
  const shown = visitors.getByRole('group', { name: 'HTTP auth password' }).getByText(/^[A-Za-z0-9]{24}$/)
  const known = Buffer.from(`preview:${await shown.innerText()}`).toString('base64')
  expect((await stranger({ headers: { authorization: `Basic ${known}` } })).status).toBe(200)
  // A preview link lets somebody without an account in.
  await visitors.getByRole('button', { name: /^Create preview link/ }).click()
  await confirmChoice(page, 'Create preview link', { 'Works for': '1 day' })
  const link = new URL(await visitors.getByText(/\/\.easydash\/preview\?token=/).innerText())
  const opened = await fetchFrom(product.port, link.host, link.pathname + link.search)
  const pass = { headers: { cookie: String(opened.headers['set-cookie']).split(';', 1).join() } }
  expect((await stranger(pass)).status).toBe(200)
  await visitors.getByRole('button', { name: /^End preview link/ }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'End preview link', exact: true }).click()
  await expect(visitors.getByText(/^Expires/)).toHaveCount(0)
  expect((await stranger(pass)).status).toBe(401)
  // A login link needs no password.
  const [admin] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('button', { name: /^Open admin/ }).click(),
  ])
  await expect(admin.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible({ timeout: siteTimeout })
  await admin.close()
  await auth.click()
  await expect(auth).not.toBeChecked()
  await expect(visitors.getByText('preview', { exact: true })).toHaveCount(0)
  expect((await stranger()).status).toBe(200)
})

asOwner('a suspended site says so, and comes back', async ({ page, site, product }) => {
  expect(site).toBeTruthy()
  await createSite(page, { name: 'pausing', kind: 'PHP' })
  await expect(siteStatus(page, 'Live')).toBeVisible()
  const path = new URL(page.url()).pathname
  await openTab(page, path)
  await expect(page.getByRole('region', { name: 'Debug mode' })).toHaveCount(0)
  await page
    .getByRole('region', { name: 'Danger zone' })
    .getByRole('button', { name: /^Suspend/ })
    .click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Suspend', exact: true }).click()
  await finishJob(page)
  await expect(siteStatus(page, 'Suspended')).toBeVisible()
  await expect(page.getByText(/suspended by its owners/)).toBeVisible()
  const response = await visit('pausing', product.port)
  expect(response.status).toBe(503)
  expect(response.body).toContain('This site is suspended')
  await page.getByRole('main').getByRole('button', { name: 'Resume' }).first().click()
  await finishJob(page)
  await expect(siteStatus(page, 'Live')).toBeVisible()
  expect((await visit('pausing', product.port)).status).toBe(200)
})
