import { screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { member, owner, renderAs } from '#tests/web/screen.tsx'
import type { Session } from '#web/lib/session/session.tsx'
import { ToastArea } from '#web/ui/overlay/toast-area.tsx'
import { useEligibleServers } from './eligible-servers.ts'

const api = apiServer()
const all = Array.from({ length: 12 }, (_, at) => ({
  value: `s${at}`,
  label: `web-${String(at).padStart(4, '0')}.example`,
  description: '',
}))

function Choice({ chosen: name }: { chosen: string }) {
  const { shown, chosen, text, setText } = useEligibleServers(name)
  return (
    <>
      <input aria-label="Search" value={text} onChange={(event) => setText(event.target.value)} />
      <p>Category: {chosen === undefined ? 'unknown' : (chosen?.server_category ?? 'none')}</p>
      <output>{shown.map(({ value }) => value).join(' ')}</output>
      <ToastArea />
    </>
  )
}
const setup = (chosen: string, session: Session = owner) => renderAs(session, <Choice chosen={chosen} />)
const names = () => document.querySelector('output')?.textContent?.split(' ')
const searches = () => api.calls.filter(({ name }) => name === 'frappe.desk.search.search_link')

beforeEach(() => {
  api.on('frappe.desk.search.search_link', ({ body }) => ({
    message: all.filter(({ label }) => label.includes(String(body['txt']).toLowerCase())).slice(0, 5),
  }))
  api.on('frappe.client.get_value', ({ body }) => ({
    message: JSON.stringify(body['filters']).includes('s404') ? {} : { server_category: 'production', engine: 'ee' },
  }))
})

test('five servers are suggested; others are searched, and the chosen one stays', async () => {
  const { user } = setup('s1')
  await waitFor(() => expect(names()).toEqual(['s0', 's1', 's2', 's3', 's4']))
  expect(await screen.findByText('Category: production')).toBeTruthy()
  await user.type(screen.getByLabelText('Search'), ' WEB-0009 ')
  await waitFor(() => expect(names()).toEqual(['s1', 's9']))
  expect(searches().at(-1)).toMatchObject({
    verb: 'POST',
    body: { txt: 'WEB-0009', doctype: 'Server', reference_doctype: 'Site', page_length: 5 },
  })
})

test('a chosen server is in the list also if it is not among the first', async () => {
  setup('s9')
  await waitFor(() => expect(names()).toEqual(['s9', 's0', 's1', 's2', 's3', 's4']))
})

test.each([
  ['all categories', owner, []],
  ['members of development only', member, [['server_category', '=', 'development']]],
] as const)('healthy servers of the organization are suggested, for %s', async (_which, session, more) => {
  setup('', session)
  await waitFor(() => expect(names()).toHaveLength(5))
  expect(searches()[0]?.body['filters']).toEqual([
    ['organization', '=', session.organization?.name],
    ['status', '=', 'Healthy'],
    ...more,
  ])
})

test('a chosen server that can no longer be used is reported', async () => {
  setup('s404')
  expect(await screen.findByText('Category: none')).toBeTruthy()
  expect(await screen.findByText('Error Fetching Server Category')).toBeTruthy()
  expect(screen.getByText('The server category could not be found.')).toBeTruthy()
})
