import { expect, test, vi } from 'vitest'
import { byServer, inParts, maxRows } from './use-site-counts.ts'

test.each([0, 1, maxRows - 1, maxRows, maxRows + 1, 2 * maxRows + 7])('reads all of %d rows', async (count) => {
  const all = Array.from({ length: count }, (_, at) => at)
  const read = vi.fn(async (start: number) => all.slice(start, start + maxRows))
  await expect(inParts(read)).resolves.toEqual(all)
  expect(read).toHaveBeenCalledTimes(Math.floor(count / maxRows) + 1)
})

test('fails if any request fails', async () => {
  const read = async (start: number) => {
    if (start > 0) throw new Error('Away')
    return Array.from({ length: maxRows }, () => 0)
  }
  await expect(inParts(read)).rejects.toThrow('Away')
})

test('servers are sorted by their number of sites; servers without sites are omitted', () => {
  const rows = [
    { server: 'a', n: 1 },
    { server: null, n: 9 },
    { server: 'b', n: 3 },
  ]
  expect([...byServer(rows)]).toEqual([
    ['b', 3],
    ['a', 1],
  ])
})
