/** 320 CSS px, which is 1280 px at 400 % zoom (WCAG 2.2, 1.4.10): no page, dialog or menu is wider than the screen. */
import { ada, asOwner, blog, expect, test } from './support/harness-test.ts'
import { pagePaths, publicPaths } from './support/page-paths.ts'
import { tooWide } from './support/screen-sizes.ts'

const viewport = { width: 320, height: 640 }
asOwner.use({ viewport })
test.use({ viewport })

asOwner('no page is wider than 320 px', async ({ page, site }) => {
  const found: Record<string, string[]> = {}
  for (const path of [...pagePaths(site), '/web/server#first']) {
    if (path === '/web/server#first') {
      await page.goto('/web/server')
      await page.getByRole('main').getByRole('listitem').getByRole('link').first().click()
    } else await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.locator('.sk')).toHaveCount(0)
    const wide = await tooWide(page)
    if (wide.length > 0) found[path] = wide
  }
  expect(found).toEqual({})
})

test('no page for signed-out visitors is wider than 320 px', async ({ page, owner }) => {
  expect(owner, 'there is an account').toBeTruthy()
  const found: Record<string, string[]> = {}
  for (const path of publicPaths) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    const wide = await tooWide(page)
    if (wide.length > 0) found[path] = wide
  }
  expect(found).toEqual({})
})

asOwner('no dialog, drawer, panel or menu is wider than 320 px', async ({ page, site }) => {
  const layer = page.getByRole('menu').or(page.getByRole('dialog')).or(page.getByRole('alertdialog'))
  const found: Record<string, string[]> = {}
  const look = async (what: string): Promise<void> => {
    await expect(layer.first()).toBeVisible()
    await expect(page.locator('.sk')).toHaveCount(0)
    const wide = await tooWide(page)
    if (wide.length > 0) found[what] = wide
  }
  const close = async (): Promise<void> => {
    await page.keyboard.press('Escape')
    await expect(layer).toHaveCount(0)
  }
  const open = async (name: string | RegExp, what: string): Promise<void> => {
    await page.getByRole('button', { name }).first().click()
    await look(what)
  }
  await page.goto(site)
  await open('More actions', 'menu of a site')
  await page.getByRole('menuitem', { name: /^Archive/ }).click()
  await expect(layer.first()).toContainText('to confirm')
  await look('archive')
  await close()
  await open('More actions', 'menu of a site')
  await page.getByRole('menuitem', { name: /^Change PHP version/ }).click()
  await look('PHP version')
  await close()
  await open(/^Share/, 'share')
  await page.getByRole('button', { name: 'Transfer ownership…' }).click()
  await expect(page.getByRole('dialog', { name: /^Transfer ownership/ })).toBeVisible()
  await look('ownership of a site')

  await page.goto('/web/site')
  await open('Menu', 'navigation')
  await page.getByRole('dialog').getByRole('button', { name: /^Help/ }).click()
  await expect(page.getByRole('dialog', { name: 'Help and shortcuts' })).toBeVisible()
  await look('help')
  await close()
  await open(/^User menu/, 'user menu')
  await close()
  await open('Filter', 'filter')
  await page.getByRole('dialog').getByLabel('Field').selectOption('Server')
  await look('filter with choices')
  await close()
  await open('Search', 'search')
  await page.keyboard.type(blog.name)
  await expect(page.getByRole('option', { name: blog.name }).first()).toBeVisible()
  await look('search results')
  await close()
  await page.getByRole('button', { name: 'Jobs', exact: true }).click()
  await expect(page.getByText('Nothing is running.')).toBeVisible()
  await look('jobs')
  await close()

  await page.goto('/web/job')
  await page
    .getByRole('main')
    .getByRole('link', { name: `Create ${blog.name}` })
    .click()
  await expect(page.getByRole('dialog').getByText('Done', { exact: true })).toBeVisible()
  await look('job')
  await page.goto(`${site}#activities`)
  await page.getByRole('main').getByRole('list').getByRole('link').first().click()
  await look('activity')

  await page.goto('/web/user?invite=1')
  await look('invite')
  const settings = `/web/user/${encodeURIComponent(ada.email)}`
  await page.goto(`${settings}?open=token#settings`)
  await look('API token')
  await close()
  await page.getByRole('button', { name: 'Set up' }).click()
  await expect(page.getByRole('dialog').getByLabel('Code from the app')).toBeVisible()
  await look('two-factor authentication')
  await close()
  await page.goto('/web/organization')
  await open(/^Transfer ownership/, 'ownership of an organization')
  await close()
  expect(found).toEqual({})
})
