import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SiteSpec } from '../../engine.ts'
import {
  contentIn,
  having,
  packedFrom,
  saying,
  startSabotage,
  swapped,
  takeApart,
  withDump,
  type Sabotage,
  type Whole,
} from '#tests/support/sabotage.ts'

/* The same as `sabotage.full.test.ts`, of what only a WordPress has. */

let s: Sabotage

beforeAll(async () => {
  s = await startSabotage()
})
afterAll(() => s?.end())

it('finds a database that was swapped, and what is not as the manifest says', async () => {
  const site = await s.fixture.create({ siteType: 'wp', title: 'The original' })
  const { archive, manifest } = await s.packed(site)
  const posts = manifest.tables['wp_posts']
  const dump = await s.verdictOn(site, swapped(archive, [['This is an example page', 'This is another copy of']]))
  expect(dump).toMatchObject([{ defect: expect.stringContaining('not the one'), evidence: 'database.sql' }])
  const other = await s.verdictOn(
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

describe('an archive of a WordPress', () => {
  let site: SiteSpec
  let whole: Whole
  let dump: string
  let others: string

  beforeAll(async () => {
    site = await s.fixture.create({ siteType: 'wp', title: 'The original' })
    whole = await takeApart((await s.packed(site)).archive)
    dump = String(contentIn(whole, 'database.sql'))
    const elsewhere = await s.fixture.create({ siteType: 'wp', title: 'Elsewhere' })
    others = String(contentIn(await takeApart((await s.packed(elsewhere)).archive), 'database.sql'))
    expect(await s.verdictOn(site, withDump(whole, dump))).toEqual([])
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
      const verdict = await s.verdictOn(site, archive())
      expect(verdict).not.toEqual([])
      expect(verdict).not.toBe('inconclusive')
    },
    300_000,
  )

  it('without rows of a table takes the place of no site', async () => {
    await s.verdictOn(site, withDump(whole, dump.replace(rowsOf('wp_posts'), '')), async (rehearsal, archive) =>
      s.expectRefused(site, rehearsal, archive, 'wp_posts'),
    )
    expect((await s.fixture.fetch(site, '/')).body).toContain('The original')
  }, 300_000)

  it('with a row that this machine’s database refuses becomes a new site: nothing of it is damaged', async () => {
    const link = "INSERT INTO `wp_links` (`link_id`, `link_name`) VALUES (7, 'one');\n"
    const members = saying(whole, (said) => ({ ...said, tables: { ...said.tables, wp_links: 2 } }))
    const made = await s.newSiteOf(site, withDump({ ...whole, members }, `${dump}\n${link}${link}`))
    const { report } = await s.fixture.engine.imports.compare(made, AbortSignal.timeout(120_000))
    expect(report.defects).toContainEqual(expect.objectContaining({ kind: 'row', what: 'wp_links' }))
    expect((await s.fixture.fetch(made, '/')).body).toContain('The original')
  }, 300_000)
})
