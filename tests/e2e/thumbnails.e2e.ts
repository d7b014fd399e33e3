/** Pictures of sites: the face of a WordPress beside its name, a new one on request, and what is shown where none can be taken. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { asOwner, blog, expect } from './support/harness-test.ts'

/** A browser has to start on a busy machine; not a measurement. */
const pictureTimeout = 60_000

/** The picture in the head of the site's page. */
function headPicture(page: Page): Locator {
  return page.locator('main [data-letter]').first().locator('img')
}

/** Opens the site's menu; null when this machine cannot take pictures, after a look at how that is said. */
async function pictureEntry(page: Page): Promise<Locator | null> {
  await page.getByRole('button', { name: 'More actions' }).first().click()
  const entry = page.getByRole('menuitem', { name: /^Refresh screenshot/ })
  await expect(entry).toBeVisible()
  // The engine's answer may still be on its way.
  await page.waitForLoadState('networkidle')
  if ((await entry.getAttribute('aria-disabled')) !== 'true') return entry
  await expect(entry).toContainText(/Pictures of sites .*\./)
  await page.keyboard.press('Escape')
  await expect(page.locator('main [data-letter="B"]').first()).toBeVisible()
  await expect(headPicture(page)).toHaveCount(0)
  return null
}

/** Waits until a picture is really drawn, in the size it has. */
async function expectDrawn(picture: Locator): Promise<void> {
  await expect(picture).toHaveJSProperty('naturalWidth', 480, { timeout: pictureTimeout })
  await expect(picture).toHaveJSProperty('naturalHeight', 300)
  // Decoration: the name beside it says what it is.
  await expect(picture).toHaveAttribute('alt', '')
}

asOwner(
  'a site has its face beside its name, and a new one as soon as somebody asks',
  async ({ page, site, product }) => {
    await page.goto(site)
    await expect(page.getByRole('heading', { level: 1, name: blog.name })).toBeVisible()
    const id = site.split('/').at(-1) ?? ''
    const plugins = join(product.dataDir, 'local', 'sites', id, 'www', 'wp-content', 'mu-plugins')
    const entry = await pictureEntry(page)
    asOwner.skip(entry === null, 'no picture can be taken on this machine, and the page says why')
    await page.keyboard.press('Escape')
    const picture = headPicture(page)
    await expectDrawn(picture)
    const before = String(await picture.getAttribute('src'))

    await mkdir(plugins, { recursive: true })
    const face = join(plugins, 'test-face.php')
    await writeFile(
      face,
      "<?php add_action('wp_head', function () { echo '<style>body{background:#135!important}</style>'; });",
    )
    try {
      await pictureEntry(page).then((now) => now?.click())
      await expect(page.getByText('A new picture is being taken', { exact: true })).toBeVisible()
      // It comes by itself.
      await expect(picture).not.toHaveAttribute('src', before, { timeout: pictureTimeout })
      await expectDrawn(picture)
      await expect(page.getByText('The new picture is there', { exact: true })).toBeVisible()
    } finally {
      await rm(face)
    }

    const broken = join(plugins, 'test-broken.php')
    await writeFile(broken, "<?php http_response_code(503); exit('closed');")
    try {
      const kept = String(await picture.getAttribute('src'))
      await pictureEntry(page).then((now) => now?.click())
      await expect(page.getByText('The page answers with 503.', { exact: true })).toBeVisible({
        timeout: pictureTimeout,
      })
      await expect(picture).toHaveAttribute('src', kept)
    } finally {
      await rm(broken)
    }

    await page.goto('/web/site')
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: blog.name, exact: true }) })
    await expectDrawn(row.locator('img').first())
    await expect(row.locator('img').first()).toHaveAttribute('loading', 'lazy')

    await page.setViewportSize({ width: 390, height: 844 })
    const card = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: blog.name, exact: true }) })
    await expectDrawn(card.locator('img').first())
  },
)

asOwner('a picture that cannot be had is a letter, never a broken image', async ({ page, site }) => {
  await page.route('**/api/method/easydash.api.site.thumbnail?*', (route) => route.fulfill({ status: 404, body: '' }))
  await page.goto(site)
  await expect(page.getByRole('heading', { level: 1, name: blog.name })).toBeVisible()
  await page.waitForLoadState('networkidle')
  await expect(headPicture(page)).toHaveCount(0)
  await expect(page.locator('main [data-letter="B"]').first()).toBeVisible()
})
