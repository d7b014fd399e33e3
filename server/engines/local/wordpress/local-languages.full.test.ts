import { readdir } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { portOf } from '#server/platform/network/port-of.ts'
import type { SiteSpec } from '../../engine.ts'
import { makeZip, type TestZipMember } from '../core/zip-fixture.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'

let fixture: EngineFixture
let site: SiteSpec
let org: Server
let isDown = false
/** Members of the translation that wordpress.org has. */
let members: TestZipMember[]
/** What happens while a translation is downloaded. */
let beforeDownload: () => Promise<unknown>
const member = (name: string, content = name): TestZipMember => ({ name, content: Buffer.from(content) })
/** A catalog of translations without any: the magic number, version 0, no texts. */
const emptyCatalog = (() => {
  const bytes = Buffer.alloc(28)
  bytes.writeUInt32LE(0x95_04_12_de, 0)
  for (const at of [12, 16, 24]) bytes.writeUInt32LE(28, at)
  return bytes
})()
const good = (): TestZipMember[] => [
  { name: 'de_DE.mo', content: emptyCatalog },
  { name: 'admin-network-de_DE.mo', content: emptyCatalog },
  member('de_DE.po'),
  member('de_DE-0123456789abcdef0123456789abcdef.json', '{}'),
]
const installed = async () =>
  new Set(await readdir(join(fixture.dataDir, 'local/sites', site.id, 'www/wp-content/languages')).catch(() => []))
const staged = async () =>
  readdir(join(fixture.dataDir, 'local/sites', site.id, 'www/wp-content/.easydash-previous/staged')).catch(() => [])

beforeAll(async () => {
  org = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://org')
    if (isDown) response.writeHead(503).end()
    else if (pathname === '/translations/core/1.0/' && searchParams.has('version')) {
      // The newest translation is of an earlier version, and the address is not used: it may lead anywhere.
      const german = { language: 'de_DE', version: '6.4.2', english_name: 'German', native_name: 'Deutsch' }
      const translations = [
        { ...german, package: 'http://elsewhere.example/evil.zip' },
        { ...german, language: '../de_DE' },
        { ...german, language: 'de_AT', version: '../../x' },
        null,
        { language: 'fr_FR', version: '6.4.2' },
      ]
      response.end(JSON.stringify({ translations }))
    } else if (pathname === '/translation/core/6.4.2/de_DE.zip')
      void beforeDownload().then(() => response.end(makeZip(members)))
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => {
    org.listen(0, '127.0.0.1', resolve)
  })
  fixture = await startFixture({ wordpressOrgUrl: `http://127.0.0.1:${portOf(org)}` })
  site = await fixture.create({ siteType: 'wp' })
})
afterAll(async () => {
  await fixture?.end()
  org?.close()
})
beforeEach(() => {
  members = good()
  isDown = false
  beforeDownload = async () => undefined
})

test('lists what wordpress.org has, without what is no locale', async () => {
  expect(await fixture.engine.languages.offered(site)).toEqual({
    reached: true,
    languages: [
      { locale: 'de_DE', name: 'German', native: 'Deutsch' },
      { locale: 'fr_FR', name: 'fr_FR', native: 'fr_FR' },
    ],
  })
  isDown = true
  expect(await fixture.engine.languages.offered(site)).toEqual({ reached: false, languages: [] })
})

test('takes the files of a translation only, none of them code', async () => {
  members.push(
    member('de_DE.l10n.php', '<?php exit;'),
    member('evil.php', '<?php'),
    member('fr_FR.mo'),
    member('plugins/de_DE.mo'),
  )
  await fixture.engine.languages.install(site, 'de_DE')
  expect(await installed()).toEqual(new Set(good().map(({ name }) => name)))
  expect(await staged()).toEqual([])
  const { languages } = await fixture.engine.settings.readWordPress(site)
  expect(languages).toEqual(['en_US', 'de_DE'])
  // It can be chosen, and renewed while it is in use.
  const { values } = await fixture.engine.settings.readWordPress(site)
  const chosen = await fixture.engine.settings.changeWordPress(site, { language: 'de_DE' }, { expected: values })
  expect(chosen).toMatchObject({ refused: [], settings: { values: { language: 'de_DE' } } })
  await fixture.engine.languages.install(site, 'de_DE')
  expect((await fixture.fetch(site, '/')).body).toContain('lang="de-DE"')
})

test.each([
  ['without its main file', () => [member('admin-de_DE.mo')]],
  ['of another language', () => [member('fr_FR.mo')]],
  ['that leaves its folder', () => [member('../de_DE.mo'), ...good()]],
])('refuses an archive %s, and keeps what is installed', async (_what, content) => {
  const before = await installed()
  members = content()
  await expect(fixture.engine.languages.install(site, 'de_DE')).rejects.toThrow()
  expect(await installed()).toEqual(before)
  expect(await staged()).toEqual([])
})

test('says that wordpress.org can’t be reached, or has no such translation', async () => {
  await expect(fixture.engine.languages.install(site, 'nl_NL')).rejects.toMatchObject({ code: 'not_found' })
  isDown = true
  await expect(fixture.engine.languages.install(site, 'de_DE')).rejects.toMatchObject({ code: 'unavailable' })
})

test('leaves nothing of a translation behind if WordPress fails before it is put in place', async () => {
  const before = await installed()
  const config = await fixture.engine.files.read(site, 'wp-config.php')
  beforeDownload = () => fixture.engine.files.write(site, 'wp-config.php', '<?php missing_function();', config.version)
  await expect(fixture.engine.languages.install(site, 'de_DE')).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('missing_function') as string,
  })
  expect(await installed()).toEqual(before)
  expect(await staged()).toEqual([])
  expect(await fixture.engine.files.trash(site), 'nor in the trash').toEqual([])
  const { version } = await fixture.engine.files.read(site, 'wp-config.php')
  await fixture.engine.files.write(site, 'wp-config.php', String(config.content), version)
  beforeDownload = async () => undefined
  await fixture.engine.languages.install(site, 'de_DE')
})
