import { gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tarEnd, ustar } from '#tests/support/raw-tar.ts'
import type { SiteSpec } from '../../engine.ts'
import {
  contentIn,
  having,
  packedFrom,
  saying,
  startSabotage,
  swapped,
  takeApart,
  tarOf,
  type Member,
  type Sabotage,
  type Whole,
} from '#tests/support/sabotage.ts'

/*
 * What can be wrong inside of an archive that is the one that was stored: each is found, none is proven, and what came of it takes the
 * place of no site. What can become of archives where they lie is in `server/features/sites/backups/sabotage.full.test.ts`.
 */

let s: Sabotage

beforeAll(async () => {
  s = await startSabotage()
})
afterAll(() => s?.end())

it('finds each bit that is another one, and each end that is missing', async () => {
  const site = await s.fixture.create({ siteType: 'html' })
  for (let at = 0; at < 20; at += 1) await s.fixture.writeFile(site, `page-${at}.html`, `${at} ${Math.sqrt(at)} text`)
  const { archive } = await s.packed(site)
  expect(await s.verdictOn(site, archive)).toEqual([])
  for (const share of [0.05, 0.2, 0.4, 0.6, 0.8]) {
    const at = Math.floor(archive.length * share)
    const flipped = Buffer.from(archive)
    flipped[at] = (flipped[at] ?? 0) ^ 0x10
    // What is between the files, like the time of one, is not of the site.
    if (!zstdSame(archive, flipped)) expect([share, await s.verdictOn(site, flipped)]).not.toEqual([share, []])
    expect(await s.verdictOn(site, archive.subarray(0, at))).toBe('unreadable')
  }
  const changed = swapped(archive, [['3 text', '3 next']])
  expect(await s.verdictOn(site, changed)).toMatchObject([{ evidence: expect.stringMatching(/^files\/page-/) }])
}, 600_000)

it('says nothing of a site of which no page was seen', async () => {
  const { archive } = await s.packed(await s.fixture.create({ siteType: 'html' }))
  const [pages = ''] = /"pages": \[[^\]]*\]/.exec(zstdDecompressSync(archive).toString('latin1')) ?? []
  const site = await s.fixture.create({ siteType: 'html' })
  expect(await s.verdictOn(site, swapped(archive, [[pages, '"pages": []'.padEnd(pages.length)]]))).toBe('inconclusive')
}, 300_000)

function zstdSame(one: Buffer, other: Buffer): boolean {
  try {
    return zstdDecompressSync(one).equals(zstdDecompressSync(other))
  } catch {
    return false
  }
}

const extra = (name: string, content = 'extra'): Member => ({ name, content: Buffer.from(content) })
const special = (name: string, flag: string, size = 0): Member => ({
  name,
  content: Buffer.alloc(0),
  header: ustar({ name, flag, size, mode: 0o644, mtime: 1 }),
})
const last = <T>(list: readonly T[]): T[] => list.slice(-1)

