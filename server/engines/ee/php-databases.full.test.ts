import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { zstdCompressSync } from 'node:zlib'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runSteps } from '#tests/contracts/run-steps.ts'
import { startEeServer, type EeServer } from '#tests/support/ee-server.ts'
import { packTar } from '#server/platform/files/tar.ts'
import type { SiteSpec } from '../engine.ts'
import { manifestPieces } from '../site-manifest.ts'
import { thisMachine } from '../site-ref.ts'
import { startFixture, type EngineFixture } from '../local/engine-fixture.ts'

let t: EeServer
let local: EngineFixture
let site: SiteSpec
let archive: string

beforeAll(async () => {
  local = await startFixture()
  t = await startEeServer()
  site = await t.create({ siteType: 'php', withDatabase: true, title: 'Orders' })
  archive = join(t.root, 'orders.tar.zst')
}, 300_000)
afterAll(async () => {
  await local?.end()
  await t?.end()
})

const inApp = ({ domain }: Pick<SiteSpec, 'domain'>, path: string) =>
  join(t.root, 'opt/easyengine/sites', domain, 'app', path)
const databases = join('var/lib/simulated/databases')
const databaseOf = async ({ id }: Pick<SiteSpec, 'id'>) =>
  (await readdir(join(t.root, databases))).find((name) => name.includes(id))
const tablesOf = async (of: Pick<SiteSpec, 'id'>) => {
  const text = await readFile(join(t.root, databases, (await databaseOf(of)) ?? ''), 'utf8')
  return (JSON.parse(text) as { tables: Record<string, string> }).tables
}
const write = async (of: Pick<SiteSpec, 'id'>, tables: Record<string, string>, routines: readonly string[] = []) =>
  writeFile(join(t.root, databases, (await databaseOf(of)) ?? ''), JSON.stringify({ tables, routines }))
const orders = (...rows: readonly string[]) => ({
  orders: `CREATE TABLE \`orders\` (\n  \`id\` int\n);\nINSERT INTO \`orders\` VALUES ${rows.join(',')};`,
})
/** What the file says that is there for the code of a site. */
const loginOf = async (of: Pick<SiteSpec, 'domain'>) =>
  Object.fromEntries(
    [...(await readFile(inApp(of, 'database.php'), 'utf8')).matchAll(/'(\w+)' => '(.*)',/g)].map(([, key, value]) => [
      String(key),
      String(value),
    ]),
  )

test('a PHP site has a database if that was wanted, and its code is told the login', async () => {
  const login = await loginOf(site)
  expect(login).toMatchObject({ host: 'global-db', port: '3306', name: (await databaseOf(site))?.replace('.json', '') })
  expect((await stat(inApp(site, 'database.php'))).mode & 0o777).toBe(0o400)
  expect(await t.engine.observe(site)).toMatchObject({ state: 'running', hasDatabase: true })
  const plain = await t.create({ siteType: 'php' })
  expect(await databaseOf(plain)).toBeUndefined()
  expect(await t.engine.observe(plain)).toMatchObject({ state: 'running', hasDatabase: false })
  await runSteps(t.engine.backups.packSteps(plain))
  expect((await t.engine.backups.packed(plain)).manifest).toMatchObject({ type: 'php', database: null })
  await t.engine.backups.removePacked(plain)
  await t.engine.destroy(plain)
  expect(await t.engine.observe(plain)).toMatchObject({ state: 'absent' })
  // Nothing but the script that reads it has the password.
  expect(JSON.stringify([await t.effects(), await t.violations()])).not.toContain(login['password'])
}, 60_000)

test('without a database it needs an EasyEngine that notes whose it is', async () => {
  const version = join(t.root, 'var/lib/simulated/easyengine')
  await writeFile(version, '4.7.4')
  await expect(t.create({ siteType: 'php' })).rejects.toMatchObject({
    ...{ code: 'unavailable', message: expect.stringContaining('needs EasyEngine 4.7.5 or later') as string },
  })
  await rm(version)
}, 60_000)

