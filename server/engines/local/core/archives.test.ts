import { Readable } from 'node:stream'
import { crc32, deflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readTar, tarEnd, tarHeader, tarPadding } from '#server/platform/tar.ts'
import { assertSafePath, readZip } from './zip.ts'

/** A ZIP archive as a plain writer makes it. */
function zipOf(files: Array<{ name: string; content: Buffer; stored?: boolean }>): Buffer {
  const locals: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const { name, content, stored } of files) {
    const packed = stored === true ? content : deflateRawSync(content)
    const nameBytes = Buffer.from(name)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt16LE(stored === true ? 0 : 8, 4)
    common.writeUInt32LE(crc32(content), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(content.length, 18)
    common.writeUInt16LE(nameBytes.length, 22)
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), common, nameBytes, packed])
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(offset, 10)
    central.push(Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0000', 'latin1'), common, tail, nameBytes]))
    locals.push(local)
    offset += local.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(22)
  end.write('PK\u0005\u0006', 'latin1')
  end.writeUInt16LE(files.length, 8)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...locals, directory, end])
}

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
  it('gives back what it packed, whatever the names, sizes and chunks', async () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 150 }).filter((text) => !text.includes('\0'))
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(name, fc.uint8Array({ maxLength: 1_600 })), { maxLength: 6 }),
        fc.integer({ min: 1, max: 3_000 }),
        async (files, chunk) => {
          const packed = files.flatMap(([path, bytes]) => [
            tarHeader({ name: path, type: 'file', size: bytes.length, mode: 0o644, mtime: 1 }),
            Buffer.from(bytes),
            tarPadding(bytes.length),
          ])
          expect(await entriesOf(Buffer.concat([...packed, tarEnd]), chunk)).toEqual(
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
    const entries = readZip(
      zipOf([
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
    const archive = zipOf([{ name: 'a', content: Buffer.from('content'), stored: true }])
    archive.write('C', 31)
    await expect(readZip(archive)[0]?.read()).rejects.toThrow('damaged')
    expect(() => readZip(Buffer.from('no zip'))).toThrow('no ZIP')
    expect(() => readZip(zipOf([{ name: 'bomb', content: Buffer.alloc(3_000_000) }]))).toThrow('expands too far')
    for (const name of ['../x', '/x', 'a/../../x', 'a\\b', 'C:x'])
      expect(() => readZip(zipOf([{ name, content: Buffer.from('x') }]))).toThrow('unsafe')
    expect(() => assertSafePath('a/..b/c..')).not.toThrow()
  })
})
