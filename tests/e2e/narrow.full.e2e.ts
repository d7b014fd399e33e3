/** 320 CSS px, which is 1280 px at 400 % zoom (WCAG 2.2, 1.4.10): no page, dialog or menu is wider than the screen. */
import { ada, asOwner, blog, creationOfBlog, expect, test } from './support/harness-test.ts'
import { worstListsTooWide } from './support/long-reasons.ts'
import { settled } from './support/looks.ts'
import { onEachPage, publicPaths } from './support/page-paths.ts'
import { tooWide } from './support/screen-sizes.ts'

const viewport = { width: 320, height: 640 }
asOwner.use({ viewport })
test.use({ viewport })

asOwner('no page is wider than 320 px', async ({ page, site }) => {
  const found: Record<string, string[]> = {}
  await onEachPage(page, site, async (path) => {
    const wide = await tooWide(page)
    if (wide.length > 0) found[path] = wide
  })
  expect(found).toEqual({})
})

asOwner('the dashboard and the lists are no wider than 320 px, whatever their rows say', async ({ page, site }) => {
  expect(site).toBeTruthy()
  expect(await worstListsTooWide(page)).toEqual({})
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
  await expect(page.getByRole('alertdialog', { name: /^Archive/ })).toBeVisible()
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
  await expect(page.getByText('No running jobs')).toBeVisible()
  await look('jobs')
  await close()

  await page.goto(creationOfBlog)
  await page
    .getByRole('main')
    .getByRole('link', { name: `Create ${blog.title}` })
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

asOwner('no dialog of a tab of a site is wider than 320 px', async ({ page, site }) => {
  const layer = page.getByRole('dialog').or(page.getByRole('alertdialog'))
  const found: Record<string, string[]> = {}
  const opened: string[] = []
  const look = async (what: string): Promise<void> => {
    await expect(layer.first(), what).toBeVisible()
    await expect(page.locator('.sk')).toHaveCount(0)
    const wide = await tooWide(page)
    if (wide.length > 0) found[what] = wide
    opened.push(what)
    await page.keyboard.press('Escape')
    await expect(layer, what).toHaveCount(0)
  }
  for (const tab of ['wordpress', 'configurations', 'monitoring', 'files']) {
    await page.goto(`${site}#${tab}`)
    await expect(page.locator('.sk')).toHaveCount(0)
    // The facts of its WordPress come later.
    if (tab === 'wordpress') await expect(page.getByRole('button', { name: 'Add plugin…' })).toBeVisible()
    // Labels of buttons that open a dialog end in an ellipsis.
    const buttons = page.getByRole('main').getByRole('button', { name: /…$/ })
    const names: string[] = []
    for (const button of await buttons.all())
      if ((await button.getAttribute('aria-disabled')) !== 'true' && (await button.isEnabled()))
        names.push((await button.innerText()).trim())
    for (const name of new Set(names)) {
      await buttons.filter({ hasText: name }).first().click()
      await look(`${tab}: ${name}`)
    }
  }
  for (const item of ['Clone…', 'Create staging site…', 'Export…']) {
    await page.getByRole('button', { name: 'More actions' }).first().click()
    const entry = page.getByRole('menuitem', { name: item })
    if ((await entry.count()) === 0) await page.keyboard.press('Escape')
    else {
      await entry.click()
      await look(item)
    }
  }
  await page.goto(`${site}#files`)
  await page.getByRole('button', { name: 'Trash' }).click()
  await look('trash')
  await page.goto('/web/site?import=1')
  await look('import')
  expect(found).toEqual({})
  expect(opened.length).toBeGreaterThan(6)
})

asOwner('a narrower window keeps the open tab visible and does not scroll horizontally', async ({ page }) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto('/web/organization#activities')
  const tab = page.getByRole('tab', { name: 'Activity' })
  await expect(tab).toHaveAttribute('aria-selected', 'true')
  await page.setViewportSize({ width: 390, height: 844 })
  await expect(tab).toBeInViewport({ ratio: 1 })

  // Long names: a table wider than a tablet scrolls in its own box.
  await page.route('**/easydash.api.platform.users*', async (route) => {
    const response = await route.fetch()
    const body = (await response.json()) as { message: { users: { email: string; full_name: string }[] } }
    for (const user of body.message.users) user.full_name = 'Wilhelmina Featherstonehaugh-Cholmondeley the Younger'
    await route.fulfill({ response, json: body })
  })
  await page.setViewportSize({ width: 768, height: 900 })
  await page.goto('/web/platform#users')
  await expect(page.getByText('Wilhelmina').first()).toBeVisible()
  await settled(page)
  expect(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0)
})
