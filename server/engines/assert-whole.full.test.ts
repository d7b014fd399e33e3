import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { zstdCompressSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { packTar } from '#server/platform/files/tar.ts'
import { assertWhole } from './assert-whole.ts'
import { manifestPieces, type SiteManifest } from './site-manifest.ts'

const root = mkdtempSync(join(tmpdir(), 'whole-'))
afterAll(() => rm(root, { recursive: true, force: true }))

const sumOf = (content: string) => ({
  size: content.length,
  sha256: createHash('sha256').update(content).digest('hex'),
})

/** An archive of files and a dump that has other rows than its manifest says; `changed`: what a file has instead. */
async function archiveOf(files: Readonly<Record<string, string>>, changed: Readonly<Record<string, string>> = {}) {
  const dump = 'INSERT INTO `log` VALUES (1);\n'
  const { size: bytes, sha256 } = sumOf(dump)
  const counts = { posts: 0, pages: 0, comments: 0, uploads: 0, plugins: 0, themes: 0, users: 0 }
  const manifest: SiteManifest = {
    ...{ format: 'easydash-site', version: 1, created: '2026-01-02T03:04:05Z', site: 'shop.example', engine: 'ee' },
    ...{ type: 'php', url: 'https://shop.example', title: null, php_version: '8.4', wordpress_version: null },
    ...{ table_prefix: null, tables: { log: 2 }, counts, pages: [], left_out: [] },
    database: { file: 'database.sql', bytes, sha256 },
    files: Object.entries(files).map(([path, content]) => ({ path, ...sumOf(content) })),
  }
  const members: (readonly [string, Buffer])[] = [
    ...Object.entries({ ...files, ...changed }).map(
      ([path, content]) => [`files/${path}`, Buffer.from(content)] as const,
    ),
    ['database.sql', Buffer.from(dump)],
    ['manifest.json', Buffer.concat([...manifestPieces(manifest)])],
  ]
  const tar = packTar(
    members.map(([name, content]) => ({
      header: { name, type: 'file' as const, size: content.length, mode: 0o644, mtime: 0 },
      content: [content],
    })),
  )
  return buffer(tar)
}

const archive = join(root, 'site.tar.zst')
const never = new AbortController().signal

test('the checksum of the dump says that its rows are there, however they are counted', async () => {
  await writeFile(archive, zstdCompressSync(await archiveOf({ 'index.php': 'whole' })))
  await assertWhole(archive, never)
})

test('files that are not as the manifest says are named', async () => {
  const files = { 'index.php': 'whole', 'same.php': 'same' }
  await writeFile(archive, zstdCompressSync(await archiveOf(files, { 'index.php': 'other' })))
  await expect(assertWhole(archive, never)).rejects.toMatchObject({
    ...{ code: 'invalid', message: 'The backup is damaged: it is not as it was backed up (files/index.php).' },
  })
})

test('an abort ends it in the middle of a file', async () => {
  const tar = await archiveOf({ 'large.bin': randomBytes(4_000_000).toString('hex') })
  const [pipe, aborting] = [join(root, 'pipe'), new AbortController()]
  execFileSync('mkfifo', [pipe])
  const comparing = assertWhole(pipe, aborting.signal)
  const writing = await open(pipe, 'w')
  try {
    // More than any buffer holds, so it is being read when this is written. The rest of the file never comes.
    await writing.write(zstdCompressSync(tar.subarray(0, 6_000_000)))
    aborting.abort(new Error('stopped'))
    await expect(comparing).rejects.toThrow('stopped')
  } finally {
    await writing.close()
  }
})
