import { act } from 'react'
import { beforeEach, expect, test, vi } from 'vitest'
import { testRender } from '#web/lib/browser/test-render.ts'
import { clearToasts, useToasts } from '#web/lib/browser/toasts.ts'
import { useServers, useSites, useUsers } from './use-rows.ts'

const page = testRender()

interface Asked {
  doctype: string
  filters: [string, string, string][]
  page_length: number
}

const { useMethod } = vi.hoisted(() => ({
  useMethod:
    vi.fn<(method: string | null, params: Asked) => { data: unknown; error: Error | null; isLoading: boolean }>(),
}))
vi.mock('#web/lib/api/frappe.tsx', () => ({ useMethod }))

const waiting = { data: undefined, error: null, isLoading: true }
const report = (keys: string[], ...values: unknown[][]) => ({ data: { keys, values }, error: null, isLoading: false })
const failed = { data: undefined, error: new Error('Too many requests.'), isLoading: false }

function Shown({ term }: { term: string | null }) {
  const sites = useSites(term)
  useServers(term)
  useUsers(term)
  const { history } = useToasts()
  return (
    <>
      {sites.loading ? 'loading' : sites.rows.map(({ domain }) => domain).join(' ')}
      {history.map(({ id, title, description }) => (
        <i key={id}>{`${title}: ${description}`}</i>
      ))}
    </>
  )
}

beforeEach(() => {
  clearToasts()
  useMethod.mockReset()
  useMethod.mockReturnValue(waiting)
})
const draw = (term: string | null) => act(() => page.root.render(<Shown term={term} />))

/** Actual requests; calls without a method request nothing. */
const asked = () => useMethod.mock.calls.filter(([method]) => method !== null).map(([, params]) => params)

test('sites by name and by alias, servers and people, eight of each', () => {
  draw('50%')
  expect(useMethod.mock.calls.every(([method]) => method === 'frappe.desk.reportview.get')).toBe(true)
  expect(asked().map(({ doctype, page_length }) => [doctype, page_length])).toEqual([
    ['Site', 8],
    ['Site', 8],
    ['Server', 8],
    ['User', 8],
  ])
  expect(
    asked()
      .slice(0, 3)
      .map(({ filters }) => filters),
  ).toEqual([
    [['domain', 'like', '%50\\%%']],
    [['usr_alias_domains', 'like', '%50\\%%']],
    [['hostname', 'like', '%50\\%%']],
  ])
  expect(page.place.textContent).toBe('loading')
})

test('nothing typed asks nothing', () => {
  draw(null)
  expect(asked()).toEqual([])
})

test('a site that both questions found stands once', () => {
  const keys = ['name', 'domain']
  useMethod.mockImplementation((method, params) => {
    if (method === null || params.doctype !== 'Site') return report([])
    return params.filters[0]?.[0] === 'domain'
      ? report(keys, ['a1', 'shop'])
      : report(keys, ['a1', 'shop'], ['b2', 'store'])
  })
  draw('s')
  expect(page.place.textContent).toBe('shop store')
})

test('what could not be read is told once, under its fixed title', () => {
  useMethod.mockImplementation((method) => (method === null ? waiting : failed))
  draw('s')
  draw('s')
  const titles = ['Error Fetching Sites by Name', 'Error Fetching Sites by Alias Domain', 'Error Fetching Servers']
  const told = [...page.place.querySelectorAll('i')].map((entry) => entry.textContent)
  expect(told).toHaveLength(4)
  for (const title of titles) expect(told).toContain(`${title}: Too many requests.`)
})
