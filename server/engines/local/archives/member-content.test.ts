import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FileRefusal } from '#server/platform/tree-files/refusal.ts'
import { gunzip, gunzipped } from './member-content.ts'

async function* inPieces(bytes: Buffer, size = 1_000): AsyncGenerator<Buffer, void, undefined> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** Bytes that came out, and why it ended. */
async function drain(content: AsyncIterable<Buffer>): Promise<{ bytes: number; error: unknown }> {
  let bytes = 0
  try {
    for await (const chunk of content) bytes += chunk.length
  } catch (error) {
    return { bytes, error }
  }
  return { bytes, error: null }
}

test('a gzip bomb is refused long before it is unpacked', async () => {
  const bomb = gzipSync(Buffer.alloc(64_000_000))
  const { bytes, error } = await drain(gunzip(inPieces(bomb), 'dump.gz'))
  expect(error).toBeInstanceOf(FileRefusal)
  expect(error).toMatchObject({ message: 'The archive has an entry that expands too far: dump.gz.' })
  expect(bytes).toBeLessThan(10_000_000)
  const member = { path: 'dump.gz', isFolder: false, size: bomb.length, crc32: null, read: async () => inPieces(bomb) }
  expect((await drain(await gunzipped(member, 'dump.sql').read())).error).toBeInstanceOf(FileRefusal)
})

test('no content becomes larger than the most', async () => {
  const packed = gzipSync(Buffer.from('abcdefgh'.repeat(20_000)))
  expect((await drain(gunzip(inPieces(packed), 'x', 160_000))).error).toBeNull()
  expect((await drain(gunzip(inPieces(packed), 'x', 159_999))).error).toBeInstanceOf(FileRefusal)
})

test('what is no bomb comes out as it went in, also several streams in a row', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array(), { minLength: 1 }),
      fc.integer({ min: 1, max: 99 }),
      async (parts, size) => {
        const chunks: Buffer[] = []
        const packed = Buffer.concat(parts.map((part) => gzipSync(part)))
        for await (const chunk of gunzip(inPieces(packed, size), 'x')) chunks.push(chunk)
        expect(Buffer.concat(chunks).equals(Buffer.concat(parts))).toBe(true)
      },
    ),
  )
})
