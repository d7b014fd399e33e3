import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EngineError, type SiteSpec } from '../../engine.ts'
import type { SiteManifest } from '../../site-manifest.ts'
import type { BackupDefect } from '#shared/rules/backups.ts'
import { readTar } from '#server/platform/files/tar.ts'
import { pad, tarEnd, tarHeader, ustar } from '#tests/support/raw-tar.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'
import { runAll } from './backup-fixture.ts'

/*
 * What can be wrong inside of an archive that is the one that was stored: each is found, none is proven, and what came of it takes the
 * place of no site. What can become of archives where they lie is in `server/features/sites/backups/sabotage.full.test.ts`.
 */

let fixture: EngineFixture
let folder: string
let number = 0

beforeAll(async () => {
  fixture = await startFixture()
  folder = await mkdtemp(join(tmpdir(), 'sabotage-'))
})
afterAll(async () => {
  await fixture.end()
  await rm(folder, { recursive: true })
})

async function packed(site: SiteSpec): Promise<{ archive: Buffer; manifest: SiteManifest }> {
  await runAll(fixture.engine.backups.packSteps(site))
  const { file, manifest, files } = await fixture.engine.backups.packed(site)
  return { archive: await buffer(file.open()), manifest: { ...manifest, files: await Array.fromAsync(files()) } }
}

type Verdict = 'unreadable' | 'inconclusive' | readonly BackupDefect[]

/** What is found out about an archive: that it can't be read or judged, or its defects. `then` gets what was made of it. */
async function verdictOn(
  site: SiteSpec,
  archive: Buffer,
  then: (rehearsal: SiteSpec, path: string) => Promise<void> = async () => undefined,
): Promise<Verdict> {
  number += 1
  const path = join(folder, `${number}.tar.zst`)
  await writeFile(path, archive)
  const rehearsal = { ...site, id: `sabotage${String(number).padStart(2, '0')}`, domain: `rehearsal-${number}` }
  try {
    await runAll(fixture.engine.rehearsals.rehearseSteps(rehearsal, path))
    const { defects, inconclusive } = await fixture.engine.rehearsals.judge(rehearsal, AbortSignal.timeout(300_000))
    await then(rehearsal, path)
    return inconclusive === null ? defects : 'inconclusive'
  } catch (error) {
    if (error instanceof EngineError && error.code === 'invalid') return 'unreadable'
    throw error
  } finally {
    await fixture.engine.destroy(rehearsal)
    await rm(path)
  }
}

/** The archive with a text in place of another one of the same length. */
function swapped(archive: Buffer, pairs: readonly (readonly [from: string, to: string])[]): Buffer {
  const tar = zstdDecompressSync(archive)
  for (const [from, to] of pairs) {
    const at = tar.lastIndexOf(from)
    expect([from, at, from.length]).toEqual([from, expect.any(Number), to.length])
    expect(at).toBeGreaterThan(0)
    tar.write(to, at)
  }
  return zstdCompressSync(tar)
}

it('finds each bit that is another one, and each end that is missing', async () => {
  const site = await fixture.create({ siteType: 'html' })
  for (let at = 0; at < 20; at += 1) await fixture.writeFile(site, `page-${at}.html`, `${at} ${Math.sqrt(at)} text`)
  const { archive } = await packed(site)
  expect(await verdictOn(site, archive)).toEqual([])
  for (const share of [0.05, 0.2, 0.4, 0.6, 0.8]) {
    const at = Math.floor(archive.length * share)
    const flipped = Buffer.from(archive)
    flipped[at] = (flipped[at] ?? 0) ^ 0x10
    // What is between the files, like the time of one, is not of the site.
    if (!zstdSame(archive, flipped)) expect([share, await verdictOn(site, flipped)]).not.toEqual([share, []])
    expect(await verdictOn(site, archive.subarray(0, at))).toBe('unreadable')
  }
  const changed = swapped(archive, [['3 text', '3 next']])
  expect(await verdictOn(site, changed)).toMatchObject([{ evidence: expect.stringMatching(/^files\/page-/) }])
}, 600_000)

it('says nothing of a site of which no page was seen', async () => {
  const { archive } = await packed(await fixture.create({ siteType: 'html' }))
  const [pages = ''] = /"pages": \[[^\]]*\]/.exec(zstdDecompressSync(archive).toString('latin1')) ?? []
  const site = await fixture.create({ siteType: 'html' })
  expect(await verdictOn(site, swapped(archive, [[pages, '"pages": []'.padEnd(pages.length)]]))).toBe('inconclusive')
}, 300_000)

function zstdSame(one: Buffer, other: Buffer): boolean {
  try {
    return zstdDecompressSync(one).equals(zstdDecompressSync(other))
  } catch {
    return false
  }
}

