import { closeSync, openSync, writeSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packTar } from '#server/platform/files/tar.ts'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { readTarArchive, unpackedTar } from './local/archives/tar-archive.ts'
import { readManifest } from './manifest-reader.ts'
import { maxManifestFiles } from './site-manifest.ts'

/** The text of a manifest with so many files, which is nowhere as a whole. */
async function* manifestWith(count: number): AsyncGenerator<Buffer, void, undefined> {
  const counts = { posts: 0, pages: 0, comments: 0, uploads: 0, plugins: 0, themes: 0, users: 0 }
  const head = JSON.stringify({
    ...{ format: 'easydash-site', version: 1, created: '2026-01-02T03:04:05Z', site: 'shop', engine: 'ee' },
    ...{ type: 'wp', url: 'https://shop.example', title: 'Shop', php_version: '8.4', wordpress_version: '6.9' },
    ...{ table_prefix: 'wp_', database: null, tables: {}, counts, pages: [], left_out: [] },
  })
  yield Buffer.from(`${head.slice(0, -1)},"files": [\n`)
  const sha256 = 'a'.repeat(64)
  for (let at = 0; at < count;) {
    let text = ''
    for (const end = Math.min(count, at + 300); at < end; at += 1) {
      const path = `wp-content/uploads/2024/01/a-picture-with-a-rather-long-name-${at}-1024x768.jpg`
      text += `${at === 0 ? '' : ',\n'}    ${JSON.stringify({ path, size: at, sha256 })}`
    }
    yield Buffer.from(text)
  }
  yield Buffer.from('\n  ]}')
}

test('reads a manifest of a million files, of which it keeps none', async () => {
  let [seen, bytes] = [0, 0]
  const said = await readManifest(manifestWith(maxManifestFiles), ({ size }) => {
    seen += 1
    bytes += size
  })
  expect(said).toMatchObject({ site: 'shop', files: maxManifestFiles })
  expect([seen, bytes]).toEqual([maxManifestFiles, (maxManifestFiles * (maxManifestFiles - 1)) / 2])
}, 300_000)

test('keeps no more of the rest of a manifest than tables can need', async () => {
  const text = Buffer.from(`{"format":"easydash-site","title":"${'a'.repeat(9_000_000)}"}`)
  await expect(readManifest(pieces(text))).rejects.toMatchObject({ problem: 'damaged' })
})

async function* pieces(text: Buffer): AsyncGenerator<Buffer, void, undefined> {
  for (let at = 0; at < text.length; at += 65_536) yield text.subarray(at, at + 65_536)
}

test('takes no more than that', async () => {
  await expect(readManifest(manifestWith(maxManifestFiles + 1))).rejects.toMatchObject({ problem: 'damaged' })
}, 300_000)

test('an archive of more files than this machine takes is refused as such, and not as damaged', async () => {
  const parts = await mkdtemp(join(tmpdir(), 'many-files-'))
  const file = openSync(unpackedTar(parts), 'w')
  const open = [file]
  try {
    const header = (name: string) => ({ name, type: 'file' as const, size: 0, mode: 0o644, mtime: 1 })
    const files = Array.from({ length: 400_001 }, (_, at) => ({ header: header(`files/${at}`), content: [] }))
    for await (const chunk of Readable.from(packTar(files))) writeSync(file, chunk as Buffer)
    const reading = readTarArchive({ fd: file, start: 0, size: 0 }, { parts, keep: (fd) => open.push(fd) })
    await expect(reading).rejects.toMatchObject({ code: 'unsupported', message: expect.stringContaining('400000') })
  } finally {
    for (const fd of open) closeSync(fd)
    await rm(parts, { recursive: true })
  }
}, 300_000)
