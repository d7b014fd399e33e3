import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { member, owner, renderAs } from '#tests/web/screen.tsx'
import { dataClient } from '#web/lib/api/data-client.ts'
import { TooltipProvider } from '#web/ui/overlay/tooltip.tsx'
import { readSitesEarly } from './sites-early-reads.ts'
import { SitesPage } from './sites-page.tsx'

const api = apiServer()
const rows = [{ name: 's1', domain: 'blog', status: 'Live', health: 'Up', site_type: 'wp' }]
const preferences = { lists: { Site: { status: ['=', 'Live'], columns: ['status'] } } }

/** Each request of sites with how often it was made. */
const asked = () =>
  Object.groupBy(
    api.calls.filter(({ body }) => body['doctype'] === 'Site').map(({ name, body }) => JSON.stringify([name, body])),
    (text) => text,
  )

function setup(found: () => { message: unknown } | 'none' = () => ({ message: rows })) {
  api.on('easydash.api.engine.capabilities', () => ({ message: {} }))
  api.on('resource/:doctype/:name', () => ({ data: { name: owner.user, preferences } }))
  api.on('frappe.client.get_count', () => ({ message: 1 }))
  api.on('frappe.client.get_list', ({ body }) =>
    body['doctype'] === 'Site' && !body['group_by'] ? found() : { message: [] },
  )
}

const page = (
  <TooltipProvider>
    <SitesPage />
  </TooltipProvider>
)

test.each([
  [owner, ''],
  [member, '?page_size=50'],
  [owner, '?status=["in",["Live","Failed"]]&order_by=domain asc&page=2&q=blog'],
  [member, '?any=[["health","=","Down"],["status","=","Failed"]]&group=server'],
])('what was read before the page was here is not read again: %#', async (session, search) => {
  setup()
  readSitesEarly({ session, preferences, search })
  await waitFor(() => expect(api.calls.filter(({ body }) => body['fields'] !== undefined)).toHaveLength(4))
  const early = Object.keys(asked())
  expect(early).toHaveLength(10)
  renderAs(session, page, `/site${search}`)
  expect(await screen.findByRole('link', { name: 'blog' })).toBeTruthy()
  await waitFor(() => expect(dataClient.isFetching()).toBe(0))
  expect(early.map((request) => asked()[request]?.length)).toEqual(early.map(() => 1))
  // Rows that were read early with other fields would be read again.
  expect(Object.keys(asked()).filter((request) => request.includes('locked_by_job'))).toHaveLength(1)
})

test('what could not be read before, the page reads', async () => {
  let isHere = false
  setup(() => (isHere ? { message: rows } : 'none'))
  readSitesEarly({ session: owner, preferences, search: '' })
  await waitFor(() => expect(Object.keys(asked())).toHaveLength(10))
  isHere = true
  renderAs(owner, page, '/site')
  expect(await screen.findByRole('link', { name: 'blog' })).toBeTruthy()
})
