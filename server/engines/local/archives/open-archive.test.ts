import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FileRefusal } from '#server/platform/tree-files/refusal.ts'
import { checkedContent } from '#server/platform/tree-files/unpack-members.ts'
import { makeDupArchive, makeWpress, updraftDump, wpressPackage, zipOf } from './archive-fixture.ts'
import { withSiteArchive } from './open-archive.ts'
import type { SiteArchive } from './site-archive.ts'
import { assertPartsFit } from './updraft-set.ts'

let folder: string
let counter = 0

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'archives-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** What an archive has, with the content of its files. */
async function read(bytes: Buffer): Promise<SiteArchive & { files: Record<string, string> }> {
  counter += 1
  const archive = join(folder, String(counter))
  await writeFile(archive, bytes)
  return withSiteArchive({ archive, parts: `${archive}.parts` }, async (found) => {
    const files: Record<string, string> = {}
    for (const member of found.members) {
      if (member.isFolder) continue
      const chunks: Buffer[] = []
      for await (const chunk of checkedContent(member)) chunks.push(chunk)
      files[member.path] = Buffer.concat(chunks).toString('utf8')
    }
    return { ...found, files }
  })
}
const refusalOf = (bytes: Buffer): Promise<string> =>
  read(bytes).then(
    () => 'none',
    (error: unknown) => {
      if (error instanceof FileRefusal) return error.message
      throw error
    },
  )

