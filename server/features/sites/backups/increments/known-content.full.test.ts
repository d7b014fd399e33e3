import { createHash } from 'node:crypto'
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import { zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packTar } from '#server/platform/files/tar.ts'
import { bitsFor, cutContent, maxPieces } from './cut-content.ts'
import { incrementOf, packIncrement, putTogether, readIncrement } from './increment-archive.ts'
import { compareContent, contentOf } from './known-content.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'known-content-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Bytes that look like chance, the same ones in each run. */
function chance(seed: string) {
  let number = 0
  const bytes = (length: number): Buffer => {
    const blocks: Buffer[] = []
    for (let at = 0; at < length; at += 64)
      blocks.push(
        createHash('sha512')
          .update(`${seed} ${(number += 1)}`)
          .digest(),
      )
    return Buffer.concat(blocks).subarray(0, length)
  }
  return { bytes, below: (limit: number): number => bytes(6).readUIntLE(0, 6) % limit }
}

interface Content {
  readonly files: Buffer[]
  readonly rows: string[]
}

const mb = 1_000_000
const siteBytes = 10 * mb
const fileBytes = 100_000

const tarOf = ({ files, rows }: Content): Promise<Buffer> => {
  const member = (name: string, content: Buffer) => ({
    header: { name, type: 'file' as const, size: content.length, mode: 0o644, mtime: 0 },
    content: [content],
  })
  const all = files.map((file, at) => member(`files/wp-content/uploads/${at}.jpg`, file))
  return buffer(Readable.from(packTar([...all, member('database.sql', Buffer.from(rows.join('')))])))
}

const ways: Record<string, (content: Content, next: ReturnType<typeof chance>) => void> = {
  'of the files, and the rows where people work': ({ files, rows }, { bytes, below }) => {
    for (let count = 0; count < files.length * 0.02; count += 1) {
      const at = below(files.length)
      files[at] = bytes((files[at]?.length ?? 0) + below(1_000))
    }
    for (let count = 0; count < rows.length * 0.02; count += 1) rows.push(rowOf(bytes))
  },
  'of the bytes, anywhere in files and rows': ({ files, rows }, { bytes, below }) => {
    for (let left = 0.02 * files.length * fileBytes; left > 0;) {
      const number = below(files.length)
      const file = Buffer.from(files[number] ?? '')
      left -= bytes(Math.min(left, 4_096 + below(60_000))).copy(file, below(file.length))
      files[number] = file
    }
    for (let count = 0; count < rows.length * 0.02; count += 1) rows[below(rows.length)] = rowOf(bytes)
  },
}

const rowOf = (bytes: (length: number) => Buffer): string =>
  `INSERT INTO wp_posts VALUES ('${bytes(450).toString('hex')}');\n`

test.each(Object.entries(ways))(
  '30 backups of which two percent change a day take at most 1.8 times the site: %s',
  async (way, change) => {
    const next = chance(way)
    const files = Array.from({ length: 90 }, () => next.bytes(fileBytes))
    const content: Content = { files, rows: Array.from({ length: 1_100 }, () => rowOf(next.bytes)) }
    const name = (day: number) => `backup${String(day).padStart(4, '0')}`
    const path = (day: number) => join(folder, name(day))
    const tar = await tarOf(content)
    await writeFile(path(0), tar)
    const bits = bitsFor(siteBytes)
    let known = (await contentOf(name(0), Readable.from([tar]), bits)) ?? expect.fail()
    let stored = zstdCompressSync(tar).length
    for (let day = 1; day < 30; day += 1) {
      change(content, next)
      const whole = await tarOf(content)
      const added = join(folder, 'added')
      const into = await open(added, 'w')
      const compared =
        (await compareContent(name(day), Readable.from([whole]), { ...known, bits }, into)) ?? expect.fail()
      await into.close()
      const about = { backup: name(day), site: 'shop', created: '2026-01-02T03:04:05Z' }
      const packed = await packIncrement(compared, about)
      const archive = await buffer(Readable.from(incrementOf(packed, added)))
      await writeFile(path(day), archive)
      stored += zstdCompressSync(archive).length
      known = packed.content
      const increment = await readIncrement(path(day))
      expect(increment?.about.needs).toEqual(packed.needs)
      const paths = new Map([...packed.needs, name(day)].map((one) => [one, join(folder, one)]))
      const again = await buffer(Readable.from(putTogether(increment ?? expect.fail(), paths)))
      expect(again.equals(whole)).toBe(true)
    }
    expect(stored).toBeLessThan(1.8 * siteBytes)
    // What is put together of another archive is not taken for the backup.
    const last = (await readIncrement(path(29))) ?? expect.fail()
    const other = new Map([...last.about.needs, name(29)].map((one) => [one, join(folder, one)]))
    await writeFile(path(0), Buffer.alloc(tar.length))
    await expect(buffer(Readable.from(putTogether(last, other)))).rejects.toThrow('another one')
    other.delete(name(0))
    await expect(buffer(Readable.from(putTogether(last, other)))).rejects.toThrow(`needs the backup ${name(0)}`)
    expect(await readIncrement(path(0))).toBeNull()
  },
  240_000,
)

test('content that was made to fall into very many pieces is not listed, and not compared', async () => {
  const bits = bitsFor(1)
  const cuts = async (piece: Buffer) => {
    const pieces = []
    for await (const one of cutContent(Readable.from([Buffer.concat([piece, piece])]), bits)) pieces.push(one.length)
    return pieces[0] === piece.length
  }
  const piece = Buffer.alloc(2 ** (bits - 2) + 2)
  for (let end = 0; !(await cuts(piece)); end += 1) piece.writeUInt16BE(end, piece.length - 2)
  const chunk = Buffer.concat(Array.from({ length: 1_024 }, () => piece))
  const many = () => Readable.from(Array.from({ length: maxPieces / 1_024 + 1 }, () => chunk))
  expect(await contentOf('full', many(), bits)).toBeNull()
  const known = await contentOf('full', Readable.from([chunk]), bits)
  const added = { appendFile: async () => undefined }
  expect(await compareContent('next', many(), { ...(known ?? expect.fail()), bits }, added)).toBeNull()
})
