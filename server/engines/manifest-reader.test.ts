import { expect, test } from 'vitest'
import { createManifestReader, NoManifest } from './manifest-reader.ts'
import { manifestBytes, manifestPieces, networkIn, type ManifestFile, type SiteManifest } from './site-manifest.ts'

const file = (path: string): ManifestFile => ({ path, size: 1, sha256: 'a'.repeat(64) })
const manifest: SiteManifest = {
  ...{ format: 'easydash-site', version: 1, created: '2026-01-02T03:04:05Z', site: 'shop', engine: 'local' },
  ...{ type: 'html', url: 'http://shop.localhost', title: 'A "files": [1, 2] {é😀}', php_version: null },
  ...{ wordpress_version: null, table_prefix: null, database: null, tables: { 'wp_"files"': 3 }, left_out: ['a[b'] },
  files: ['a.txt', 'tï/😀".txt', 'x]},{\\', '\u2028'].map(file),
  counts: { posts: 0, pages: 0, comments: 0, uploads: 0, plugins: 0, themes: 0, users: 0 },
  pages: [{ path: '/', status: 200, title: '[{' }],
}

function read(text: Buffer, size: number) {
  const reader = createManifestReader()
  const files: ManifestFile[] = []
  for (let at = 0; at < text.length; at += size) files.push(...reader.read(text.subarray(at, at + size)))
  return { files, said: reader.end() }
}

test('reads a manifest in pieces of any size, however it is written', () => {
  const { files, ...rest } = manifest
  const text = Buffer.concat([...manifestPieces(manifest)])
  expect(JSON.parse(text.toString())).toEqual(manifest)
  expect(manifestBytes(manifest)).toBe(text.length)
  for (const one of [
    text,
    Buffer.from(JSON.stringify({ files, ...rest })),
    Buffer.from(JSON.stringify(manifest, null, 4)),
  ])
    for (const size of [1, 7, 65_536]) expect(read(one, size)).toEqual({ files, said: { ...rest, files: 4 } })
  const none = { ...manifest, files: [] }
  expect(read(Buffer.concat([...manifestPieces(none)]), 5)).toEqual({ files: [], said: { ...rest, files: 0 } })
})

test.each([
  ['other', { ...manifest, format: 'x' }],
  ['later', { ...manifest, version: 2 }],
  ['damaged', { ...manifest, files: [1] }],
  ['damaged', { ...manifest, files: [{ path: 'a' }] }],
  ['damaged', { ...manifest, files: { path: 'a' } }],
  ['damaged', { ...manifest, files: [file('a'.repeat(40_000))] }],
  ['damaged', { ...manifest, table_prefix: "'" }],
] as const)('says what is wrong: %s', (problem, value) => {
  expect(() => read(Buffer.from(JSON.stringify(value)), 1_000)).toThrow(
    expect.objectContaining({ problem }) as NoManifest,
  )
})

test('says that a text which breaks off is none', () => {
  const text = Buffer.from(JSON.stringify(manifest))
  for (let length = 0; length < text.length; length += 11)
    expect(() => read(text.subarray(0, length), 64)).toThrow(NoManifest)
})

test('a single site with the tables of a network is none, unless its archive is from before the kind was named', () => {
  const { files: _files, ...said } = { ...manifest, table_prefix: 'wp_', tables: { wp_sitemeta: 1 } }
  const summary = { ...said, files: 0 }
  expect(networkIn(summary)).toBe('subdir')
  expect(networkIn({ ...summary, engine: 'ee' })).toBeNull()
  expect(networkIn({ ...summary, network: null })).toBeNull()
  expect(networkIn({ ...summary, network: 'subdom' })).toBe('subdom')
})
