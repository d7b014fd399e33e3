/** How many requests a page sends: on slow networks each costs a round trip. */
import type { Page, Request } from '@playwright/test'
import { z } from 'zod'
import { asOwner, expect } from './support/harness-test.ts'

const countsSchema = z.object({ message: z.array(z.unknown()) })

/** The time without a request after which a page counts as loaded (ms): longer than any follow-up waits. */
const quietMs = 2500

/** API calls of a page from its address to its rest. */
async function apiCalls(page: Page, path: string): Promise<string[]> {
  const calls: string[] = []
  let last = Date.now()
  // Without live changes: what they refetch isn't part of the load.
  await page.route('**/socket.io/**', () => undefined)
  const note = (request: Request): void => {
    const url = new URL(request.url())
    if (!url.pathname.startsWith('/api/') || !['fetch', 'xhr'].includes(request.resourceType())) return
    calls.push(
      `${request.method()} ${url.pathname.replace('/api/', '')}${decodeURIComponent(url.search)}`.slice(0, 400),
    )
    last = Date.now()
  }
  // As in an organization that has everything that can be counted: summaries read more about what there is.
  await page.route('**/easydash.api.documents.get_counts*', async (route) => {
    const response = await route.fetch()
    const { message } = countsSchema.parse(await response.json())
    const json = { message: message.map((count) => (count === 0 ? 1 : count)) }
    await route.fulfill({ response, json })
  })
  page.on('request', note)
  await page.goto(path)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect.poll(() => Date.now() - last, { timeout: 30_000 }).toBeGreaterThan(quietMs)
  page.off('request', note)
  return calls
}

for (const [path, most] of [
  ['/web', 8],
  ['/web/site', 6],
  ['/web/server', 6],
  ['/web/user', 6],
  ['/web/job', 6],
] as const)
  asOwner(`${path} sends at most ${most} API calls`, async ({ page, site }) => {
    expect(site, 'there is a site').toBeTruthy()
    const calls = await apiCalls(page, path)
    expect(calls.length, calls.join('\n')).toBeLessThanOrEqual(most)
  })
