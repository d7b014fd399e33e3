import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createZstdDecompress, gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packTar, readTar } from '#server/platform/files/tar.ts'
import { exportFormat } from '../site-manifest.ts'
import { noCounts } from '../seen-pages.ts'
import { archivePaths, writeArchive } from './pack-archive.ts'
import { filesInManifest } from '../manifest-reader.ts'
import { dumpIn, filesIn, manifestIn } from './unpack-archive.ts'

let folder: string
let number = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pack-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** A tar file as a server sends it. */
const sent = async (...files: readonly (readonly [name: string, content: string])[]): Promise<Buffer> => {
  const members = files.map(([name, content]) => ({
    header: { name, type: 'file' as const, size: content.length, mode: 0o644, mtime: 1 },
    content: [Buffer.from(content)],
  }))
  return gzipSync(await buffer(Readable.from(packTar(members))))
}

/** Writes an archive of what a server sent. Returns its folder. */
async function write(files: Buffer, dump: Buffer | null = null, type: 'wp' | 'html' = 'wp'): Promise<string> {
  number += 1
  const into = join(folder, String(number))
  await writeArchive(
    {
      folder: into,
      manifest: {
        ...{ format: exportFormat.name, version: exportFormat.version, created: '', site: 'a.example', engine: 'ee' },
        ...{ type, url: 'http://a.example', title: null, php_version: null, wordpress_version: null },
        ...{ table_prefix: 'x_', counts: noCounts, pages: [], left_out: [] },
      },
      files: Readable.from([files.subarray(0, 100), files.subarray(100)]),
      dump: dump === null ? null : Readable.from([dump]),
    },
    { operationId: 'op', log: () => undefined, progress: () => undefined, signal: AbortSignal.timeout(60_000) },
  )
  return into
}

/** Names of the files that a restore sends to a server. */
async function sentBack(archive: string, type: 'wp' | 'html'): Promise<string[]> {
  const names: string[] = []
  await readTar(Readable.from([gunzipSync(await buffer(filesIn(archive, type)))]), ({ name }) => {
    names.push(name)
    return null
  })
  return names
}

const table =
  "CREATE TABLE `x_posts` (\n  `ID` int\n);\nINSERT INTO `x_posts` VALUES (1,'(a),(b)'),(2,'it\\'s; (c)');\n"
const view = '/*!50013 DEFINER=`root`@`%` SQL SECURITY DEFINER */\n'

test('an archive has what the server sent, with checksums and rows; a restore reads the same again', async () => {
  const files = await sent(['./index.php', '<?php'], ['./wp-content/a b.txt', 'x'.repeat(200_000)])
  const { archive } = archivePaths(await write(files, gzipSync(table + view)))
  const { manifest } = await manifestIn(archive)
  const listed = await Array.fromAsync(filesInManifest(createReadStream(archivePaths(join(archive, '..')).manifest)))
  expect(manifest.tables).toEqual({ x_posts: 2 })
  expect(manifest.files).toBe(listed.length)
  expect(listed.map(({ path, size }) => [path, size])).toEqual([
    ['index.php', 5],
    ['wp-content/a b.txt', 200_000],
    ['wp-config.php', expect.any(Number)],
  ])
  const dump = gunzipSync(await buffer(dumpIn(archive))).toString()
  expect(dump).toContain("it\\'s; (c)")
  expect(dump).not.toContain('DEFINER=')
  expect(manifest.database?.sha256).toBe(createHash('sha256').update(dump).digest('hex'))
  expect(await sentBack(archive, 'wp')).toEqual(['index.php', 'wp-content/a b.txt'])
  const config = await buffer(createReadStream(archive).pipe(createZstdDecompress()))
  expect(config.includes("$table_prefix = 'x_'")).toBe(true)
})

test('a site without WordPress keeps every file, whatever its name', async () => {
  const { archive } = archivePaths(await write(await sent(['wp-config.php', 'old']), null, 'html'))
  expect(await sentBack(archive, 'html')).toEqual(['wp-config.php'])
})

test('what a hostile server sends ends the work, and leaves nothing', async () => {
  const good = await sent(['a', 'x'.repeat(10_000)])
  const before = await readdir(folder)
  for (const [files, code] of [
    [await sent(['../a', 'x']), 'invalid'],
    [await sent(['a/../../b', 'x']), 'invalid'],
    [await sent(['a', 'x'], ['./a', 'y']), 'invalid'],
    [good.subarray(0, 40), 'unavailable'],
    [gzipSync(gunzipSync(good).subarray(0, 700)), 'unavailable'],
    [Buffer.from('no archive'.repeat(50)), 'unavailable'],
  ] as const)
    await expect(write(files), `${files.length}`).rejects.toMatchObject({ code })
  for (const dump of ['no gzip', gzipSync(''), gzipSync('-- Dump completed\n')])
    await expect(write(good, Buffer.from(dump))).rejects.toMatchObject({ code: 'unavailable' })
  expect(await readdir(folder)).toEqual(before)
})
