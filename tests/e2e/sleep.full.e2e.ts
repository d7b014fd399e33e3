/** Sites that nobody visits sleep. */
import { asOwner, blog, expect } from './support/harness-test.ts'
import { siteStatus } from './support/person.ts'

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