it('finds a database that was swapped, and what is not as the manifest says', async () => {
  const site = await fixture.create({ siteType: 'wp', title: 'The original' })
  const { archive, manifest } = await packed(site)
  const posts = manifest.tables['wp_posts']
  const dump = await verdictOn(site, swapped(archive, [['This is an example page', 'This is another copy of']]))
  expect(dump).toMatchObject([{ defect: expect.stringContaining('not the one'), evidence: 'database.sql' }])
  const other = await verdictOn(
    site,
    swapped(archive, [
      [`"wp_posts": ${posts}`, '"wp_posts": 9'],
      ['"users": 1', '"users": 7'],
      ['The original', 'Another one.'],
    ]),
  )
  expect(other).toMatchObject([
    { defect: expect.stringContaining('rows'), evidence: `wp_posts: ${posts} instead of 9` },
    { defect: expect.stringContaining('users'), evidence: '1 instead of 7' },
    { defect: expect.stringContaining('title') },
  ])
}, 600_000)

/** A member of an archive; `header` in place of the usual one. */
interface Member {
  readonly name: string
  readonly content: Buffer
  readonly isFolder?: boolean
  readonly header?: Buffer
}
/** A backup whose parts can be exchanged. */
interface Whole {
  readonly archive: Buffer
  readonly members: readonly Member[]
}

async function takeApart(archive: Buffer): Promise<Whole> {
  const members: Member[] = []
  const tar = async function* () {
    yield zstdDecompressSync(archive)
  }
  await readTar(tar(), ({ name, type }) => {
    const chunks: Buffer[] = []
    return {
      write: (chunk) => void chunks.push(chunk),
      end: () => void members.push({ name, content: Buffer.concat(chunks), isFolder: type === 'directory' }),
    }
  })
  return { archive, members }
}

const bytesOf = ({ name, content, isFolder, header }: Member): Buffer =>
  Buffer.concat([
    header ??
      tarHeader({ name, type: isFolder === true ? 'directory' : 'file', size: content.length, mode: 0o644, mtime: 1 }),
    pad(content),
  ])
const tarOf = (members: readonly Member[]): Buffer => Buffer.concat([...members.map(bytesOf), tarEnd])
const packedFrom = (members: readonly Member[]): Buffer => zstdCompressSync(tarOf(members))

/** The members with another content of some; null: without it. */
const having = ({ members }: Whole, changed: Readonly<Record<string, Buffer | string | null>>): Member[] =>
  members.flatMap((member) => {
    const content = changed[member.name]
    if (content === undefined) return [member]
    return content === null ? [] : [{ ...member, content: Buffer.from(content) }]
  })
const contentIn = ({ members }: Whole, name: string): Buffer => {
  const member = members.find((one) => one.name === name)
  if (member === undefined) throw new Error(`The archive has no ${name}`)
  return member.content
}
type Said = SiteManifest & Record<string, unknown>
const saying = (whole: Whole, change: (said: Said) => object): Member[] =>
  having(whole, { 'manifest.json': JSON.stringify(change(JSON.parse(String(contentIn(whole, 'manifest.json'))))) })
/** The archive with another dump, of which the manifest says that it is its own. */
function withDump(whole: Whole, dump: string): Buffer {
  const sha256 = createHash('sha256').update(dump).digest('hex')
  const database = { file: 'database.sql', bytes: Buffer.byteLength(dump), sha256 }
  return packedFrom(
    having({ ...whole, members: saying(whole, (said) => ({ ...said, database })) }, { 'database.sql': dump }),
  )
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
    (await fixture.fetch(site, '/a.html')).body,
    (await fixture.engine.files.list(site, '')).entries.length,
  ]

  beforeAll(async () => {
    site = await fixture.create({ siteType: 'html' })
    const put = async (text: string) => {
      for (const name of ['index', 'a', 'b'])
        await fixture.writeFile(site, `${name}.html`, `<html><title>Kept</title>${name} ${text}</html>`)
      return takeApart((await packed(site)).archive)
    }
    ;[older, whole] = [await put('yesterday'), await put('today')]
    const elsewhere = await fixture.create({ siteType: 'html' })
    await fixture.writeFile(elsewhere, 'index.html', '<html><title>Elsewhere</title></html>')
    other = await takeApart((await packed(elsewhere)).archive)
    // Taking it apart and packing it again is no damage.
    expect(await verdictOn(site, packedFrom(whole.members))).toEqual([])
  }, 300_000)

  it.each(damages)(
    'that %s is found',
    async (_what, damage) => {
      const before = await state()
      const verdict = await verdictOn(site, damage(whole, older, other))
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
      await verdictOn(site, packedFrom(members()), async (rehearsal, archive) => {
        const { restores } = fixture.engine
        await expect(runAll(restores.restoreSteps(site, { rehearsal, archive }, 'all'))).rejects.toMatchObject({
          code: 'invalid',
          message: expect.stringContaining('damaged'),
        })
        expect(await restores.undoRestore(site, 'op')).toBe('undone')
      })
      expect(await state()).toEqual(before)
    },
    120_000,
  )
})

