/** The worst rows a list can get: each failed for the longest reason a document stores, with long names. */
import type { Page } from '@playwright/test'
import { settled } from './looks.ts'
import { tooWide } from './screen-sizes.ts'

/** The lists with rows that have reasons, or long names. */
export const lists = {
  sites: '/web/site',
  servers: '/web/server',
  jobs: '/web/job',
  users: '/web/user',
  'activities of the organization': '/web/organization#activities',
  'activities of billing': '/web/billing#activities',
} as const

const reason = 'The server did not answer within 30 seconds, so it is not known whether the change was made. '
/** As long as a stored reason can be. */
export const longestReason = reason.repeat(6).slice(0, 500).trim()
const name = 'a-customer-with-a-rather-long-name-of-their-own'

interface Row {
  [field: string]: unknown
}

const texts: Row = {
  failure_reason: longestReason,
  failure_reason_i18n: null,
  failure_since: '2025-11-20 10:00:00.000000',
  hostname: `${name}.example.com`,
  server_title: `${name}.example.com`,
  domain: `${name}.example.com`,
  title: 'The customer with a rather long name of their own and a second sentence',
  full_name: 'Wilhelmina Featherstonehaugh of Cholmondeley',
  label: 'Change the PHP version of a site on the server of the customer with a rather long name',
  reference_title: 'The customer with a rather long name of their own and a second sentence',
  reference_address: `${name}.example.com`,
}

function worst(row: Row): Row {
  const known = Object.fromEntries(Object.entries(texts).filter(([field]) => field in row))
  const state = 'failure_reason' in row ? { status: 'hostname' in row ? 'Disconnected' : 'Failed' } : {}
  return { ...row, ...known, ...state }
}

/** What the dashboard's card of problems reads of servers that have some. */
const disconnected: Row = {
  ...texts,
  ...{ name: 'abcdefghij', status: 'Disconnected', cloud_provider: 'Custom', modified: texts['failure_since'] },
}

/** Rows of lists arrive with the longest texts, and a server is disconnected, whatever the product has. */
export async function withLongestTexts(page: Page): Promise<void> {
  await page.route(/frappe\.client\.get_list|documents\.get_lists|reportview/, async (route) => {
    const response = await route.fetch()
    const body = (await response.json().catch(() => null)) as { message?: unknown } | null
    if (!body || !Array.isArray(body.message)) return route.fulfill({ response })
    const queries = JSON.parse(new URL(route.request().url()).searchParams.get('queries') ?? '[]') as unknown[]
    const isProblems = (at: number) => /^(?=.*"Server")(?=.*Disconnected)/.test(JSON.stringify(queries[at] ?? null))
    const rows = (list: unknown): unknown =>
      Array.isArray(list)
        ? list.map((row, at) =>
            Array.isArray(row) ? rows(row.length === 0 && isProblems(at) ? [disconnected] : row) : worst(row as Row),
          )
        : list
    return route.fulfill({ response, json: { ...body, message: rows(body.message) } })
  })
}

/** Tables that are wider than their box, and menus of rows that are out of sight; empty if all fit. */
export async function tablesTooWide(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const found = []
    for (const table of document.querySelectorAll('main table')) {
      const over = table.offsetWidth - table.parentElement.clientWidth
      const label = table.getAttribute('aria-label')
      if (over > 1) found.push(label + ': ' + over + ' px too wide')
      for (const button of table.querySelectorAll('tbody tr:first-child button')) {
        const { right } = button.getBoundingClientRect()
        if (right > innerWidth) found.push(label + ': ' + (button.getAttribute('aria-label') ?? button.textContent) + ' is out of sight')
      }
    }
    return found
  })()`)
}

/** What is wider than the screen on the dashboard and the lists with their worst rows, by path; empty if all fits. */
export async function worstListsTooWide(page: Page): Promise<Record<string, string[]>> {
  await withLongestTexts(page)
  const found: Record<string, string[]> = {}
  for (const path of ['/web', ...Object.values(lists)]) {
    await page.goto(path)
    if (path === '/web') await page.getByText(`${name}.example.com is disconnected`).waitFor()
    await settled(page)
    const wide = await tooWide(page)
    if (wide.length > 0) found[path] = wide
  }
  return found
}
