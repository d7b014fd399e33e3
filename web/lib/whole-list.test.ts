import { describe, expect, it, vi } from 'vitest'
import type { ReadingClient } from './frappe.tsx'
import { readNamed, readWhole } from './whole-list.ts'

interface Row {
  name: string
}
interface Asked {
  limit_start: number
  limit_page_length: number
  order_by: string
  filters?: string
}

/** A server with so many rows; what it was asked. */
function serverOf(count: number): { call: ReadingClient; asked: Asked[] } {
  const asked: Asked[] = []
  const get = vi.fn(async (_method: string, params: Asked) => {
    asked.push(params)
    const end = Math.min(count, params.limit_start + params.limit_page_length)
    const rows = Array.from({ length: Math.max(0, end - params.limit_start) }, (_, at) => ({
      name: `r${params.limit_start + at}`,
    }))
    return { message: rows }
  })
  return { call: { get } as unknown as ReadingClient, asked }
}

describe('a whole list', () => {
  it.each([0, 3, 499, 500, 501, 1250])('has all of %i rows', async (count) => {
    const { call } = serverOf(count)
    const rows = await readWhole<Row>(call, 'Site', {})
    expect(new Set(rows.map(({ name }) => name)).size).toBe(count)
    expect(rows).toHaveLength(count)
  })

  it('asks in one order to the end, so that pages do not overlap', async () => {
    const { call, asked } = serverOf(700)
    await readWhole<Row>(call, 'Site', { order_by: 'domain asc' })
    expect(asked.map(({ order_by }) => order_by)).toEqual(['domain asc', 'domain asc'])
    expect(asked.map(({ limit_start }) => limit_start)).toEqual([0, 500])
    const plain = serverOf(700)
    await readWhole<Row>(plain.call, 'Site', {})
    expect(plain.asked.map(({ order_by }) => order_by)).toEqual(['creation asc', 'creation asc'])
  })

  it('ends at what is wanted', async () => {
    const { call, asked } = serverOf(5000)
    expect(await readWhole<Row>(call, 'Site', {}, 1200)).toHaveLength(1200)
    expect(asked.map(({ limit_page_length }) => limit_page_length)).toEqual([500, 500, 200])
  })
})

it('rows of many names are asked for in parts that an address has room for', async () => {
  const names = Array.from({ length: 450 }, (_, at) => `s${at}`)
  const { call, asked } = serverOf(450)
  await readNamed<Row>(call, 'Job', names, { filters: [['status', '=', 'Done']] })
  const parts = asked.map(({ filters }) => JSON.parse(filters ?? '[]') as [[string, string, string[]], unknown])
  expect(parts.map(([[, , part]]) => part.length)).toEqual([200, 200, 50])
  expect(parts.flatMap(([[, , part]]) => part)).toEqual(names)
  for (const [, rest] of parts) expect(rest).toEqual(['status', '=', 'Done'])
})