/** What damages a backup, of which there is an older one and one of another site. */
const damages: readonly (readonly [what: string, (of: Whole, older: Whole, other: Whole) => Buffer])[] = [
  ['is empty', () => Buffer.alloc(0)],
  ['is compressed otherwise', ({ archive }) => gzipSync(zstdDecompressSync(archive))],
  ['is not compressed', ({ archive }) => zstdDecompressSync(archive)],
  ['has something behind its compressed end', ({ archive }) => Buffer.concat([archive, Buffer.from('more')])],
  ['has another archive behind it', ({ archive }, _older, other) => Buffer.concat([archive, other.archive])],
  ['expands without end', () => zstdCompressSync(Buffer.alloc(80 * 1_048_576))],
  [
    'has members behind its end',
    ({ members }) => zstdCompressSync(Buffer.concat([tarOf(members), tarOf([extra('files/late.html')])])),
  ],
  ['has no end', ({ members }) => zstdCompressSync(tarOf(members).subarray(0, -tarEnd.length))],
  ['ends before its manifest', ({ members }) => packedFrom(members.slice(0, -1))],
  [
    'has a header whose sum is wrong',
    ({ members }) => {
      const tar = tarOf(members)
      tar[5] = (tar[5] ?? 0) ^ 1
      return zstdCompressSync(tar)
    },
  ],
  [
    'has a member that is longer than the archive',
    ({ members }) => packedFrom([special('files/long.html', '0', 0o7777777), ...members]),
  ],
  [
    'has a file twice',
    ({ members }) => packedFrom([...members.filter(({ name }) => name.endsWith('b.html')), ...members]),
  ],
  ['has its manifest twice', ({ members }) => packedFrom([...members, ...last(members)])],
  ['has a file more', ({ members }) => packedFrom([extra('files/more.html'), ...members])],
  ['has a file beside those of the site', ({ members }) => packedFrom([extra('more.php'), ...members])],
  ['has a link', ({ members }) => packedFrom([special('files/link.html', '2'), ...members])],
  ['has a hard link', ({ members }) => packedFrom([special('files/link.html', '1'), ...members])],
  ['has a device', ({ members }) => packedFrom([special('files/device', '3'), ...members])],
  ['has a path that leads out', ({ members }) => packedFrom([extra('files/../../out.html'), ...members])],
  ['has an absolute path', ({ members }) => packedFrom([extra('/etc/cron.d/out'), ...members])],
  ['has a file below a file', ({ members }) => packedFrom([extra('files/a.html/below.html'), ...members])],
  [
    'has a folder in place of a file',
    (whole) =>
      packedFrom([...having(whole, { 'files/a.html': null }), { ...extra('files/a.html/', ''), isFolder: true }]),
  ],
  ['lacks a file', (whole) => packedFrom(having(whole, { 'files/a.html': null }))],
  [
    'has a file of another name',
    ({ members }) =>
      packedFrom(members.map((one) => (one.name === 'files/a.html' ? { ...one, name: 'files/A.html' } : one))),
  ],
  ['has an empty file', (whole) => packedFrom(having(whole, { 'files/a.html': '' }))],
  [
    'has a longer file',
    (whole) => packedFrom(having(whole, { 'files/a.html': `${String(contentIn(whole, 'files/a.html'))}\n` })),
  ],
  [
    'has two files exchanged',
    (whole) =>
      packedFrom(
        having(whole, {
          'files/a.html': contentIn(whole, 'files/b.html'),
          'files/b.html': contentIn(whole, 'files/a.html'),
        }),
      ),
  ],
  [
    'has the older state of a file',
    (whole, older) => packedFrom(having(whole, { 'files/a.html': contentIn(older, 'files/a.html') })),
  ],
  [
    'has the manifest of an older one',
    (whole, older) => packedFrom(having(whole, { 'manifest.json': contentIn(older, 'manifest.json') })),
  ],
  [
    'has the manifest of another site',
    (whole, _older, other) => packedFrom(having(whole, { 'manifest.json': contentIn(other, 'manifest.json') })),
  ],
  [
    'has the files of another site',
    (whole, _older, other) => packedFrom([...other.members.slice(0, -1), ...last(whole.members)]),
  ],
  ['has an empty manifest', (whole) => packedFrom(having(whole, { 'manifest.json': '' }))],
  [
    'has a manifest that is cut off',
    (whole) => packedFrom(having(whole, { 'manifest.json': contentIn(whole, 'manifest.json').subarray(0, -30) })),
  ],
  ['has a manifest of a newer format', (whole) => packedFrom(saying(whole, (said) => ({ ...said, version: 2 })))],
  ['has a manifest from elsewhere', (whole) => packedFrom(saying(whole, (said) => ({ ...said, format: 'backup' })))],
  ['is said to be a WordPress', (whole) => packedFrom(saying(whole, (said) => ({ ...said, type: 'wp' })))],
  [
    'is said to have a database',
    (whole) =>
      packedFrom(saying(whole, (said) => ({ ...said, database: { file: 'database.sql', bytes: 0, sha256: '' } }))),
  ],
  [
    'has a file that its manifest does not name',
    (whole) => packedFrom(saying(whole, (said) => ({ ...said, files: said.files.slice(1) }))),
  ],
  [
    'has a manifest that names a file more',
    (whole) =>
      packedFrom(
        saying(whole, (said) => ({ ...said, files: [...said.files, { path: 'gone.html', size: 1, sha256: '' }] })),
      ),
  ],
  [
    'has a manifest that names a file twice',
    (whole) => packedFrom(saying(whole, (said) => ({ ...said, files: [...said.files, ...last(said.files)] }))),
  ],
  [
    'has a manifest with another size',
    (whole) =>
      packedFrom(
        saying(whole, (said) => ({ ...said, files: said.files.map((one) => ({ ...one, size: one.size + 1 })) })),
      ),
  ],
  [
    'had another homepage',
    (whole) =>
      packedFrom(
        saying(whole, (said) => ({ ...said, pages: said.pages.map((one) => ({ ...one, title: 'Another' })) })),
      ),
  ],
  [
    'had a homepage with another status',
    (whole) =>
      packedFrom(saying(whole, (said) => ({ ...said, pages: said.pages.map((one) => ({ ...one, status: 500 })) }))),
  ],
]

describe('an archive of files', () => {
  let site: SiteSpec
  let whole: Whole
  let older: Whole
  let other: Whole
  const state = async () => [
    (await s.fixture.fetch(site, '/a.html')).body,
    (await s.fixture.engine.files.list(site, '')).entries.length,
  ]

  beforeAll(async () => {
    site = await s.fixture.create({ siteType: 'html' })
    const put = async (text: string) => {
      for (const name of ['index', 'a', 'b'])
        await s.fixture.writeFile(site, `${name}.html`, `<html><title>Kept</title>${name} ${text}</html>`)
      return takeApart((await s.packed(site)).archive)
    }
    ;[older, whole] = [await put('yesterday'), await put('today')]
    const elsewhere = await s.fixture.create({ siteType: 'html' })
    await s.fixture.writeFile(elsewhere, 'index.html', '<html><title>Elsewhere</title></html>')
    other = await takeApart((await s.packed(elsewhere)).archive)
    // Taking it apart and packing it again is no damage.
    expect(await s.verdictOn(site, packedFrom(whole.members))).toEqual([])
  }, 300_000)

  it.each(damages)(
    'that %s is found',
    async (_what, damage) => {
      const before = await state()
      const verdict = await s.verdictOn(site, damage(whole, older, other))
      expect(verdict).not.toEqual([])
      expect(verdict).not.toBe('inconclusive')
      expect(await state()).toEqual(before)
    },
    120_000,
  )

  it.each([
    ['a changed file', () => having(whole, { 'files/a.html': 'other' })],
    ['a missing file', () => having(whole, { 'files/a.html': null })],
    ['a file more', () => [extra('files/more.html'), ...whole.members]],
  ])(
    'with %s takes the place of no site',
    async (_what, members) => {
      const before = await state()
      await s.verdictOn(site, packedFrom(members()), async (rehearsal, archive) =>
        s.expectRefused(site, rehearsal, archive, 'damaged'),
      )
      await expect(s.newSiteOf(site, packedFrom(members()))).rejects.toMatchObject({
        ...{ code: 'invalid', message: expect.stringContaining('damaged') },
      })
      expect(await state()).toEqual(before)
    },
    120_000,
  )
})