describe('All-in-One WP Migration', () => {
  const files = [
    wpressPackage(),
    { path: 'database.sql', content: 'SQL' },
    { path: 'uploads/2024/05/ü.txt', content: 'there' },
    { path: 'plugins/own/own.php', content: '' },
  ]

  test.each([false, true])('is read with its facts; checksums: %s', async (sums) => {
    const found = await read(makeWpress(files, { sums }))
    expect(Object.keys(found.files)).toEqual(files.map(({ path }) => path))
    expect(found.files).toMatchObject({ 'uploads/2024/05/ü.txt': 'there', 'database.sql': 'SQL' })
    expect(found.source).toBe('wpress')
    expect(found.facts).toMatchObject({
      ...{ dump: 'database.sql', prefix: 'SERVMASK_PREFIX_', newPrefix: 'wp_', isNetwork: false, phpVersion: '8.2' },
      active: { plugins: ['own/own.php'], template: 'twentytwentyfour', stylesheet: 'twentytwentyfour' },
    })
  })

  test('any files come back as they were written', async () => {
    const name = fc.stringMatching(/^[a-z0-9][a-z0-9 _-]{0,20}$/).filter((text) => text.trim() === text)
    const path = fc.array(name, { minLength: 2, maxLength: 5 }).map((names) => `uploads/${names.join('/')}.txt`)
    const file = fc.record({ path, content: fc.string({ maxLength: 10_000, unit: 'grapheme' }) })
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(file, { maxLength: 20, selector: ({ path: one }) => one }),
        fc.boolean(),
        async (made, sums) => {
          const found = await read(makeWpress([wpressPackage(), ...made], { sums }))
          for (const { path: one, content } of made)
            expect(found.files[one]).toBe(Buffer.from(content).toString('utf8'))
          expect(Object.keys(found.files)).toHaveLength(made.length + 1)
        },
      ),
      { numRuns: 60 },
    )
  })

  test('an archive that is cut off anywhere, or has a byte too many, is refused', async () => {
    const whole = makeWpress(files, { sums: true })
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: whole.length - 1 }), async (length) => {
        expect(await refusalOf(whole.subarray(0, length))).not.toBe('none')
      }),
      { numRuns: 60 },
    )
    expect(await refusalOf(Buffer.concat([whole, Buffer.alloc(1)]))).toContain('cut off')
    expect(await refusalOf(makeWpress(files, { end: Buffer.alloc(0) }))).toContain('cut off')
    expect(await refusalOf(makeWpress(files, { end: Buffer.alloc(4376) }))).toContain('cut off')
  })

  test.each([
    ['a path that leads out', { path: 'uploads/../../../etc/cron', content: 'x' }, 'path that is not allowed'],
    ['an absolute path', { path: '/etc/cron.d/x', content: 'x' }, 'path that is not allowed'],
    ['a name with a path', { path: 'uploads/a.txt', name: '../a.txt', content: 'x' }, 'path that is not allowed'],
    ['a name with a slash', { path: 'uploads/a.txt', name: 'b/a.txt', content: 'x' }, 'header that can’t be read'],
    ['a backslash', { path: 'uploads/a.txt', name: '..\\a.txt', content: 'x' }, 'path that is not allowed'],
    ['a size that is no number', { path: 'a.txt', size: '1e3', content: 'x' }, 'header that can’t be read'],
    ['a negative size', { path: 'a.txt', size: '-1', content: 'x' }, 'header that can’t be read'],
    ['no size', { path: 'a.txt', size: '', content: 'x' }, 'header that can’t be read'],
    ['a size beyond the end', { path: 'a.txt', size: '99999999999999', content: 'x' }, 'cut off at a.txt'],
    ['a size that takes in the next header', { path: 'a.txt', size: '4000', content: 'x' }, 'cut off'],
    ['a size too small', { path: 'a.txt', size: '1', content: 'xy' }, ''],
    ['another checksum', { path: 'a.txt', sum: '00000001', content: 'xy' }, 'damaged: a.txt'],
    ['a file twice', { path: 'database.sql', content: 'xy' }, 'twice: database.sql'],
    ['a file below a file', { path: 'database.sql/x', content: 'xy' }, 'below a file'],
  ])('%s is refused', async (_what, file, message) => {
    const refusal = await refusalOf(makeWpress([...files, file]))
    expect(refusal).not.toBe('none')
    expect(refusal).toContain(message)
  })

  test('what can’t be read is told apart', async () => {
    expect(await refusalOf(makeWpress([wpressPackage({ Encrypted: true })]))).toContain('protected by a password')
    expect(await refusalOf(makeWpress([wpressPackage({ Compression: { Enabled: true, Type: 'bzip2' } })]))).toContain(
      'compressed with bzip2',
    )
    expect(await refusalOf(makeWpress([{ path: 'package.json', content: '[' }]))).toContain('cut off')
    const network = await read(makeWpress([wpressPackage(), { path: 'multisite.json', content: '{}' }]))
    expect(network.facts.isNetwork).toBe(true)
  })

  test('compressed files are unpacked; damaged ones are refused by name', async () => {
    const about = wpressPackage({ Compression: { Enabled: true, Type: 'gzip' } })
    // Longer than a piece, and hard to compress.
    let state = 1
    const next = () => (state = (state * 48_271) % 2_147_483_647)
    const long = Buffer.from(Array.from({ length: 1_300_000 }, () => 32 + (next() % 90))).toString('latin1')
    const all = [
      about,
      ...files.slice(1),
      { path: 'uploads/long.txt', content: long },
      { path: 'own.json', content: '{}' },
    ]
    for (const sums of [false, true]) {
      const whole = makeWpress(all, { sums, compressed: true })
      const found = await read(whole)
      expect(found.files).toEqual(Object.fromEntries(all.map(({ path, content }) => [path, content])))
      expect(found.facts).toMatchObject({ dump: 'database.sql', phpVersion: '8.2', isNetwork: false })
    }
    for (const content of ['\0\0\0\x04abcd', '\0\0\0\x05abc', 'abc', '\xff\xff\xff\xff', '\0\0\0\0'])
      expect(
        await refusalOf(makeWpress([about, { path: 'a.txt', content: Buffer.from(content, 'latin1') }])),
      ).toContain('damaged: a.txt')
    const bomb = Buffer.concat([Buffer.alloc(4), deflateSync(Buffer.alloc(512_001))])
    bomb.writeUInt32BE(bomb.length - 4)
    expect(await refusalOf(makeWpress([about, { path: 'a.txt', content: bomb }]))).toContain('damaged: a.txt')
  })

  test('what is active can’t be a path that leads out', async () => {
    const plugins = ['a/a.php', '../../x.php', 'b\\..\\x.php', 7]
    const found = await read(makeWpress([wpressPackage({ Plugins: plugins, Template: '../x', Stylesheet: null })]))
    expect(found.facts.active).toEqual({ plugins: ['a/a.php'], template: null, stylesheet: null })
  })
})

