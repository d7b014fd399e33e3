import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { member, owner, renderAs } from '#tests/web/screen.tsx'
import { dataClient } from '#web/lib/api/data-client.ts'
import { earlyAnswers } from '#web/lib/api/early-reads.ts'
import type { Session } from '#web/lib/session/session.tsx'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { routes } from './routes.tsx'

const api = apiServer()
const row = {
  domain: 'blog',
  name: 'r1',
  hostname: 'web-1',
  label: 'Create blog',
  status: 'Done',
  creation: '2026-11-01 10:00:00',
}
const preferences = { lists: { Server: { columns: ['status'] }, Site: { status: ['=', 'Live'], columns: ['status'] } } }
const plan = {
  limits: { server: 5, site: 5, user: 5 },
  usage: { server: 1, site: 1, user: 1 },
} as unknown as Session['subscription']

/** How often each query and method was asked for since the call at this place. */
const askedSince = (at: number): ReadonlyMap<string, number> => {
  const all = Map.groupBy(api.calls.slice(at), ({ name, body }) => JSON.stringify([name, body]))
  return new Map(all.entries().map(([request, calls]) => [request, calls.length]))
}

/** A screen that reads early, on a server with a row of each kind, or with none of them while `isAway`. */
async function setup(path: string, person: Session, search: string, isAway = () => false) {
  const session = { ...person, modules: { ee: true, wpc: false } }
  api.on('run_doc_method', () => ({ message: [] }))
  api.on('easydash.api.engine.capabilities', () => ({ message: {} }))
  api.on('resource/:doctype/:name', () => ({ data: { name: session.user, preferences } }))
  api.on('frappe.client.get_count', () => (isAway() ? 'none' : { message: 1 }))
  api.on('frappe.client.get_list', ({ body }) => (isAway() ? 'none' : { message: body['group_by'] ? [] : [row] }))
  const route = routes.find((one) => one.path === path)
  if (!route?.readEarly || !route.load) throw new Error(`${path} reads nothing early.`)
  await route.load()
  const start = await route.readEarly()
  return {
    read: async () => {
      start({ session, preferences, search })
      await earlyAnswers()
    },
    visit: async (shown?: string) => {
      const piece = (
        <TooltipProvider>
          <route.page />
        </TooltipProvider>
      )
      const { unmount } = renderAs(session, piece, `${path}${search}`)
      await (shown === undefined
        ? screen.findByRole('heading', { level: 1 })
        : screen.findByRole('link', { name: shown }))
      await waitFor(() => expect(dataClient.isFetching()).toBe(0))
      unmount()
      dataClient.clear()
    },
  }
}

test.each([
  ['/site', owner, '', 10],
  ['/site', member, '?page_size=50', 10],
  ['/site', owner, '?status=["in",["Live","Failed"]]&order_by=domain asc&page=2&q=blog', 10],
  ['/site', member, '?any=[["health","=","Down"],["status","=","Failed"]]&group=server', 10],
  ['/server', owner, '', 6],
  ['/server', { ...owner, subscription: plan }, '?page_size=200', 6],
  ['/server', member, '?q=web', 4],
  ['/job', owner, '?status=["in",["Failed"]]', 2],
  ['/job', member, '?page_size=200', 2],
  ['/user', owner, '', 2],
] as const)(
  'what %s reads before its code is here is what it asks for, and not read again: %#',
  async (path, person, search, reads) => {
    const { read, visit } = await setup(path, person, search)
    await visit()
    const own = askedSince(0)
    const begun = api.calls.length
    await read()
    const early = [...askedSince(begun).keys()]
    expect(early).toHaveLength(reads)
    expect(early.filter((request) => !own.has(request))).toEqual([])
    await visit()
    expect(early.map((request) => askedSince(begun).get(request))).toEqual(early.map(() => 1))
  },
)

test('what could not be read before, the page reads', async () => {
  let isAway = true
  const { read, visit } = await setup('/site', owner, '', () => isAway)
  await read()
  expect(askedSince(0).size).toBe(10)
  isAway = false
  await visit('blog')
})
