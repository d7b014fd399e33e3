/** The shell around every page: menu, search, members, shortcuts, banner. */
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { ignoreConsoleErrors } from './support/console-watch.ts'
import { asOwner, blog, expect, organization, withMotion } from './support/harness-test.ts'
import { expectValidLayout, settled } from './support/looks.ts'
import { call, pressPair } from './support/person.ts'

asOwner.use(withMotion)

const long = process.env['EASYDASH_TEST_LONG'] === '1'

async function expectAccessible(page: Page, what: string): Promise<void> {
  await settled(page)
  if (long) {
    const size = page.viewportSize()
    await expectValidLayout(page)
    if (size) await page.setViewportSize(size)
    return
  }
  const { violations } = await new AxeBuilder({ page }).analyze()
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join('\n  ')}`)
  expect(found, `accessibility of ${what}`).toEqual([])
}

asOwner('a site and its admin can be found with the keyboard alone', async ({ page, site }) => {
  await page.goto('/web')
  await expect(page.getByRole('button', { name: 'Type / to search' })).toBeVisible()
  await page.getByRole('heading', { level: 1 }).focus()
  await page.keyboard.press('/')
  const field = page.getByRole('combobox', { name: 'Search' })
  await expect(field).toBeFocused()
  await expect(field).toHaveAttribute('placeholder', 'Type / to search')
  await page.keyboard.type(blog.name.slice(0, 3))
  const found = page.getByRole('group', { name: 'Sites' }).getByRole('option').first()
  await expect(found).toContainText(blog.name)
  await expect(found).toHaveAttribute('aria-selected', 'true')
  await expectAccessible(page, 'the search')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`${site}$`))
  await expect(page.getByRole('heading', { level: 1, name: blog.title })).toBeFocused()

  // The same panel with actions; recent pages are listed before typing.
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('group', { name: 'Recent' })).toContainText(blog.title)
  await page.keyboard.type(`open admin of ${blog.title}`)
  await expect(page.getByRole('listbox').getByRole('option', { selected: true })).toHaveText(
    `Open admin of ${blog.title}`,
  )
  await field.fill('no such thing')
  await expect(page.getByText('No results found').first()).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toBeHidden()
  await page.getByRole('button', { name: 'Type / to search' }).click()
  await expect(field).toBeFocused()
  // The dialog only starts listening for outside clicks in the task after it opened. Users aren't that fast, but stories
  // are.
  await expect(async () => {
    await page.mouse.click(5, 500)
    await expect(page.getByRole('dialog')).toBeHidden({ timeout: 1000 })
  }).toPass()
})

asOwner('keyboard shortcuts reach every page, and single-key ones can be turned off', async ({ page, owner }) => {
  expect(owner, 'there is an account').toBeTruthy()
  await page.goto('/web')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await pressPair(page, 'g', 's')
  await expect(page.getByRole('heading', { level: 1, name: 'Sites' })).toBeVisible()
  await page.keyboard.press('Control+b')
  await expect(page.getByRole('complementary', { name: 'Sidebar' })).toHaveAttribute('data-state', 'collapsed')
  const cookie = (await page.context().cookies()).find(({ name }) => name === 'sidebar:state')
  expect(cookie?.value).toBe('false')
  expect(((cookie?.expires ?? 0) - Date.now() / 1000) / 86_400).toBeCloseTo(7, 1)
  await page.keyboard.press('Control+b')

  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Help and shortcuts' })
  const saved = page.waitForResponse((response) => response.request().method() === 'PUT')
  await help.getByLabel('Single-key shortcuts').uncheck()
  expect((await saved).status()).toBe(200)
  await page.keyboard.press('Escape')
  await page.evaluate('localStorage.clear()')
  await page.reload()
  await expect(page.getByRole('heading', { level: 1, name: 'Sites' })).toBeVisible()
  await pressPair(page, 'g', 'd')
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(page).toHaveURL(/\/web\/site$/)
  await page.getByRole('button', { name: 'Help and shortcuts' }).click()
  const restored = page.waitForResponse((response) => response.request().method() === 'PUT')
  await help.getByLabel('Single-key shortcuts').check()
  expect((await restored).status()).toBe(200)
})

asOwner('the top bar shows members and links to the user’s own profile', async ({ page, owner }) => {
  expect(owner, 'there is an account').toBeTruthy()
  await page.goto('/web')
  await page.getByRole('button', { name: /^Members/ }).click()
  const members = page.getByRole('dialog', { name: `Members of ${organization.title}` })
  await expect(members.getByRole('listitem').filter({ hasText: 'You' })).toContainText('Owner')
  await expectAccessible(page, 'the members')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: /^Members/ })).toBeFocused()
  const menu = page.getByRole('navigation', { name: 'Main' })
  const support = menu.getByRole('link', { name: /^Support/ })
  await expect(support).toHaveAttribute('target', '_blank')
  await expect(support).toHaveAttribute('href', '/helpdesk')
  await page.getByRole('button', { name: 'User menu' }).click()
  await expect(page.getByRole('menuitem', { name: 'Profile' })).toHaveAttribute(
    'href',
    '/web/user/ada%40fernhill.example#personal-info',
  )
})

asOwner('the top bar does not shift when the avatars load', async ({ page, owner }) => {
  expect(owner, 'there is an account').toBeTruthy()
  // More members than avatars in the bar.
  await page.route(/get_count\?doctype=User&/, (route) => route.fulfill({ json: { message: 12 } }))
  await page.route('**/easydash.api.documents.get_counts*', async (route) => {
    const response = await route.fetch()
    const queries = JSON.parse(new URL(route.request().url()).searchParams.get('queries') ?? '') as {
      doctype: string
    }[]
    const { message } = (await response.json()) as { message: unknown[] }
    const counts = message.map((count, at) => (queries[at]?.doctype === 'User' ? 12 : count))
    await route.fulfill({ response, json: { message: counts } })
  })
  const faces = ['Ada Berg', 'Bo Carl', 'Cy Dahl'].map((name) => ({ name, full_name: name, user_image: null }))
  let release = Promise.withResolvers<void>()
  // The avatars come with other small lists, or alone.
  const withMembers = /get_list(?:s\?.*%22doctype%22%3A%22User%22|\?doctype=User&)/
  await page.route(withMembers, async (route) => {
    const response = await route.fetch()
    const queries = new URL(route.request().url()).searchParams.get('queries')
    const { message } = (await response.json()) as { message: unknown[] }
    const doctypes = queries === null ? [] : (JSON.parse(queries) as { doctype: string }[])
    const lists = doctypes.map(({ doctype }, at) => (doctype === 'User' ? faces : message[at]))
    await release.promise
    await route.fulfill({ response, json: { message: queries === null ? faces : lists } })
  })
  await page.goto('/web/terms')
  await page.evaluate(() => localStorage.clear())
  for (const browser of ['that has seen nobody', 'that knows how many there are']) {
    release = Promise.withResolvers()
    await page.goto('/web')
    const members = page.getByRole('button', { name: 'Members: 12 people' })
    await expect(members).toBeVisible()
    // Wait for the app's font, which changes the width of texts.
    const loaded = "[...document.fonts].some(({ family, status }) => family === 'Geist' && status === 'loaded')"
    await expect.poll(() => page.evaluate<boolean>(loaded)).toBe(true)
    const box = await members.boundingBox()
    await expect(members.locator('[data-initials]')).toHaveCount(0)
    release.resolve()
    await expect(members.locator('[data-initials]')).toHaveCount(3)
    expect(await members.boundingBox(), `a browser ${browser}`).toEqual(box)
  }
})

asOwner('a canceled plan is shown on every page until it is reactivated', async ({ page, owner }) => {
  expect(owner, 'there is an account').toBeTruthy()
  await page.goto('/web/server')
  await call(page, 'easydash.api.billing.change_plan', { plan: 'Growth' })
  await call(page, 'easydash.api.billing.cancel_plan')
  await page.reload()
  const line = page.getByRole('status').filter({ hasText: 'Plan Expiring Soon' })
  await expect(line).toHaveText(
    /^Plan Expiring Soon: Your plan has been cancelled\. You'll retain access until .+\. Changed your mind\? Reactivate$/,
  )
  await expect(line.getByRole('link', { name: 'Reactivate' })).toHaveAttribute('href', '/web/billing#plans')
  await call(page, 'easydash.api.billing.reactivate_plan')
  await call(page, 'easydash.api.billing.change_plan', { plan: 'Free' })
  await page.reload()
  await expect(page.getByRole('heading', { level: 1, name: 'Servers' })).toBeVisible()
  await expect(line).toHaveCount(0)
})

asOwner(
  'while offline, a banner says since when, and actions and forms are disabled',
  async ({ page, site, problems }) => {
    // A second tab with unsaved changes.
    const form = await page.context().newPage()
    await form.goto('/web/organization')
    const name = form.getByLabel('Name', { exact: true })
    await expect(name).toHaveValue(organization.title)
    await name.fill('Fernhill on a train')
    // And one on a phone, which has no hover.
    const phone = await page.context().newPage()
    await phone.setViewportSize({ width: 390, height: 844 })
    await phone.goto('/web/site/create')
    const create = phone.getByRole('button', { name: /^Create site/ })
    await expect(create).toBeEnabled()
    await page.goto(site)
    await expect(page.getByRole('button', { name: /^Open admin/ })).toBeEnabled()
    await page.context().setOffline(true)
    await expect(page.getByText(/^Reconnecting… showing data from /)).toBeVisible()
    await expect(page.getByRole('button', { name: /^Open admin/ })).toBeDisabled()
    await expect(form.getByText('can be saved when the server answers again')).toBeVisible()
    await expect(form.getByRole('button', { name: 'Save', exact: true })).toBeDisabled()
    const reason = phone.getByText('Available when the connection is back').filter({ visible: true })
    await expect(reason).toBeInViewport()
    await expect(create).toHaveAccessibleDescription('Available when the connection is back')
    await phone.close()
    await name.fill(`${organization.title} on a train`)
    await page.context().setOffline(false)
    await expect(page.getByText(/^Reconnecting/)).toBeHidden()
    await expect(page.getByRole('button', { name: /^Open admin/ })).toBeEnabled()
    await form.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(form.getByText('Saved', { exact: true })).toBeVisible()
    await name.fill(organization.title)
    await form.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(form.getByRole('button', { name: 'Save', exact: true })).toHaveCount(0)
    // The browser logs lost connections to the console.
    ignoreConsoleErrors(problems, /WebSocket connection|ERR_INTERNET_DISCONNECTED/)
  },
)

/** Two parts of the session that the gates need. */
const gateParts = [
  ['get_current_user_organization_metadata', 'Error Fetching User Organization Metadata'],
  ['is_verified', 'Error Fetching User Verification Status'],
] as const

for (const [call, title] of gateParts) {
  asOwner(`${title}: unreadable data redirects nobody`, async ({ page, site, problems }) => {
    expect(site, 'there is a site').toBeTruthy()
    await page.goto('/web/site')
    await expect(page.getByRole('heading', { level: 1, name: 'Sites' })).toBeVisible()
    const calls = new RegExp(`${call}(\\?|$)`)
    await page.route(calls, (route) => route.fulfill({ status: 500, json: { message: 'Broken on purpose.' } }))
    // A denial may mean a changed role, so the session is read again.
    const star = '**/api/resource/Site/*'
    await page.route(star, (route) => route.fulfill({ status: 403, json: { exc_type: 'PermissionError' } }))
    await page
      .getByRole('main')
      .getByRole('button', { name: /favorites/ })
      .first()
      .click()
    await expect(page.getByRole('region', { name: /Notifications/ }).getByText(title)).toBeVisible()
    await expect(page).toHaveURL(/\/web\/site$/)
    await expect(page.getByRole('heading', { level: 1, name: 'Sites' })).toBeVisible()

    await page.unroute(star)
    // On the first load nothing is known.
    await page.route('**/web/site', async (route) => {
      const response = await route.fetch()
      const body = (await response.text()).replace('"session":{', '"not_delivered":{')
      await route.fulfill({ response, body })
    })
    await page.reload()
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
    await expect(page.getByRole('alert')).toHaveText('Broken on purpose.')
    await expect(page.getByRole('region', { name: /Notifications/ })).toContainText(`${title} Broken on purpose.`)
    const { violations } = await new AxeBuilder({ page }).analyze()
    expect(violations.map(({ id }) => id)).toEqual([])
    await page.unroute(calls)
    await page.getByRole('button', { name: 'Retry' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Sites' })).toBeVisible()
    ignoreConsoleErrors(problems, /status of (?:403|500)/)
  })
}

asOwner('views of a list are sub-items of the menu that collapse and are remembered', async ({ page, site }) => {
  expect(site, 'there is a site').toBeTruthy()
  await page.goto('/web')
  const view = await call<{ name: string }>(page, 'frappe.client.insert', {
    doc: { doctype: 'Saved View', reference_doctype: 'Site', title: 'Alive', filters: [['status', '=', 'Live']] },
  })
  const views = page.getByRole('navigation', { name: 'Main' }).getByRole('button', { name: 'Views of Sites' })
  const alive = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Alive' })
  try {
    await page.goto('/web')
    await expect(views).toHaveAttribute('aria-expanded', 'false')
    const saved = page.waitForResponse((response) => response.request().method() === 'PUT')
    await views.press('Enter')
    await saved
    await alive.click()
    await expect(page).toHaveURL(/\/site\?.*status/)
    await expect(alive).toHaveAttribute('aria-current', 'page')
    await expectAccessible(page, 'the menu with views')

    // In the rail, and in the phone's drawer, after a reload.
    await page.keyboard.press('Control+b')
    await page.reload()
    await expect(alive).toBeVisible()
    await expect(page.getByRole('complementary', { name: 'Sidebar' })).toHaveAttribute('data-state', 'collapsed')
    await page.keyboard.press('Control+b')
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('button', { name: 'Menu', exact: true }).click()
    await expect(alive).toBeVisible()
    const closed = page.waitForResponse((response) => response.request().method() === 'PUT')
    await views.click()
    await closed
    await expect(alive).toBeHidden()
  } finally {
    await call(page, 'frappe.client.delete', { doctype: 'Saved View', name: view.name })
  }
})

asOwner('on a phone the menu is a drawer and the search is full-screen', async ({ page, site }) => {
  expect(site, 'there is a site').toBeTruthy()
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/web/server')
  await page.getByRole('button', { name: 'Menu', exact: true }).click()
  const drawer = page.getByRole('dialog', { name: 'Menu' })
  await expect(drawer.getByRole('link', { name: /^Sites/ })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await page.getByRole('combobox', { name: 'Search' }).fill(blog.name)
  await expect(page.getByRole('group', { name: 'Sites' })).toContainText(blog.name)
  await expectAccessible(page, "the phone's search")
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('dialog')).toBeHidden()
})
