import { expect, test } from 'vitest'
import { readTar, tarEnd, tarHeader, tarPadding } from './tar.ts'

/** An archive whose one member has another size by a pax record. */
async function* sized(size: string): AsyncGenerator<Buffer> {
  const text = ` size=${size}\n`
  const record = Buffer.from(`${text.length + 2}${text}`)
  const header = tarHeader({ name: 'pax', type: 'file', size: record.length, mode: 0o600, mtime: 0 })
  // The flag of a pax header, and the sum of the header with it.
  const sum = Number.parseInt(header.toString('latin1', 148, 154), 8) + 'x'.charCodeAt(0) - '0'.charCodeAt(0)
  header.write('x', 156)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  yield Buffer.concat([header, record, tarPadding(record.length)])
  yield tarHeader({ name: 'file', type: 'file', size: 0, mode: 0o600, mtime: 0 })
  yield Buffer.from('12345'.padEnd(512, '\0'))
  yield tarEnd
}

/** An archive whose pax header is that text. */
async function* withPax(text: string): AsyncGenerator<Buffer> {
  const record = Buffer.from(text)
  const header = tarHeader({ name: 'pax', type: 'file', size: record.length, mode: 0o600, mtime: 0 })
  const sum = Number.parseInt(header.toString('latin1', 148, 154), 8) + 'x'.charCodeAt(0) - '0'.charCodeAt(0)
  header.write('x', 156)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  yield Buffer.concat([header, record, tarPadding(record.length), tarEnd])
}

test.each([
  ['whose lengths lead nowhere', '0 a=b\n'],
  ['whose lengths are negative', '-5 a=b\n'],
  ['whose lengths reach past the end', '999 a=b\n'],
  ['whose lengths are shorter than themselves', '2 a=b\n'],
  ['without a length', 'a=b\n'],
  // Each of a million lengths of one would be looked for to the end of all of them.
  ['of a million beginnings', `${'1\n'.repeat(500_000)} `],
])('a header %s is damage, at once', async (_what, text) => {
  await expect(readTar(withPax(text), () => null)).rejects.toThrow('damaged')
})

test('a member has a size that can be counted', async () => {
  const sizes: number[] = []
  const read = (size: string) =>
    readTar(sized(size), ({ size: found }) => {
      sizes.push(found)
      return null
    })
  await read('00005')
  expect(sizes).toEqual([5])
  for (const size of ['-5000', 'bytes', '9'.repeat(20)]) await expect(read(size)).rejects.toThrow('damaged')
  expect(sizes).toEqual([5])
})
