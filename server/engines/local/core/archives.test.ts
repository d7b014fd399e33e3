import { Readable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tarEnd, tarHeader, tarPadding } from '#tests/support/raw-tar.ts'
import { packTar, readTar } from '#server/platform/files/tar.ts'
import { makeZip } from './zip-fixture.ts'
import { assertSafePath } from './package-names.ts'
import { readZip } from './zip.ts'

async function entriesOf(archive: Buffer, chunkSize = 700): Promise<Array<[string, string]>> {
  const found: Array<[string, string]> = []
  const chunks: Buffer[] = []
  for (let at = 0; at < archive.length; at += chunkSize) chunks.push(archive.subarray(at, at + chunkSize))
  await readTar(Readable.from(chunks, { objectMode: false }), (header) => {
    const parts: Buffer[] = []
    return {
      write: (chunk) => {
        parts.push(Buffer.from(chunk))
      },
      end: () => {
        found.push([header.name, Buffer.concat(parts).toString('base64')])
      },
    }
  })
  return found
}

describe('tar', () => {
  it('unpacks what it packed, with any names, sizes and chunks', async () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 150 }).filter((text) => !text.includes('\0'))
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(name, fc.uint8Array({ maxLength: 1_600 })), { maxLength: 6 }),
        fc.integer({ min: 1, max: 3_000 }),
        async (files, chunk) => {
          const members = files.map(([name, bytes]) => ({
            header: { name, type: 'file' as const, size: bytes.length, mode: 0o644, mtime: 1 },
            content: [Buffer.from(bytes)],
          }))
          expect(await entriesOf(Buffer.concat(await Array.fromAsync(packTar(members))), chunk)).toEqual(
            files.map(([path, bytes]) => [path, Buffer.from(bytes).toString('base64')]),
          )
        },
      ),
      { numRuns: 60, seed: 7 },
    )
  })

  it('says sizes beyond eight gigabytes', async () => {
    const sizes: number[] = []
    const head = tarHeader({ name: 'a', type: 'file', size: 9e9, mode: 0o644, mtime: 1 })
    const reading = readTar(Readable.from([head]), (header) => {
      sizes.push(header.size)
      return null
    })
    await expect(reading).rejects.toThrow('ends too early')
    expect(sizes).toEqual([9e9])
  })

  it('notices archives that are cut off or damaged', async () => {
    const archive = Buffer.concat([
      tarHeader({ name: 'a', type: 'file', size: 600, mode: 0o644, mtime: 1 }),
      Buffer.alloc(600, 1),
      tarPadding(600),
      tarEnd,
    ])
    await expect(entriesOf(archive.subarray(0, 900))).rejects.toThrow('ends too early')
    const damaged = Buffer.from(archive)
    damaged.writeUInt8(7, 3)
    await expect(entriesOf(damaged)).rejects.toThrow('damaged')
  })
})

describe('zip', () => {
  it('reads stored and deflated members', async () => {
    const entries = await readZip(
      makeZip([
        { name: 'a/', content: Buffer.alloc(0), stored: true },
        { name: 'a/b.txt', content: Buffer.from('hello '.repeat(50)) },
        { name: 'c', content: Buffer.from('x'), stored: true },
      ]),
    )
    expect(entries.map((entry) => entry.name)).toEqual(['a/', 'a/b.txt', 'c'])
    expect((await entries[1]?.read())?.toString()).toBe('hello '.repeat(50))
    expect((await entries[2]?.read())?.toString()).toBe('x')
  })

  it('refuses damage, unsafe names and bombs', async () => {
    const archive = makeZip([{ name: 'a', content: Buffer.from('content'), stored: true }])
    archive.write('C', 31)
    await expect((await readZip(archive))[0]?.read()).rejects.toThrow('damaged')
    await expect(readZip(Buffer.from('no zip'))).rejects.toThrow('no ZIP')
    await expect(readZip(makeZip([{ name: 'bomb', content: Buffer.alloc(3_000_000) }]))).rejects.toThrow(
      'expands too far',
    )
    for (const name of ['../x', '/x', 'a/../../x', 'a\\b', 'C:x'])
      await expect(readZip(makeZip([{ name, content: Buffer.from('x') }]))).rejects.toThrow('unsafe')
    expect(() => assertSafePath('a/..b/c..')).not.toThrow()
  })

  it('terminates with any kind of damage', async () => {
    const archive = makeZip([
      { name: 'a/', content: Buffer.alloc(0), stored: true },
      { name: 'a/b.txt', content: Buffer.from('hello '.repeat(50)) },
      { name: 'c', content: Buffer.from('x'.repeat(40)), stored: true },
    ])
    const change = fc.tuple(fc.nat(archive.length - 1), fc.nat(255))
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
        const bytes = Buffer.from(archive)
        for (const [at, value] of changes) bytes.writeUInt8(value, at)
        const read = async () => {
          for (const entry of await readZip(bytes)) await entry.read()
        }
        await read().catch(() => null)
      }),
      { numRuns: 1500 },
    )
  })
})
