/** Touch screens: controls are large enough to tap, and focusing one doesn't zoom the page. */
import { ada, asOwner, blog, creationOfBlog, expect, test } from './support/harness-test.ts'
import { worstListsTooWide } from './support/long-reasons.ts'
import { settled } from './support/looks.ts'
import { onEachPage, publicPaths } from './support/page-paths.ts'
import { tooSmall } from './support/screen-sizes.ts'

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
asOwner.use(phone)
test.use(phone)

for (const [device, viewport] of [
  ['a phone', phone.viewport],
  ['a tablet', { width: 820, height: 1180 }],
] as const) {
  asOwner(`controls of every page can be tapped on ${device}`, async ({ page, site }) => {
    await page.setViewportSize(viewport)
    const found: Record<string, string[]> = {}
    await onEachPage(page, site, async (path) => {
      const small = await tooSmall(page)
      if (small.length > 0) found[path] = small
    })
    expect(found).toEqual({})
  })
}

test('controls of the pages for signed-out visitors can be tapped', async ({ page, owner }) => {
  expect(owner, 'there is an account').toBeTruthy()
  const found: Record<string, string[]> = {}
  for (const path of publicPaths) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.locator('.sk')).toHaveCount(0)
    const small = await tooSmall(page)
    if (small.length > 0) found[path] = small
  }
  expect(found).toEqual({})
})

asOwner('controls of dialogs, menus and drawers can be tapped', async ({ page, site }) => {
  const found: Record<string, string[]> = {}
  const layer = page.getByRole('dialog').or(page.getByRole('alertdialog')).or(page.getByRole('menu')).first()
  const opened = async (what: string): Promise<void> => {
    await expect(layer).toBeVisible()
    const small = await tooSmall(page)
    if (small.length > 0) found[what] = small
    await page.keyboard.press('Escape')
    await expect(layer).toBeHidden()
  }
  await page.goto(site)
  await page.getByRole('button', { name: 'More actions' }).tap()
  await opened('menu of a site')
  await page.getByRole('button', { name: 'Share', exact: true }).tap()
  await opened('share')
  await page.goto('/web/site')
  await page.getByRole('button', { name: 'Menu', exact: true }).tap()
  await opened('sidebar')
  await page.getByRole('button', { name: 'Filter', exact: true }).tap()
  await opened('filter')
  await page.getByRole('button', { name: 'Search', exact: true }).tap()
  await opened('search')
  await page.getByRole('button', { name: 'Jobs', exact: true }).tap()
  await opened('jobs')
  await page.goto('/web/user?invite=1')
  await opened('invite')
  await page.goto(creationOfBlog)
  await page
    .getByRole('main')
    .getByRole('link', { name: `Create ${blog.title}` })
    .tap()
  await opened('job')
  await page.goto(`/web/user/${encodeURIComponent(ada.email)}?open=token#settings`)
  await opened('API token')
  await page.getByRole('button', { name: 'Set up' }).tap()
  await expect(page.getByRole('dialog').getByLabel('Code from the app')).toBeVisible()
  await opened('two-factor authentication')
  expect(found).toEqual({})
})

asOwner('the dashboard and the lists are no wider than a phone, whatever their rows say', async ({ page, site }) => {
  expect(site).toBeTruthy()
  expect(await worstListsTooWide(page)).toEqual({})
})

asOwner('the list of sites begins in the upper third of a phone', async ({ page, site }) => {
  expect(site).toBeTruthy()
  await page.goto('/web/site')
  const first = page.getByRole('list', { name: 'Sites' }).getByRole('listitem').first()
  await expect(first.getByRole('link').first()).toBeVisible()
  await settled(page)
  expect((await first.boundingBox())?.y).toBeLessThan(300)
})

asOwner('with the line about the limit of the plan, the lists begin no lower', async ({ page, site }) => {
  expect(site).toBeTruthy()
  const full = {
    usage: { site: 3, server: 3 },
    limits: { site: 3, server: 3 },
    overrides: { site: null, server: null },
  }
  await page.addInitScript(`{
    let boot
    Object.defineProperty(window, 'easydash', {
      get: () => boot,
      set: (value) => {
        boot = value
        Object.assign(boot.session?.subscription ?? {}, ${JSON.stringify(full)})
      },
    })
  }`)
  for (const [path, name] of [
    ['/web/site', 'Sites'],
    ['/web/server', 'Servers'],
  ] as const) {
    await page.goto(path)
    const first = page.getByRole('list', { name }).getByRole('listitem').first()
    await expect(first).toBeVisible()
    await expect(page.getByText(/plan are used/)).toBeVisible()
    await settled(page)
    expect((await first.boundingBox())?.y, name).toBeLessThan(300)
  }
})

asOwner('why a WordPress is old can be read in the list without a tooltip', async ({ page, site }) => {
  expect(site).toBeTruthy()
  await page.setViewportSize({ width: 820, height: 1180 })
  await page.addInitScript(`{
    let boot
    Object.defineProperty(window, 'easydash', {
      get: () => boot && { ...boot, wordpress_version: '99.1', wordpress_fallback: false },
      set: (value) => (boot = value),
    })
  }`)
  await page.goto('/web/site')
  const row = page.getByRole('row').filter({ hasText: 'update it to 99.1' })
  await expect(row.getByText(/^WordPress [\d.]+: update it to 99\.1 on its WordPress tab$/)).toBeVisible()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(820)
  // Wider, the column with the version is shown, and still no tooltip can be reached by touch.
  await page.setViewportSize({ width: 1366, height: 1024 })
  await expect(page.getByRole('columnheader', { name: 'WordPress' })).toBeVisible()
  await expect(row.getByText('update it to 99.1').filter({ visible: true })).toHaveCount(1)
})
