import { act, useLayoutEffect } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type * as SessionModule from '#web/lib/session/session.tsx'
import { signedOut, type OrganizationRole, type Session } from '#web/lib/session/session.tsx'
import { mostServers, useEligibleServers, type EligibleServers } from './eligible-servers.ts'

interface Options {
  filters: [string, string, unknown][]
}
interface SummaryCard {
  data: { name: string; hostname: string }[] | undefined
  error: null
  isLoading: boolean
}
const { useList, useCount, useSession } = vi.hoisted(() => ({
  useList: vi.fn<(doctype: string | null, options: Options) => SummaryCard>(),
  useCount: vi.fn<() => { data: number | undefined }>(),
  useSession: vi.fn<() => Session>(),
}))
vi.mock('#web/lib/api/frappe.tsx', () => ({ useList, useCount }))
vi.mock('#web/lib/api/debounce.ts', () => ({ useDebounced: (text: string) => text }))
vi.mock('#web/lib/session/session.tsx', async (original) => ({
  ...(await original<typeof SessionModule>()),
  useSession,
}))

const server = (at: number) => ({ name: `s${at}`, hostname: `web-${String(at).padStart(4, '0')}.example` })
let all: ReturnType<typeof server>[]
let root: Root
let seen: EligibleServers

function Choice({ chosen, onDrawn }: { chosen: string; onDrawn: (servers: EligibleServers) => void }) {
  const servers = useEligibleServers(chosen)
  useLayoutEffect(() => onDrawn(servers))
  return null
}
const keep = (servers: EligibleServers): void => {
  seen = servers
}
const draw = (chosen: string) => act(() => root.render(<Choice chosen={chosen} onDrawn={keep} />))
const names = () => seen.shown.map(({ name }) => name)

function as(role: OrganizationRole): void {
  useSession.mockReturnValue({ ...signedOut, organization: { name: 'acme', title: 'Acme', role, owner: false } })
}

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  as('Organization Admin')
  useList.mockReset()
  // Fake server that supports name equality and host name patterns.
  useList.mockImplementation((doctype, { filters }) => {
    if (doctype === null) return { data: undefined, error: null, isLoading: false }
    const data = all.filter((row) =>
      filters.every(([field, , value]) => {
        if (field === 'name') return row.name === value
        return field !== 'hostname' || row.hostname.includes(String(value).replaceAll('%', ''))
      }),
    )
    return { data: data.slice(0, mostServers), error: null, isLoading: false }
  })
  useCount.mockImplementation(() => ({ data: all.length }))
  root = createRoot(document.createElement('div'))
})
afterEach(() => {
  act(() => root.unmount())
  vi.unstubAllGlobals()
})

test('a few are all read, and the text narrows them without another question; the chosen one stays', () => {
  all = [1, 2, 3].map(server)
  draw('s1')
  expect(names()).toEqual(['s1', 's2', 's3'])
  expect([seen.total, seen.chosen?.name]).toEqual([3, 's1'])
  act(() => seen.setText(' WEB-0002 '))
  expect(names()).toEqual(['s1', 's2'])
  expect(
    useList.mock.calls.filter(([doctype]) => doctype !== null).every(([, { filters }]) => filters.length === 2),
  ).toBe(true)
})

test('of more than are read at once, the others are found by the text, and one of them can be chosen', () => {
  all = Array.from({ length: mostServers + 300 }, (_, at) => server(at))
  draw('')
  expect([seen.total, seen.chosen, names().length]).toEqual([mostServers + 300, null, mostServers])
  act(() => seen.setText('0444'))
  expect(names()).toEqual(['s444'])
  draw('s444')
  expect(seen.chosen?.hostname).toBe('web-0444.example')
  act(() => seen.setText(''))
  expect(seen.chosen?.hostname).toBe('web-0444.example')
  expect(names()).toContain('s444')
})

test('one that is gone is no choice any more; while it is asked for, nobody knows', () => {
  all = Array.from({ length: mostServers }, (_, at) => server(at))
  draw('s999')
  expect(seen.chosen).toBeNull()
  useList.mockReturnValue({ data: undefined, error: null, isLoading: true })
  draw('s998')
  expect(seen.chosen).toBeUndefined()
})

test('Healthy ones; those without a job, or for members those of development', () => {
  all = []
  draw('')
  const asked = () => useList.mock.calls.find(([doctype]) => doctype === 'Server')?.[1].filters
  expect(asked()).toEqual([
    ['status', '=', 'Healthy'],
    ['locked_by_job', 'is', 'not set'],
  ])
  useList.mockClear()
  as('Organization User')
  draw('x')
  expect(asked()).toEqual([
    ['status', '=', 'Healthy'],
    ['server_category', '=', 'development'],
  ])
})
