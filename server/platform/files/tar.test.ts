import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pad, tarEnd, tarHeader, tarPadding, ustar } from '#tests/support/raw-tar.ts'
import { packTar, readTar, type TarHeader } from './tar.ts'

/** A pax header with this text. */
const pax = (text: string) => {
  const body = Buffer.from(text)
  return Buffer.concat([ustar({ name: 'pax', flag: 'x', size: body.length, mode: 0o600, mtime: 0 }), pad(body)])
}
/** One record of a pax header. */
const record = (text: string) => {
  const tail = ` ${text}\n`
  const length = [1, 2, 3].map((digits) => digits + tail.length).find((sum, at) => String(sum).length === at + 1)
  return `${length}${tail}`
}
const plain = (header: Partial<TarHeader> = {}, content = '') =>
  Buffer.concat([
    tarHeader({ name: 'file', type: 'file', size: content.length, mode: 0o600, mtime: 7, ...header }),
    Buffer.from(content),
    tarPadding(content.length),
  ])

async function* inPieces(bytes: Buffer, size = 65_536): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function headersOf(bytes: Buffer, pieces?: number): Promise<TarHeader[]> {
  const headers: TarHeader[] = []
  await readTar(inPieces(bytes, pieces), (header) => {
    headers.push(header)
    return null
  })
  return headers
}

test.each([
  ['whose lengths lead nowhere', '0 a=b\n'],
  ['whose lengths are negative', '-5 a=b\n'],
  ['whose lengths reach past the end', '999 a=b\n'],
  ['whose lengths are shorter than themselves', '2 a=b\n'],
  ['without a length', 'a=b\n'],
  // With each of a million lengths of one, a naive parser would search to the end of the text.
  ['of a million beginnings', `${'1\n'.repeat(500_000)} `],
])('an extended header %s changes nothing of its member', async (_what, text) => {
  const [found, ...more] = await headersOf(Buffer.concat([pax(text), plain(), tarEnd]))
  expect(found).toEqual({ name: 'file', type: 'file', size: 0, mode: 0o600, mtime: 7 })
  expect(more).toEqual([])
})

test('an extended header is not held in memory when it is longer than any', async () => {
  const head = ustar({ name: 'pax', flag: 'x', size: 5_000_000, mode: 0o600, mtime: 0 })
  let read = 0
  async function* endless(): AsyncGenerator<Buffer> {
    yield head
    for (; read < 1000; read += 1) yield Buffer.alloc(1_048_576, 'a')
  }
  await expect(readTar(endless(), () => null)).rejects.toThrow('damaged')
  expect(read).toBeLessThan(10)
})

test('a member has a size that can be counted', async () => {
  const sized = (size: string) => Buffer.concat([pax(record(`size=${size}`)), plain({}, '12345'), tarEnd])
  expect((await headersOf(sized('00005'))).map(({ size }) => size)).toEqual([5])
  for (const size of ['-5000', 'bytes', '9'.repeat(20)]) await expect(headersOf(sized(size))).rejects.toThrow('damaged')
})

test.each([
  ['negative', [0xff, ...Buffer.alloc(10, 0xff), 0xf0]],
  ['too large', [0x80, ...Buffer.alloc(11, 0xff)]],
  ['of an unknown notation', [0xc0, ...Buffer.alloc(11, 1)]],
])('a size in binary that is %s is damage', async (_what, bytes) => {
  const head = ustar({ name: 'a', flag: '0', size: 0, mode: 0o600, mtime: 0, rawSize: Buffer.from(bytes) })
  await expect(headersOf(Buffer.concat([head, Buffer.alloc(2048), tarEnd]))).rejects.toThrow('damaged')
})

test('entries that are neither files nor folders are reported as such', async () => {
  const flags = ['0', '\0', '5', '1', '2', '3', '4', '6', '7', 'S', 'V', '~']
  const archive = Buffer.concat([
    ...flags.map((flag) => ustar({ name: 'a', flag, size: 0, mode: 0o600, mtime: 0 })),
    tarEnd,
  ])
  expect((await headersOf(archive)).map(({ type }) => type)).toEqual([
    'file',
    'file',
    'directory',
    ...flags.slice(3).map(() => 'other'),
  ])
})

