/** Ctrl+C and restart. */
import type { Page } from '@playwright/test'
import { asOwner, blog, expect } from './support/harness-test.ts'
import { siteStatus } from './support/person.ts'

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