test('its backup has a dump, which takes the place of what is there, and that comes back', async () => {
  await write(site, orders('(1)', '(2)'))
  await writeFile(inApp(site, 'htdocs/config.php'), `<?php // ${Object.values(await loginOf(site)).join(' ')}`)
  const log = await runSteps(t.engine.backups.packSteps(site), AbortSignal.timeout(250_000), 'pack')
  expect(log.filter((line) => line.startsWith('Left out'))).toEqual([])
  const { file, manifest } = await t.engine.backups.packed(site)
  expect(manifest).toMatchObject({ type: 'php', tables: { orders: 2 }, table_prefix: null, counts: { posts: 0 } })
  await pipeline(file.open(), createWriteStream(archive))
  await t.engine.backups.removePacked(site)

  const later = { ...orders('(1)', '(2)', '(3)'), further: 'CREATE TABLE `further` (`id` int);' }
  await write(site, later)
  await writeFile(inApp(site, 'htdocs/note.txt'), 'later')
  const { restores } = t.engine
  const restored = async (what: 'all' | 'files' | 'database') => {
    await runSteps(restores.restoreSteps(site, { rehearsal: site, archive }, what), AbortSignal.timeout(300_000), what)
    await restores.finishRestore(site)
    const note = await readFile(inApp(site, 'htdocs/note.txt'), 'utf8').catch(() => null)
    const seen = [Object.keys(await tablesOf(site)), note]
    await runSteps(restores.bringBackSteps(site), AbortSignal.timeout(300_000), `back-${what}`)
    await restores.finishRestore(site)
    expect([await tablesOf(site), await readFile(inApp(site, 'htdocs/note.txt'), 'utf8')]).toEqual([later, 'later'])
    return seen
  }
  expect(await restored('all')).toEqual([['orders'], null])
  expect(await restored('files')).toEqual([['orders', 'further'], null])
  expect(await restored('database')).toEqual([['orders'], 'later'])
  const parts = { paths: [], tables: ['orders'] }
  await expect(runSteps(restores.restoreSteps(site, { rehearsal: site, archive }, parts))).rejects.toMatchObject({
    ...{ code: 'unsupported', message: 'Tables of a PHP site come back with its whole database only.' },
  })
  const plain = await t.create({ siteType: 'php' })
  await expect(runSteps(restores.restoreSteps(plain, { rehearsal: plain, archive }, 'all'))).rejects.toMatchObject({
    message: 'The backup has a database, and the site was made without one.',
  })
  expect(await t.violations()).toEqual([])
}, 300_000)

test('so has one whose archive the server makes itself', async () => {
  const { direct } = t.engine.backups
  const recipient = await identityToRecipient(await generateX25519Identity())
  const routines = Array.from({ length: 21 }, (_, n) => `procedure p${n}`)
  await write(site, orders('(1)', "('a),(b')", '(3)'), routines)
  const log = await runSteps(
    direct?.packSteps(site, async () => ({
      recipient,
      attempt: async () => null,
      compare: async () => null,
      keep: async () => undefined,
    })) ?? [],
  )
  expect(log).toContain(`Left out of the dump: ${routines.slice(0, 20).join(', ')} and more`)
  const made = await direct?.packed(site)
  expect(made?.manifest).toMatchObject({ type: 'php', tables: { orders: 3 }, table_prefix: null })
  await t.engine.backups.removePacked(site)
}, 300_000)

test('a copy has the database, and never the login of its original', async () => {
  const target = { ...t.newSpec({ siteType: 'php' }), title: null, adminUser: 'boss' }
  const before = await tablesOf(site)
  const other = `<?php // A file that names ${(await loginOf(site))['name']}.`
  await writeFile(inApp(site, 'htdocs/other.php'), other)
  await runSteps(t.engine.copies.cloneSteps(site, target))
  expect(await tablesOf(target)).toEqual(before)
  const [own, original] = [await loginOf(target), await loginOf(site)]
  const config = await readFile(inApp(target, 'htdocs/config.php'), 'utf8')
  for (const key of ['name', 'user', 'password']) {
    expect(own[key]).not.toBe(original[key])
    expect(config).toContain(own[key])
    expect(config).not.toContain(original[key])
  }
  expect(await readFile(inApp(site, 'htdocs/config.php'), 'utf8')).toContain(original['password'])
  expect(await readFile(inApp(target, 'htdocs/other.php'), 'utf8')).toBe(other)
  await t.engine.destroy(target)
  expect(await databaseOf(target)).toBeUndefined()
  expect(await tablesOf(site)).toEqual(before)
  const staging = { httpAuth: { user: 'guest', password: 'Secret0123456789' } }
  await expect(
    runSteps(
      t.engine.copies.cloneSteps(site, { ...t.newSpec({ siteType: 'php' }), title: null, adminUser: 'boss', staging }),
    ),
  ).rejects.toMatchObject({ code: 'unsupported' })
  expect(await t.violations()).toEqual([])
}, 300_000)

