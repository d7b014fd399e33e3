import { screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { apiServer, type Reply } from '#tests/web/api.ts'
import { member, owner, renderAs, type Rendered } from '#tests/web/screen.tsx'
import type { Session } from '#web/lib/session/session.tsx'
import { maxServers, useEligibleServers } from './eligible-servers.ts'

const api = apiServer()
const server = (at: number) => ({ name: `s${at}`, hostname: `web-${String(at).padStart(4, '0')}.example` })
let all: ReturnType<typeof server>[]
/** Reply to the request for the chosen server by its name; null for the usual reply. */
let chosenReply: Promise<Reply> | null

function Choice({ chosen: name }: { chosen: string }) {
  const { shown, total, chosen, text, setText } = useEligibleServers(name)
  return (
    <>
      <input aria-label="Search" value={text} onChange={(event) => setText(event.target.value)} />
      <p>Total: {total ?? 'unknown'}</p>
      <p>Chosen: {chosen === undefined ? 'unknown' : (chosen?.hostname ?? 'none')}</p>
      <output>{shown.map((one) => one.name).join(' ')}</output>
    </>
  )
}
const setup = (chosen: string, session: Session = owner): Rendered => renderAs(session, <Choice chosen={chosen} />)
const names = () => screen.getByRole('status').textContent?.split(' ')
const requests = () =>
  api.calls.filter(({ name }) => name === 'frappe.client.get_list').map(({ body }) => body['filters'])

beforeEach(() => {
  chosenReply = null
  // Fake server that supports name equality and host name patterns.
  api.on('frappe.client.get_list', ({ body }) => {
    const filters = body['filters'] as [string, string, unknown][]
    if (chosenReply && filters.some(([field]) => field === 'name')) return chosenReply
    const rows = all.filter((row) =>
      filters.every(([field, , value]) => {
        if (field === 'name') return row.name === value
        return field !== 'hostname' || row.hostname.includes(String(value).replaceAll('%', ''))
      }),
    )
    return { message: rows.slice(0, maxServers) }
  })
  api.on('frappe.client.get_count', () => ({ message: all.length }))
})

test('a short list is loaded completely and filtered locally; the selected server stays', async () => {
  all = [1, 2, 3].map(server)
  const { user } = setup('s1')
  await waitFor(() => expect(names()).toEqual(['s1', 's2', 's3']))
  expect(await screen.findByText('Total: 3')).toBeTruthy()
  expect(screen.getByText('Chosen: web-0001.example')).toBeTruthy()
  await user.type(screen.getByLabelText('Search'), ' WEB-0002 ')
  expect(names()).toEqual(['s1', 's2'])
  expect(requests()).toHaveLength(1)
})

test('in a long list, other servers are found on the server and can be selected', async () => {
  all = Array.from({ length: maxServers + 300 }, (_, at) => server(at))
  const { user, rerender } = setup('')
  expect(await screen.findByText(`Total: ${maxServers + 300}`)).toBeTruthy()
  await waitFor(() => expect(names()).toHaveLength(maxServers))
  expect(screen.getByText('Chosen: none')).toBeTruthy()
  await user.type(screen.getByLabelText('Search'), '0444')
  await waitFor(() => expect(names()).toEqual(['s444']))
  rerender(<Choice chosen="s444" />)
  expect(await screen.findByText('Chosen: web-0444.example')).toBeTruthy()
  await user.clear(screen.getByLabelText('Search'))
  expect(screen.getByText('Chosen: web-0444.example')).toBeTruthy()
  expect(names()).toContain('s444')
})

test('a deleted server cannot be selected; it is undecided while it is being checked', async () => {
  all = Array.from({ length: maxServers }, (_, at) => server(at))
  const { rerender } = setup('s999')
  expect(await screen.findByText('Chosen: none')).toBeTruthy()
  const reply = Promise.withResolvers<Reply>()
  chosenReply = reply.promise
  rerender(<Choice chosen="s998" />)
  expect(await screen.findByText('Chosen: unknown')).toBeTruthy()
  reply.resolve({ message: [] })
  expect(await screen.findByText('Chosen: none')).toBeTruthy()
})

test.each([
  ['those without a job', owner, ['locked_by_job', 'is', 'not set']],
  ['for members those of development', member, ['server_category', '=', 'development']],
] as const)('only healthy servers are offered; %s', async (_which, session, filter) => {
  all = []
  setup('', session)
  expect(await screen.findByText('Total: 0')).toBeTruthy()
  expect(requests()[0]).toEqual([['status', '=', 'Healthy'], filter])
})
