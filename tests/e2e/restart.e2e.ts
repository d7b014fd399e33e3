/** Ctrl+C, restart, and sleeping sites. */
import type { Page } from '@playwright/test'
import { asOwner, blog, expect } from './support/harness-test.ts'
import { siteStatus } from './support/person.ts'

asOwner.describe.configure({ mode: 'serial' })

/** Titles of the posts on the front page, in order. */
async function postTitles(page: Page): Promise<string[]> {
  await expect(page.getByRole('main').getByRole('heading', { level: 2 }).first()).toBeVisible()
  return await page.getByRole('main').getByRole('heading', { level: 2 }).allInnerTexts()
}

asOwner('Ctrl+C stops everything; after a restart the data and URLs are the same', async ({ page, site, product }) => {
  const front = `http://${blog.name}.localhost:${product.port}/`
  await page.goto(front)
  const posts = await postTitles(page)
  expect(posts.length).toBeGreaterThan(0)

  const before = await product.processes()
  const id = site.split('/').at(-1)
  if (process.platform === 'linux') expect(before.some(({ folder }) => folder?.endsWith(`/${id}`))).toBe(true)
  // The product's own watchdog ends a stop that takes more than nine seconds, with a different exit code.
  expect(await product.stop()).toBe(0)
  expect(await product.processes()).toEqual([])
  await expect(page.goto('/web/site')).rejects.toThrow(/ERR_CONNECTION_REFUSED/)

  await product.restart()
  expect(product.setupLink, 'there is an account').toBeNull()
  await page.goto(site)
  await expect(siteStatus(page, 'Live')).toBeVisible()
  await page.goto(front)
  await expect(page).toHaveTitle(new RegExp(blog.title))
  expect(await postTitles(page)).toEqual(posts)
})

asOwner('idle sites sleep and wake on a request', async ({ page, site, product }) => {
  asOwner.skip(process.platform !== 'linux', 'needs /proc to see that a site sleeps')
  await product.restart({ EASYDASH_SITE_IDLE_MINUTES: '0.02' })
  const id = site.split('/').at(-1)
  const awake = async (): Promise<boolean> =>
    (await product.processes()).some(({ folder }) => folder?.endsWith(`/${id}`))
  await expect.poll(awake, { timeout: 60_000 }).toBe(false)
  await page.goto(`http://${blog.name}.localhost:${product.port}/`)
  await expect(page).toHaveTitle(new RegExp(blog.title))
  await expect.poll(awake, { timeout: 60_000 }).toBe(false)
  await page.goto(site)
  await expect(siteStatus(page, 'Live')).toBeVisible()
  // No page stays open: its socket would log the stop to the console.
  await page.goto('about:blank')
  await product.restart()
})