describe('an archive of a WordPress', () => {
  let site: SiteSpec
  let whole: Whole
  let dump: string
  let others: string

  beforeAll(async () => {
    site = await fixture.create({ siteType: 'wp', title: 'The original' })
    whole = await takeApart((await packed(site)).archive)
    dump = String(contentIn(whole, 'database.sql'))
    const elsewhere = await fixture.create({ siteType: 'wp', title: 'Elsewhere' })
    others = String(contentIn(await takeApart((await packed(elsewhere)).archive), 'database.sql'))
    expect(await verdictOn(site, withDump(whole, dump))).toEqual([])
  }, 600_000)

  /** The part of the dump that makes a table. */
  const partOf = (table: string): string =>
    /\nDROP TABLE IF EXISTS [^]*?(?=\nDROP TABLE IF EXISTS |\n-- End of the dump)/.exec(
      dump.slice(dump.indexOf(`\nDROP TABLE IF EXISTS \`${table}\``)),
    )?.[0] ?? ''
  const rowsOf = (table: string): string => partOf(table).slice(partOf(table).indexOf('INSERT INTO'))

  it.each<[what: string, archive: () => Buffer]>([
    ['has the dump of another site', () => packedFrom(having(whole, { 'database.sql': others }))],
    ['lacks its dump', () => packedFrom(having(whole, { 'database.sql': null }))],
    ['has an empty dump that its manifest knows', () => withDump(whole, '')],
    ['has a dump that was cut off', () => withDump(whole, dump.slice(0, dump.length / 2))],
    [
      'has a dump that was cut between two tables',
      () => withDump(whole, dump.slice(0, dump.indexOf('\nDROP TABLE IF EXISTS `wp_terms`'))),
    ],
    ['has a dump without a table', () => withDump(whole, dump.replace(partOf('wp_comments'), ''))],
    ['has a dump without an empty table', () => withDump(whole, dump.replace(partOf('wp_links'), ''))],
    ['has a dump without the rows of a table', () => withDump(whole, dump.replace(rowsOf('wp_posts'), ''))],
    [
      'has a dump with rows twice',
      () =>
        withDump(
          whole,
          dump.replace(rowsOf('wp_term_taxonomy'), (rows) => `${rows}${rows.replace(/\(1, /, '(77, ')}`),
        ),
    ],
    [
      'has a table more',
      () =>
        withDump(
          whole,
          `${dump}\nCREATE TABLE \`wp_more\` (\`id\` int);\nINSERT INTO \`wp_more\` (\`id\`) VALUES (1);\n`,
        ),
    ],
    [
      'has a statement that reads files',
      () => withDump(whole, `${dump}\nLOAD DATA INFILE '/etc/passwd' INTO TABLE \`wp_posts\`;\n`),
    ],
    ['had another prefix', () => packedFrom(saying(whole, (said) => ({ ...said, table_prefix: 'other_' })))],
    [
      'had more of a table',
      () => packedFrom(saying(whole, (said) => ({ ...said, tables: { ...said.tables, wp_posts: 99 } }))),
    ],
    ['had no tables', () => packedFrom(saying(whole, (said) => ({ ...said, tables: {} })))],
    ['had more users', () => packedFrom(saying(whole, (said) => ({ ...said, counts: { ...said.counts, users: 7 } })))],
    [
      'lacks a file of WordPress that its manifest does not name',
      () =>
        packedFrom(
          having(
            {
              ...whole,
              members: saying(whole, (said) => ({
                ...said,
                files: said.files.filter(({ path }) => path !== 'wp-includes/post.php'),
              })),
            },
            { 'files/wp-includes/post.php': null },
          ),
        ),
    ],
  ])(
    'that %s is found',
    async (_what, archive) => {
      const verdict = await verdictOn(site, archive())
      expect(verdict).not.toEqual([])
      expect(verdict).not.toBe('inconclusive')
    },
    300_000,
  )

  it('without rows of a table takes the place of no site', async () => {
    await verdictOn(site, withDump(whole, dump.replace(rowsOf('wp_posts'), '')), async (rehearsal, archive) => {
      const { restores } = fixture.engine
      for (const what of ['all', 'database'] as const) {
        await expect(runAll(restores.restoreSteps(site, { rehearsal, archive }, what))).rejects.toMatchObject({
          code: 'invalid',
          message: expect.stringContaining('wp_posts'),
        })
        expect(await restores.undoRestore(site, 'op')).toBe('undone')
      }
    })
    expect((await fixture.fetch(site, '/')).body).toContain('The original')
  }, 300_000)
})
