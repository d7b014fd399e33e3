/** 320 CSS px, which is 1280 px at 400 % zoom (WCAG 2.2, 1.4.10): no page, dialog or menu is wider than the screen. */
import type { Page } from '@playwright/test'
import { asOwner, expect, test } from './support/harness-test.ts'
import { pagePaths, publicPaths } from './support/page-paths.ts'

const viewport = { width: 320, height: 640 }
asOwner.use({ viewport })
test.use({ viewport })

/** What reaches past the screen's right edge, although nothing around it scrolls or clips; empty if nothing does. */
async function tooWide(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const over = document.documentElement.scrollWidth - document.documentElement.clientWidth
    const layers = [...document.querySelectorAll('[role=dialog], [role=alertdialog], [role=menu]')]
    return [
      ...(over > 0 ? ['page: ' + over + ' px'] : []),
      ...layers.flatMap((layer) => {
        const { left, right } = layer.getBoundingClientRect()
        return left < 0 || right > innerWidth || layer.scrollWidth > layer.clientWidth
          ? [layer.getAttribute('role') + ': ' + left + ' to ' + right + ', content ' + layer.scrollWidth]
          : []
      }),
    ]
  })()`)
}

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

asOwner('no dialog or menu is wider than 320 px', async ({ page, site }) => {
  const menu = page.getByRole('menu')
  const dialog = page.getByRole('dialog').or(page.getByRole('alertdialog')).first()
  const found: Record<string, string[]> = {}
  const look = async (what: string): Promise<void> => {
    await expect(menu.or(dialog).first()).toBeVisible()
    const wide = await tooWide(page)
    if (wide.length > 0) found[what] = wide
  }
  await page.goto(site)
  await page.getByRole('button', { name: 'More actions' }).click()
  await look('menu of a site')
  await page.getByRole('menuitem', { name: /^Archive/ }).click()
  await expect(dialog).toContainText('to confirm')
  await look('archive')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  await look('share')
  await page.goto('/web/user?invite=1')
  await look('invite')
  await page.goto('/web/server')
  for (const name of [/^User menu/, 'Help and shortcuts', 'Jobs'])
    if (await page.getByRole('button', { name }).first().isVisible()) {
      await page.getByRole('button', { name }).first().click()
      await look(String(name))
      await page.keyboard.press('Escape')
      await expect(menu.or(dialog).first()).toBeHidden()
    }
  expect(found).toEqual({})
})