describe('UpdraftPlus', () => {
  const begin = 'backup_2024-05-01-1000_My_site_0123456789ab'
  const uploads = zipOf({ 'uploads/2024/': '', 'uploads/2024/there.txt': 'there' })
  const set = {
    [`${begin}-db.gz`]: updraftDump('SQL', { prefix: 'abc_' }),
    [`${begin}-plugins.zip`]: zipOf({ 'plugins/own/own.php': '<?php' }),
    [`${begin}-uploads.zip`]: uploads,
    [`${begin}-uploads2.zip`]: zipOf({ 'uploads/2024/': '', 'uploads/2024/more.txt': 'more' }),
    [`log.0123456789ab.txt`]: 'log',
  }

  test.each([true, false])(
    'is read in place and, packed once more, by way of our folder; stored: %s',
    async (stored) => {
      const found = await read(zipOf(set, { stored }))
      expect(found.source).toBe('updraftplus')
      expect(found.facts).toMatchObject({ prefix: 'abc_', newPrefix: null, isNetwork: false, phpVersion: '8.2' })
      expect(found.files).toMatchObject({
        'plugins/own/own.php': '<?php',
        'uploads/2024/there.txt': 'there',
        'uploads/2024/more.txt': 'more',
      })
      expect(found.files[found.facts.dump ?? '']).toMatch(/^# WordPress MySQL[^]*SQL$/)
      expect(Object.keys(found.files)).toHaveLength(4)
      const parts = await readdir(join(folder, `${counter}.parts`)).catch(() => [])
      expect(parts).toEqual(stored ? [] : ['0.zip', '1.zip', '2.zip'])
    },
  )

  test('is recognized whatever its files are called', async () => {
    const renamed = Object.fromEntries(Object.values(set).map((content, number) => [`my files/${number}`, content]))
    expect((await read(zipOf(renamed))).source).toBe('updraftplus')
  })

  test('a WordPress with a backup in it is a WordPress', async () => {
    const inside = { 'wp-content/updraft/x-db.gz': updraftDump('SQL'), 'wp-content/themes/own/style.css': '/* */' }
    expect((await read(zipOf(inside))).source).toBeNull()
    expect((await read(zipOf({ 'wp-content/updraft/x-db.gz': updraftDump('SQL') }))).source).toBe('updraftplus')
  })

  test('packed parts that are larger together than any upload are refused', () => {
    const packed = { path: 'x-uploads.zip', size: 2 ** 31, stored: null }
    expect(() => assertPartsFit([packed])).not.toThrow()
    expect(() => assertPartsFit([packed, packed])).toThrow('expands too far: x-uploads.zip')
    expect(() => assertPartsFit([packed, { ...packed, stored: { start: 0, size: 2 ** 31 } }])).not.toThrow()
  })

  test('names parts that are missing, and those that are not imported', async () => {
    const { [`${begin}-uploads.zip`]: _first, ...rest } = set
    const core = zipOf({ 'wpcore/wp-includes/version.php': '<?php' })
    const { facts } = await read(
      zipOf({
        ...rest,
        [`${begin}-uploads4.zip`]: uploads,
        [`${begin}-wpcore.zip`]: core,
        [`${begin}-more.zip`]: uploads,
      }),
    )
    expect(facts.missingParts).toEqual([`${begin}-uploads.zip`, `${begin}-uploads3.zip`])
    expect(facts.leftOutParts).toEqual([`${begin}-wpcore.zip`, `${begin}-more.zip`])
  })

  test('what is wrong with a set is refused by name', async () => {
    expect(await refusalOf(zipOf({ ...set, 'other-db.gz': updraftDump('SQL') }))).toContain('several backups')
    expect(await refusalOf(zipOf({ [`${begin}-db.gz.crypt`]: 'x', a: uploads }))).toContain('encrypted')
    expect(await refusalOf(updraftDump('SQL'))).toContain('only the database')
    expect(await refusalOf(gzipSync('text'))).toContain('no archive that can be imported')
    expect(await refusalOf(zipOf({ ...set, 'again.zip': uploads }))).toContain('twice')
    expect(await refusalOf(zipOf({ ...set, 'bad.zip': uploads.subarray(0, -30) }))).toContain('damaged: bad.zip')
    expect(await refusalOf(zipOf({ ...set, 'bad.zip': zipOf({ '../x': 'x' }) }))).toContain('path that is not allowed')
    const cut = updraftDump('SQL')
    expect(await refusalOf(zipOf({ ...set, [`${begin}-db.gz`]: cut.subarray(0, -4) }))).toContain('damaged')
    expect(
      (await read(zipOf({ ...set, [`${begin}-db.gz`]: updraftDump('', { network: true }) }))).facts.isNetwork,
    ).toBe(true)
  })
})

describe('Duplicator', () => {
  const description = JSON.stringify({ wp_tableprefix: 'abc_', version_php: '8.1.2', mu_mode: 0, blogname: 'My site' })
  const hash = '0123456-05011000'

  test.each<Record<string, string | Buffer>>([
    { [`dup-installer/dup-database__${hash}.sql`]: 'SQL', [`dup-installer/dup-archive__${hash}.txt`]: description },
    {
      [`dup-installer/dup_descriptors_${hash}/db_dumps/20240501-dump.sql.gz`]: gzipSync('SQL'),
      [`dup-installer/dup_descriptors_${hash}/archive.txt`]: description,
    },
  ])('is read with its description (%#)', async (members) => {
    const found = await read(zipOf({ 'wp-content/themes/own/style.css': '/* */', ...members }))
    expect(found.source).toBe('duplicator')
    expect(found.facts).toMatchObject({ prefix: 'abc_', phpVersion: '8.1', title: 'My site', isNetwork: false })
    expect(found.files[found.facts.dump ?? '']).toBe('SQL')
  })

  test('a description that says nonsense says nothing', async () => {
    const said = JSON.stringify({ wp_tableprefix: "a'; DROP", version_php: 8, mu_mode: 2, blogname: {} })
    const members = {
      [`dup-installer/dup-database__${hash}.sql`]: 'SQL',
      [`dup-installer/dup-archive__${hash}.txt`]: said,
    }
    expect((await read(zipOf(members))).facts).toMatchObject({
      prefix: null,
      phpVersion: null,
      title: null,
      isNetwork: true,
    })
  })

  const own = {
    'wp-content/': '',
    'wp-content/themes/own/style.css': '/* ü */',
    'wp-content/uploads/empty.txt': '',
    [`dup-installer/dup-archive__${hash}.txt`]: description,
    [`dup-installer/dup-database__${hash}.sql`]: 'SQL'.repeat(700),
  }

  test.each([
    { version: 1, compressed: false },
    { version: 1, compressed: true },
    { version: 5, compressed: false },
    { version: 5, compressed: true },
  ] as const)('its own format is read: version $version, compressed: $compressed', async (form) => {
    const found = await read(makeDupArchive({ ...own, 'wp-content//': '' }, { ...form, globBytes: 1_000 }))
    const { 'wp-content/': _folder, ...files } = own
    expect(found.files).toEqual(files)
    expect(found.source).toBe('duplicator')
    expect(found.facts).toMatchObject({ prefix: 'abc_', phpVersion: '8.1', title: 'My site', isNetwork: false })
    expect(found.facts.dump).toBe(`dup-installer/dup-database__${hash}.sql`)
  })

  test('any files in its own format come back as they were written', async () => {
    const path = fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,20}$/).map((name) => `uploads/${name}.txt`)
    const files = fc.dictionary(path, fc.string({ maxLength: 10_000, unit: 'grapheme' }), { maxKeys: 20 })
    const form = fc.record({
      version: fc.constantFrom(1, 5),
      compressed: fc.boolean(),
      globBytes: fc.integer({ min: 1, max: 5_000 }),
    })
    await fc.assert(
      fc.asyncProperty(files, form, async (made, how) => {
        const found = await read(makeDupArchive(made, how))
        for (const [one, content] of Object.entries(made))
          expect(found.files[one]).toBe(Buffer.from(content).toString('utf8'))
        expect(Object.keys(found.files)).toHaveLength(Object.keys(made).length)
      }),
      { numRuns: 40 },
    )
  })

  test('an archive in its own format that is cut off anywhere in a file is refused', async () => {
    const whole = makeDupArchive(own)
    const before = makeDupArchive(Object.fromEntries(Object.entries(own).slice(0, -1))).length
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: before + 1, max: whole.length - 1 }), async (length) => {
        expect(await refusalOf(whole.subarray(0, length))).not.toBe('none')
      }),
      { numRuns: 60 },
    )
    expect(await refusalOf(Buffer.concat([whole, Buffer.alloc(1)]))).toContain('cut off or damaged at dup-installer')
    expect(await refusalOf(Buffer.from('<A><V>00005</V><C>1</C></A>'))).toContain('cut off or damaged.')
  })

  test.each([
    ['a path that leads out', { '../x.php': 'x' }, {}, 'path that is not allowed'],
    ['an absolute path', { '/etc/cron.d/x': 'x' }, {}, 'path that is not allowed'],
    ['a file below a file', { a: 'x', 'a/b': 'x' }, {}, 'below a file'],
    ['another checksum', { a: 'x' }, { sum: '00000000' }, 'damaged: a'],
    ['a piece of nothing', { a: 'x' }, { size: '0' }, 'cut off or damaged at __dup__'],
    ['a piece that is smaller', { a: 'xyz' }, { size: '9' }, 'damaged: a'],
    ['a piece that is larger', { a: 'x'.repeat(50) }, { size: '9' }, 'damaged'],
    ['what expands too far', { a: 'x'.repeat(9_000_000) }, { globBytes: 10_000_000 }, 'expands too far: a'],
    ['a password', { a: 'x' }, { encrypted: true }, 'protected by a password'],
  ] as const)('in its own format, %s is refused', async (_what, files, form, message) => {
    expect(await refusalOf(makeDupArchive(files, form))).toContain(message)
  })
})
