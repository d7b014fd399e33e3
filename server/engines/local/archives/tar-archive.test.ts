import { closeSync, openSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { pack } from 'tar-stream'
import { packTar } from '#server/platform/files/tar.ts'
import type { SiteArchive } from './site-archive.ts'
import { readTarArchive } from './tar-archive.ts'

let folder: string
let number = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tar-archive-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function reading<T>(archive: Buffer, work: (archive: SiteArchive) => Promise<T>): Promise<T> {
  number += 1
  const path = join(folder, `${number}.tar.zst`)
  writeFileSync(path, archive)
  const open = [openSync(path, 'r')]
  try {
    const part = { fd: open[0] ?? -1, start: 0, size: archive.length }
    return await work(await readTarArchive(part, { parts: join(folder, String(number)), keep: (fd) => open.push(fd) }))
  } finally {
    for (const fd of open) closeSync(fd)
  }
}

const tarOf = (files: Readonly<Record<string, string>>): Promise<Buffer> =>
  buffer(
    Readable.from(
      packTar(
        Object.entries(files).map(([name, content]) => ({
          header: {
            name,
            type: name.endsWith('/') ? ('directory' as const) : ('file' as const),
            ...{ size: Buffer.byteLength(content), mode: 0o644, mtime: 1 },
          },
          content: [Buffer.from(content)],
        })),
      ),
    ),
  )

it('reads what it is given, with long and foreign names', async () => {
  const long = `files/${'folder/'.repeat(30)}${'n'.repeat(200)}.txt`
  const files = { 'files/': '', 'files/a.txt': 'a'.repeat(1_000), [long]: 'long', 'files/Ünïcode 日本.txt': '' }
  const found = await reading(zstdCompressSync(await tarOf(files)), ({ members }) =>
    Promise.all(
      members.map(async ({ path, isFolder, read }) => [
        isFolder ? `${path}/` : path,
        await text(Readable.from(await read())),
      ]),
    ),
  )
  expect(Object.fromEntries(found)).toEqual(files)
})

it.each([
  ['a link', { name: 'files/a', type: 'symlink', linkname: '/etc/passwd' }],
  ['a hard link', { name: 'files/a', type: 'link', linkname: 'files/b' }],
  ['a device', { name: 'files/a', type: 'block-device' }],
  ['a path that leads out', { name: '../a' }],
  ['an absolute path', { name: '/etc/a' }],
  ['a path that leads out in the middle', { name: 'files/../../a' }],
] as const)('refuses %s', async (_what, header) => {
  const packer = pack()
  packer.entry({ name: 'files/b' }, 'b')
  packer.entry(header, '')
  packer.finalize()
  await expect(reading(zstdCompressSync(await buffer(packer)), async () => undefined)).rejects.toMatchObject({
    code: 'invalid',
  })
})

it('reads what a stream packed, which can end with an empty frame', async () => {
  const tar = await tarOf({ 'files/a.txt': 'x'.repeat(5_000) })
  const packed = [zstdCompressSync(tar), zstdCompressSync(Buffer.alloc(0))]
  expect(await reading(Buffer.concat(packed), async ({ members }) => members.length)).toBe(1)
})

it('refuses what is there twice, cut off, or changed', async () => {
  const tar = await tarOf({ 'files/a.txt': 'x'.repeat(5_000), 'files/b.txt': 'y' })
  const twice = Buffer.concat([tar.subarray(0, 512 * 11), tar])
  const packed = zstdCompressSync(tar)
  const changed = Buffer.from(tar)
  changed[124] = 0x37
  for (const bad of [
    zstdCompressSync(twice),
    packed.subarray(0, packed.length - 5),
    zstdCompressSync(tar.subarray(0, 2_000)),
    zstdCompressSync(changed),
    Buffer.concat([packed.subarray(0, 4), Buffer.from('no archive')]),
    Buffer.concat([packed, Buffer.from('more')]),
    Buffer.concat([packed, packed]),
    zstdCompressSync(Buffer.concat([tar, tar])),
  ])
    await expect(reading(bad, async () => undefined)).rejects.toMatchObject({ code: 'invalid' })
})

it('refuses what expands without end', async () => {
  const bomb = zstdCompressSync(Buffer.alloc(80 * 1_048_576))
  expect(bomb.length).toBeLessThan(60_000)
  await expect(reading(bomb, async () => undefined)).rejects.toMatchObject({ code: 'invalid' })
})