test('times, modes and sizes are what was packed', async () => {
  const headers: TarHeader[] = [
    { name: 'closed', type: 'file', size: 0, mode: 0, mtime: 0 },
    { name: 'old', type: 'file', size: 0, mode: 0o4755, mtime: 1 },
    // Beyond tar-stream's range; a site controls the times of its files.
    { name: 'late', type: 'file', size: 0, mode: 0o644, mtime: 5_000_000_000.5 },
    { name: 'ä'.repeat(200), type: 'file', size: 3, mode: 0o644, mtime: 2 },
    { name: 'folder/', type: 'directory', size: 0, mode: 0o500, mtime: 3 },
  ]
  const members = headers.map((header) => ({ header, content: [Buffer.alloc(header.size)] }))
  const packed = Buffer.concat(await Array.fromAsync(packTar(members)))
  expect(await headersOf(packed, 333)).toEqual(headers)
})

test('a content of another size than its header is an error, and everything is closed', async () => {
  let closed = 0
  function* members() {
    try {
      yield { header: { name: 'a', type: 'file' as const, size: 4, mode: 0o600, mtime: 0 }, content: [Buffer.alloc(3)] }
    } finally {
      closed += 1
    }
  }
  await expect(Array.fromAsync(packTar(members()))).rejects.toThrow('Size mismatch')
  expect(closed).toBe(1)
})

test('errors of the source, of the members and of the sinks come through as they are', async () => {
  async function* broken(): AsyncGenerator<Buffer> {
    yield plain({}, 'content').subarray(0, 514)
    throw new RangeError('the source')
  }
  await expect(readTar(broken(), () => null)).rejects.toThrow(new RangeError('the source'))
  const failing = () => {
    throw new RangeError('the sink')
  }
  await expect(readTar(inPieces(plain()), failing)).rejects.toThrow(new RangeError('the sink'))
  const write = { write: failing, end: () => undefined }
  await expect(readTar(inPieces(plain({}, 'x'.repeat(100_000))), () => write)).rejects.toThrow('the sink')
  function* members() {
    yield { header: { name: 'a/', type: 'directory' as const, size: 0, mode: 0o700, mtime: 0 }, content: [] }
    throw new RangeError('the members')
  }
  await expect(Array.fromAsync(packTar(members()))).rejects.toThrow('the members')
})

test('a reader that stops ends the packing', async () => {
  let closed = 0
  function* content() {
    try {
      for (;;) yield Buffer.alloc(65_536)
    } finally {
      closed += 1
    }
  }
  const header = { name: 'a', type: 'file' as const, size: 1e12, mode: 0o600, mtime: 0 }
  for await (const _chunk of packTar([{ header, content: content() }])) break
  expect(closed).toBe(1)
})

test('a directory that claims a content has none', async () => {
  const headers = await headersOf(Buffer.concat([plain({ name: 'd/', type: 'directory', size: 700 }), plain(), tarEnd]))
  expect(headers.map(({ name, size }) => [name, size])).toEqual([
    ['d/', 0],
    ['file', 0],
  ])
})

test('damage of any kind ends the reading', async () => {
  const archive = Buffer.concat([
    pax(record(`path=${'a'.repeat(80)}`)),
    plain({}, 'x'.repeat(700)),
    plain({ name: 'b'.repeat(120) }, 'y'),
    tarEnd,
  ])
  const change = fc.tuple(fc.nat(archive.length - 1), fc.nat(255))
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 12 }), fc.boolean(), async (changes, fixSums) => {
      const bytes = Buffer.from(archive)
      for (const [at, value] of changes) bytes.writeUInt8(value, at)
      if (fixSums) for (let at = 0; at < bytes.length; at += 512) writeSum(bytes.subarray(at, at + 512))
      await headersOf(bytes).catch(() => null)
    }),
    { numRuns: 2000 },
  )
})

/** A correct checksum, so that a reader gets to the other errors. */
function writeSum(head: Buffer): void {
  if (head.toString('latin1', 257, 262) !== 'ustar') return
  head.fill(' ', 148, 156)
  const sum = head.reduce((total, byte) => total + byte, 0)
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
}
