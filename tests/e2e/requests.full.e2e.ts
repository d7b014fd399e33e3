/** How many requests a page sends: on slow networks each costs a round trip. */
import type { Page, Request, Route } from '@playwright/test'
import { z } from 'zod'
import { asOwner, expect } from './support/harness-test.ts'

const countsSchema = z.object({ message: z.array(z.unknown()) })

/** The time without a request after which a page counts as loaded (ms of its own clock): longer than any follow-up waits. */
const quietMs = 2500
/** The steps in which its clock goes on (ms). */
const stepMs = 250

/**
 * Connects the page's socket and sends no live changes: what they refetch isn't part of the load, and neither is what a page
 * without a socket polls. Engine.IO protocol 4 over HTTP. `onSilence`: the request that waits for the next change.
 */
function silentSocket(onSilence: (request: Request) => void): (route: Route) => Promise<void> {
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
    } else onSilence(request)
  }
}

/**
 * API calls of a page from its address to its rest. Its clock stands still but for what passes here, and only while nothing
 * is under way: what it collects for some milliseconds is the same on a slow machine, and what it polls for is not due.
 */
async function apiCalls(page: Page, path: string): Promise<string[]> {
  const calls: string[] = []
  const underWay = new Set<Request>()
  const ended = (request: Request): void => void underWay.delete(request)
  const note = (request: Request): void => {
    const url = new URL(request.url())
    underWay.add(request)
    if (!url.pathname.startsWith('/api/') || !['fetch', 'xhr'].includes(request.resourceType())) return
    calls.push(
      `${request.method()} ${url.pathname.replace('/api/', '')}${decodeURIComponent(url.search)}`.slice(0, 400),
    )
  }
  await page.route('**/socket.io/**', silentSocket(ended))
  // As in an organization that has everything that can be counted: summaries read more about what there is.
  await page.route('**/easydash.api.documents.get_counts*', async (route) => {
    const response = await route.fetch()
    const { message } = countsSchema.parse(await response.json())
    const json = { message: message.map((count) => (count === 0 ? 1 : count)) }
    await route.fulfill({ response, json })
  })
  page.on('request', note).on('requestfinished', ended).on('requestfailed', ended)
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 1000)
  await page.goto(path)
  const heading = page.getByRole('heading', { level: 1 })
  for (let quiet = 0, seen = 0; quiet < quietMs || !(await heading.isVisible()); quiet += stepMs) {
    await expect.poll(() => underWay.size).toBe(0)
    await page.clock.runFor(stepMs)
    if (calls.length > seen) quiet = 0
    seen = calls.length
  }
  return calls
}

/** Calls that each of these pages needs now, or one or two more. */
const most = {
  '/web': 5,
  // Two come after the first paint: names of the servers with most sites, which the counts found, and the last day of the rows.
  '/web/site': 7,
  '/web/site?group=server': 7,
  '/web/server': 5,
  '/web/user': 5,
  '/web/job': 5,
}

for (const [path, limit] of Object.entries(most))
  asOwner(`${path} sends at most ${limit} API calls`, async ({ page, site }) => {
    expect(site, 'there is a site').toBeTruthy()
    const calls = await apiCalls(page, path)
    expect(calls.length, calls.join('\n')).toBeLessThanOrEqual(limit)
  })