test('a copy is not put in place while its code would use the database of its original', async () => {
  const source = await t.create({ siteType: 'php', withDatabase: true })
  await writeFile(inApp(source, 'htdocs/config.php'), '<?php // short')
  const sqlite = new DatabaseSync(join(t.root, 'opt/easyengine/db/ee.sqlite'))
  sqlite.prepare('UPDATE sites SET db_password = ? WHERE site_url = ?').run('short', source.domain)
  sqlite.close()
  const target = { ...t.newSpec({ siteType: 'php' }), title: null, adminUser: 'boss' }
  await expect(runSteps(t.engine.copies.cloneSteps(source, target))).rejects.toMatchObject({
    ...{ code: 'unavailable', message: expect.stringContaining('be told apart in its code') as string },
  })
  expect(await readdir(inApp(target, 'htdocs'))).not.toContain('config.php')
}, 300_000)

test('its proof reads the dump, and says that it was not loaded', async () => {
  const { engine } = local
  const rehearsal = { ...site, id: 'rehearsed1', domain: 'rehearsed1', server: thisMachine }
  await runSteps(engine.rehearsals.rehearseSteps(rehearsal, archive))
  const verdict = await engine.rehearsals.judge(rehearsal, AbortSignal.timeout(60_000))
  expect(verdict).toMatchObject({ defects: [], inconclusive: expect.stringContaining('it was not loaded') as string })
  expect(verdict.seen).toContainEqual({ what: 'tables', expected: 1, found: 1 })
  await engine.destroy(rehearsal)
}, 300_000)

test('the proof of a dump with more tables than are counted compares those that both sides counted', async () => {
  const names = Array.from({ length: 1_001 }, (_, n) => `t${n}`)
  const dump = Buffer.from(names.map((name) => `CREATE TABLE \`${name}\` (\n  \`id\` int\n);\n`).join(''))
  const counts = { posts: 0, pages: 0, comments: 0, uploads: 0, plugins: 0, themes: 0, users: 0 }
  const sha256 = createHash('sha256').update(dump).digest('hex')
  const manifest = Buffer.concat([
    ...manifestPieces({
      ...{ format: 'easydash-site', version: 1, created: '2026-01-02T03:04:05Z', site: site.domain, engine: 'ee' },
      ...{ type: 'php', url: `https://${site.domain}`, title: null, php_version: '8.4', wordpress_version: null },
      ...{ table_prefix: null, counts, pages: [], left_out: [], files: [] },
      tables: Object.fromEntries(names.slice(1).map((name) => [name, 0])),
      database: { file: 'database.sql', bytes: dump.length, sha256 },
    }),
  ])
  const members = Object.entries({ 'database.sql': dump, 'manifest.json': manifest }).map(([name, content]) => ({
    header: { name, type: 'file' as const, size: content.length, mode: 0o644, mtime: 0 },
    content: [content],
  }))
  const many = join(t.root, 'many.tar.zst')
  await writeFile(many, zstdCompressSync(await buffer(packTar(members))))
  const { engine } = local
  const rehearsal = { ...site, id: 'rehearsed2', domain: 'rehearsed2', server: thisMachine }
  await runSteps(engine.rehearsals.rehearseSteps(rehearsal, many))
  expect((await engine.rehearsals.judge(rehearsal, AbortSignal.timeout(60_000))).defects).toEqual([])
  await engine.destroy(rehearsal)
}, 300_000)
