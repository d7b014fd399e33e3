/** Every screen from skeleton to content: layout shifts, and the largest paint. */
import { setTimeout as delay } from 'node:timers/promises'
import type { BrowserContext, Page } from '@playwright/test'
import type { Figure } from '../../scripts/bench-run.ts'
import { settled } from '#tests/e2e/support/looks.ts'
import { takeMetrics, watchPage } from './page-watch.ts'

/** Long enough for the skeleton to be painted separately from the content. */
const answerMs = 400

const tabs = (path: string, names: readonly string[]): string[] => names.map((name) => `${path}#${name}`)

/** Paths below /web of all screens in the shell; the ids come from the product. */
function screens(site: string, server: string, user: string): string[] {
  return [
    '/',
    '/site',
    '/site/create',
    ...tabs(`/site/${site}`, ['overview', 'activities']),
    '/server',
    '/server/create',
    ...tabs(`/server/${server}`, ['overview', 'activities']),
    '/user',
    ...tabs(`/user/${encodeURIComponent(user)}`, ['personal-info', 'rolesandpermission', 'settings']),
    ...tabs('/organization', ['overview', 'slack', 'github', 'cloud_providers', 'backup_providers', 'auth', 'ssh']),
    '/organization#activities',
    ...tabs('/billing', ['profile', 'plans', 'activities']),
    ...tabs('/platform', ['organizations', 'users', 'plans', 'outbox', 'jobs', 'health']),
  ]
}

const sizes = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const

/** Names of the first site and the server, and the current user. */
async function ids(page: Page, url: string): Promise<[site: string, server: string, user: string]> {
  const first = async (doctype: string): Promise<string> => {
    const response = await page.request.get(`${url}/api/resource/${doctype}?limit_page_length=1`)
    const { data } = (await response.json()) as { data: { name: string }[] }
    return data[0]?.name ?? ''
  }
  const user = await page.request.get(`${url}/api/method/frappe.auth.get_logged_user`)
  return [await first('Site'), await first('Server'), ((await user.json()) as { message: string }).message]
}

/**
 * Worst layout shift on desktop and phone with delayed responses, a gate; largest paint without delay. A screen over its
 * budget gets its own figure.
 */
export async function layoutShifts(open: () => Promise<BrowserContext>, url: string): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const [device, viewport] of Object.entries(sizes)) {
    const context = await open()
    const page = await context.newPage()
    await page.setViewportSize(viewport)
    await watchPage(page)
    const paths = screens(...(await ids(page, url)))
    const slow: [path: string, shift: number][] = []
    const quick: [path: string, paint: number][] = []
    for (const path of paths) {
      await visit(page, url + '/web' + path)
      quick.push([path, (await takeMetrics(page)).paint])
    }
    await context.route('**/api/**', async (route) => {
      await delay(answerMs)
      // The page may have navigated away.
      await route.continue().catch(() => undefined)
    })
    for (const path of paths) {
      await visit(page, url + '/web' + path)
      slow.push([path, (await takeMetrics(page)).shift])
    }
    await context.close()
    const worst = slow.toSorted((a, b) => b[1] - a[1])
    for (const [path, shift] of worst.filter(([, one], at) => at === 0 || one > 0.05)) {
      figures.push({ name: `layout shift, ${device}, ${path}`, value: shift, unit: '', limit: 0.05 })
    }
    const latest = quick.toSorted((a, b) => b[1] - a[1])
    for (const [path, paint] of latest.filter(([, one], at) => at === 0 || one > 1500)) {
      figures.push({ name: `largest paint, ${device}, ${path}`, value: paint, unit: 'ms (1500)' })
    }
  }
  return figures
}

/** Loads an address from scratch (a changed hash alone would not) and waits until the network is idle. */
async function visit(page: Page, address: string): Promise<void> {
  await page.goto('about:blank')
  await page.goto(address)
  await page.waitForLoadState('networkidle')
  await settled(page)
}
