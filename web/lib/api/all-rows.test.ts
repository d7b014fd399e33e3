import { afterEach, describe, expect, it, vi } from 'vitest'
import { readNamed, fetchAllRows } from './all-rows.ts'

interface Row {
  name: string
}
interface RequestedPage {
  limit_start: number
  limit_page_length: number
  order_by: string
  filters: string | null
}

afterEach(() => vi.unstubAllGlobals())

/** Stubs a server with `count` rows; returns the recorded requests. */
function serverOf(count: number): RequestedPage[] {
  const requests: RequestedPage[] = []
  const respond = async (address: string): Promise<Response> => {
    const params = new URL(address, 'http://localhost').searchParams
    const limit_start = Number(params.get('limit_start'))
    const limit_page_length = Number(params.get('limit_page_length'))
    requests.push({
      limit_start,
      limit_page_length,
      order_by: params.get('order_by') ?? '',
      filters: params.get('filters'),
    })
    const end = Math.min(count, limit_start + limit_page_length)
    const rows = Array.from({ length: Math.max(0, end - limit_start) }, (_, at) => ({ name: `r${limit_start + at}` }))
    return Response.json({ message: rows })
  }
  vi.stubGlobal('fetch', respond)
  return requests
}

describe('wholeList', () => {
  it.each([0, 3, 499, 500, 501, 1250])('returns all of %i rows', async (count) => {
    serverOf(count)
    const rows = await fetchAllRows<Row>('Site', {})
    expect(new Set(rows.map(({ name }) => name)).size).toBe(count)
    expect(rows).toHaveLength(count)
  })

  it('uses a unique order, so pages do not overlap', async () => {
    const requests = serverOf(700)
    await fetchAllRows<Row>('Site', { order_by: 'domain asc' })
    expect(requests.map(({ order_by }) => order_by)).toEqual(['domain asc', 'domain asc'])
    expect(requests.map(({ limit_start }) => limit_start)).toEqual([0, 500])
    const plain = serverOf(700)
    await fetchAllRows<Row>('Site', {})
    expect(plain.map(({ order_by }) => order_by)).toEqual(['creation asc', 'creation asc'])
  })

  it('stops at the requested number of rows', async () => {
    const requests = serverOf(5000)
    expect(await fetchAllRows<Row>('Site', {}, 1200)).toHaveLength(1200)
    expect(requests.map(({ limit_page_length }) => limit_page_length)).toEqual([500, 500, 200])
  })
})

it('filters by many names are split into requests that fit into a URL', async () => {
  const names = Array.from({ length: 450 }, (_, at) => `s${at}`)
  const requests = serverOf(450)
  await readNamed<Row>('Job', names, { filters: [['status', '=', 'Done']] })
  const parts = requests.map(({ filters }) => JSON.parse(filters ?? '[]') as [[string, string, string[]], unknown])
  expect(parts.map(([[, , part]]) => part.length)).toEqual([200, 200, 50])
  expect(parts.flatMap(([[, , part]]) => part)).toEqual(names)
  for (const [, rest] of parts) expect(rest).toEqual(['status', '=', 'Done'])
})
