/** How many requests a page sends: on slow networks each costs a round trip. */
import type { Page, Request, Route } from '@playwright/test'
import { z } from 'zod'
import { asOwner, expect } from './support/harness-test.ts'

const countsSchema = z.object({ message: z.array(z.unknown()) })

/** The time without a request after which a page counts as loaded (ms): longer than any follow-up waits. */
const quietMs = 2500

/**
 * Connects the page's socket and sends no live changes: what they refetch isn't part of the load, and neither is what a page
 * without a socket polls. Engine.IO protocol 4 over HTTP.
 */
function silentSocket(): (route: Route) => Promise<void> {
  let opened = false
  return async (route) => {
    const request = route.request()
    const { hostname, searchParams } = new URL(request.url())
    const handshake = {
      sid: 'silent',
      upgrades: [],
      pingInterval: 600_000,
      pingTimeout: 600_000,
      maxPayload: 1_000_000,
    }
    if (request.method() === 'POST') await route.fulfill({ body: 'ok' })
    else if (!searchParams.has('sid')) await route.fulfill({ body: `0${JSON.stringify(handshake)}` })
    else if (!opened) {
      opened = true
      await route.fulfill({ body: `40/${hostname},{"sid":"silent"}` })
    }
  }
}

/** API calls of a page from its address to its rest. */
async function apiCalls(page: Page, path: string): Promise<string[]> {
  const calls: string[] = []
  let last = Date.now()
  await page.route('**/socket.io/**', silentSocket())
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
  ['/web/site?group=server', 6],
  ['/web/server', 6],
  ['/web/user', 6],
  ['/web/job', 6],
] as const)
  asOwner(`${path} sends at most ${most} API calls`, async ({ page, site }) => {
    expect(site, 'there is a site').toBeTruthy()
    let calls = await apiCalls(page, path)
    // Reads are collected for 80 ms. Parts of a page that a busy machine draws later than that send another one.
    for (let again = 0; again < 2 && calls.length > most; again += 1) calls = await apiCalls(page, path)
    expect(calls.length, calls.join('\n')).toBeLessThanOrEqual(most)
  })
