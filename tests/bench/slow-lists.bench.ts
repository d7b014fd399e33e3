/**
 * Lists of 200 rows for somebody on slow 4G with a processor four times slower, in a real Chromium: when the largest content of
 * a first visit is painted, and how long inputs take until the next paint. Both depend on the machine, so they are reported with
 * their budgets (docs/benchmarks.md).
 */
import { chromium, expect, type Browser, type Page } from '@playwright/test'
import type { Figure } from '../../scripts/bench-run.ts'
import { findBrowser } from '#tests/e2e/support/harness-browser.ts'
import { startProduct, type Product } from '#tests/e2e/support/harness.ts'
import { benchSettings, median } from './bench-product.ts'
import { fillLists } from './fleet.ts'
import { painted, signedIn, slowDown, takeInteractions, takeMetrics, watchPage } from './page-watch.ts'

const rows = 200
const slowdown = 4
const visits = 3
/** The largest paint in ms, and the slowest but 2 % of the inputs until the next paint. */
const budgets = { paint: 3500, input: 150 } as const
/** "Slow 4G" of Chromium's developer tools: 1.6 and 0.75 Mbit/s, 150 ms, as requests see them. */
const slow4G = {
  offline: false,
  latency: 150 * 3.75,
  downloadThroughput: (1.6 * 1024 * 1024 * 0.9) / 8,
  uploadThroughput: (0.75 * 1024 * 1024 * 0.9) / 8,
}
const lists = [
  { path: '/web/site', name: 'Sites' },
  { path: '/web/user', name: 'Users' },
] as const

/** First paints of the lists, and inputs in the largest. */
export async function bench(): Promise<Figure[]> {
  const product = await startProduct({ env: benchSettings })
  const { executablePath, env } = await findBrowser()
  const browser = await chromium.launch({ executablePath, env: { ...process.env, ...env }, args: ['--no-sandbox'] })
  try {
    const cookie = await fillLists(product, { members: rows * 2, sites: rows * 2 })
    const figures: Figure[] = []
    for (const { name, path } of lists) {
      const paints: number[] = []
      for (let visit = 0; visit < visits; visit += 1)
        paints.push(await withPage(browser, product, cookie, (page) => firstPaint(page, product, path)))
      figures.push({
        name: `${name}, first visit: largest paint`,
        value: median(paints),
        unit: `ms (${budgets.paint})`,
      })
    }
    const inputs = await withPage(browser, product, cookie, (page) => interact(page, product))
    figures.push(
      { name: 'Sites: inputs, 98th percentile', value: percentile98(inputs), unit: `ms (${budgets.input})` },
      { name: 'Sites: inputs of 16 ms and more', value: inputs.length, unit: 'inputs' },
    )
    return figures
  } finally {
    await browser.close()
    await product.close()
  }
}

/** A first visit: nothing is cached. */
async function withPage<T>(
  browser: Browser,
  product: Product,
  cookie: string,
  use: (page: Page) => Promise<T>,
): Promise<T> {
  const context = await signedIn(browser, product, cookie)
  const page = await context.newPage()
  await watchPage(page)
  const devtools = await context.newCDPSession(page)
  await devtools.send('Network.enable')
  await devtools.send('Network.emulateNetworkConditions', slow4G)
  await slowDown(devtools, slowdown)
  try {
    return await use(page)
  } finally {
    await context.close()
  }
}

async function open(page: Page, product: Product, path: string): Promise<void> {
  await page.goto(`${product.url}${path}?page_size=${rows}`)
  await rowsShown(page)
}

/**
 * Resolves when all rows are there. Not by `expect`: as long as it fails it describes the whole page for its message, which takes the
 * processor that is measured.
 */
async function rowsShown(page: Page): Promise<void> {
  const shown = `table[aria-rowcount="${rows + 1}"][aria-busy="false"]`
  await page.evaluate(`new Promise((done) => {
    const look = () => document.querySelector('${shown}') ? done() : setTimeout(look, 100)
    look()
  })`)
}

async function firstPaint(page: Page, product: Product, path: string): Promise<number> {
  await open(page, product, path)
  await painted(page)
  return (await takeMetrics(page)).paint
}

/** What somebody does with a list; resolves with the duration of each input of 16 ms and more. */
async function interact(page: Page, product: Product): Promise<number[]> {
  await open(page, product, '/web/site')
  await page.waitForLoadState('networkidle')
  await takeInteractions(page)
  const table = page.getByRole('table', { name: 'Sites' })
  const boxes = table.getByRole('checkbox')
  for (let round = 0; round < 5; round += 1) {
    const first = await firstRow(page)
    await table.getByRole('button', { name: 'PHP', exact: true }).click()
    // Sorted rows take the place of those that were there, with their menus.
    while ((await firstRow(page)) === first) await painted(page)
    await page.waitForLoadState('networkidle')
    for (let row = 1; row <= 4; row += 1) await boxes.nth(row).click()
    await page.keyboard.press('Escape')
    const menu = table.getByRole('button', { name: /actions/i }).nth(round)
    await menu.click()
    await expect(page.getByRole('menuitem').first()).toBeVisible({ timeout: 30_000 })
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Escape')
    const search = page.getByRole('main').getByRole('searchbox')
    await search.pressSequentially('e', { delay: 100 })
    await search.press('Backspace')
    await expect(page.getByText(new RegExp(`^1–${rows} of`))).toBeVisible({ timeout: 60_000 })
    for (const key of ['j', 'j', 'k', 'x']) await page.keyboard.press(key)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('si', { delay: 100 })
    await page.keyboard.press('Escape')
  }
  await painted(page)
  return takeInteractions(page)
}

const firstRow = (page: Page): Promise<unknown> =>
  page.evaluate(`document.querySelector('[data-row-link]')?.textContent`)

function percentile98(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.98) - 1] ?? 0
}
