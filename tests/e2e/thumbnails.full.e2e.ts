/** Site thumbnails: shown next to the name, refreshed on request, and what is shown if none can be taken. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { asOwner, blog, expect } from './support/harness-test.ts'

/** Enough for a browser start on a busy machine; not a measurement. */
const thumbnailTimeoutMs = 120_000

/** The thumbnail in the header of the site's page. */
function headThumbnail(page: Page): Locator {
  return page.locator('main [data-letter]').first().locator('img')
}

/** Opens the site's menu. */
async function refreshScreenshotItem(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'More actions' }).first().click()
  return page.getByRole('menuitem', { name: /^Refresh screenshot/ })
}

/** Opens the page of a site; false if this machine can't take screenshots, after checking the displayed reason. */
async function openCapturable(page: Page, site: string): Promise<boolean> {
  const answer = page.waitForResponse(/easydash\.api\.engine\.capabilities/)
  await page.goto(site)
  const { message } = (await (await answer).json()) as {
    message: { capabilities: { thumbnail: { supported: boolean } } }
  }
  if (message.capabilities.thumbnail.supported) return true
  const entry = await refreshScreenshotItem(page)
  await expect(entry).toHaveAttribute('aria-disabled', 'true')
  await expect(entry).toContainText(/Screenshots .*\./)
  await page.keyboard.press('Escape')
  await expect(page.locator(`main [data-letter="${blog.title.charAt(0).toUpperCase()}"]`).first()).toBeVisible()
  await expect(headThumbnail(page)).toHaveCount(0)
  return false
}

/** Waits until the thumbnail is rendered, in its expected size. */
async function expectRendered(thumbnail: Locator): Promise<void> {
  await expect(thumbnail).toHaveJSProperty('naturalWidth', 480, { timeout: thumbnailTimeoutMs })
  await expect(thumbnail).toHaveJSProperty('naturalHeight', 300)
  // Decorative: the name is next to it.
  await expect(thumbnail).toHaveAttribute('alt', '')
}

asOwner('a site shows its thumbnail, and a new one on request', async ({ page, site, product }) => {
  asOwner.setTimeout(4 * thumbnailTimeoutMs)
  const id = site.split('/').at(-1) ?? ''
  const plugins = join(product.dataDir, 'local', 'sites', id, 'www', 'wp-content', 'mu-plugins')
  const isCapturable = await openCapturable(page, site)
  asOwner.skip(!isCapturable, 'no picture can be taken on this machine, and the page says why')
  const thumbnail = headThumbnail(page)
  await expectRendered(thumbnail)
  const before = String(await thumbnail.getAttribute('src'))

  await mkdir(plugins, { recursive: true })
  const face = join(plugins, 'test-face.php')
  await writeFile(
    face,
    "<?php add_action('wp_head', function () { echo '<style>body{background:#135!important}</style>'; });",
  )
  try {
    await refreshScreenshotItem(page).then((item) => item.click())
    await expect(page.getByText('The screenshot is being refreshed', { exact: true })).toBeVisible()
    // It updates by itself.
    const done = page.getByText('The screenshot is refreshed', { exact: true })
    await expect(done).toBeVisible({ timeout: thumbnailTimeoutMs })
    await expect(thumbnail).not.toHaveAttribute('src', before)
    await expectRendered(thumbnail)
  } finally {
    await rm(face)
  }

  const broken = join(plugins, 'test-broken.php')
  await writeFile(broken, "<?php http_response_code(503); exit('closed');")
  try {
    const kept = String(await thumbnail.getAttribute('src'))
    await refreshScreenshotItem(page).then((item) => item.click())
    await expect(page.getByText('The page answers with 503.', { exact: true })).toBeVisible({
      timeout: thumbnailTimeoutMs,
    })
    await expect(thumbnail).toHaveAttribute('src', kept)
  } finally {
    await rm(broken)
  }

  await page.goto('/web/site')
  const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: blog.title, exact: true }) })
  await expectRendered(row.locator('img').first())
  await expect(row.locator('img').first()).toHaveAttribute('loading', 'lazy')

  await page.setViewportSize({ width: 390, height: 844 })
  const card = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: blog.title, exact: true }) })
  await expectRendered(card.locator('img').first())
})

asOwner('a missing thumbnail is shown as an initial, never as a broken image', async ({ page, site }) => {
  await page.route('**/api/method/easydash.api.site.thumbnail?*', (route) => route.fulfill({ status: 404, body: '' }))
  await page.goto(site)
  await expect(page.getByRole('heading', { level: 1, name: blog.title })).toBeVisible()
  await expect(headThumbnail(page)).toHaveCount(0)
  await expect(page.locator(`main [data-letter="${blog.title.charAt(0).toUpperCase()}"]`).first()).toBeVisible()
})
