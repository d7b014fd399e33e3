import { createWriteStream } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listNames } from '#server/platform/files/list-folder.ts'
import { runSteps } from '#tests/contracts/run-steps.ts'
import { eeSpec, startEeServer, type EeServer } from '#tests/support/ee-server.ts'
import { phpReplacement } from '#server/providers/simulator/easyengine/wordpress/wp-upkeep.ts'
import { startFixture, type EngineFixture } from '../local/engine-fixture.ts'
import type { ImportSpec } from '../site-imports.ts'
import { replacements } from './replacements.ts'

let t: EeServer
let fixture: EngineFixture

beforeAll(async () => {
  fixture = await startFixture()
  t = await startEeServer()
})
afterAll(async () => {
  await fixture?.end()
  await t?.end()
})

test('a clone has the address, the limits and the password of its own; the original keeps everything', async () => {
  const source = eeSpec(t.server, { id: 'source0001', domain: 'source.example.com', title: 'Source' })
  await runSteps(t.engine.createSteps(source))
  const httpAuth = { user: 'guest', password: 'Secret0123456789' }
  await t.engine.settings.change(source, { memoryMb: 384, httpAuth })
  const configOf = (domain: string) => join(t.root, 'opt/easyengine/sites', domain, 'app/wp-config.php')
  const config = await readFile(configOf(source.domain), 'utf8')
  const added = String.raw`define( 'SHOP_KEY', 'it\'s \\ 5' );` + "\ndefine( 'WP_POST_REVISIONS', 3 );\n"
  await writeFile(
    configOf(source.domain),
    config.replace('<?php\n', () => `<?php\n${added}define( 'WP_HOME', 'http://a' );\n`),
  )
  const target = { ...source, id: 'target0001', domain: 'target.example.com', title: 'Target', adminUser: 'ann' }
  await runSteps(t.engine.copies.cloneSteps(source, { ...target, httpAuth }))
  expect(await t.engine.settings.read(target)).toMatchObject({ memoryMb: 384, httpAuthUser: 'guest' })
  expect((await t.engine.request(target, '/')).body).toContain('Target')
  expect((await t.engine.request(source, '/')).body).toContain('Source')
  const { rows } = await t.engine.wordpress.users(target, { search: '', page: 0 })
  expect(rows.map(({ login }) => login)).toEqual(['ann'])
  const copied = await readFile(configOf(target.domain), 'utf8')
  for (const line of added.trim().split('\n')) expect(copied).toContain(line)
  expect(copied).not.toContain('WP_HOME')
  // Whoever repeats a finished clone overwrites nothing.
  await t.engine.settings.changeWordPress(target, { title: 'Changed' }, { expected: { title: 'Target' } })
  await runSteps(t.engine.copies.cloneSteps(source, { ...target, httpAuth }))
  expect((await t.engine.request(target, '/')).body).toContain('Changed')
  const log = await readFile(join(t.root, 'var/lib/simulated/effects.log'), 'utf8')
  expect(log).not.toContain(httpAuth.password)
  expect(await t.violations()).toEqual([])
}, 300_000)

test('a backup of a site of this machine becomes a site on a server', async () => {
  const real = await fixture.create({ siteType: 'wp', title: 'From here' })
  await runSteps(fixture.engine.backups.packSteps(real))
  const path = join(t.root, 'from-here.tar.zst')
  await pipeline((await fixture.engine.backups.packed(real)).file.open(), createWriteStream(path))
  const archive = 'a'.repeat(32)
  expect(await t.engine.imports.take(archive, path)).toMatchObject({ siteType: 'wp', title: 'From here' })
  // Its job was ended before it noted that, and what it had fetched is gone.
  await rm(path)
  expect(await t.engine.imports.take(archive, path)).toMatchObject({ siteType: 'wp', title: 'From here' })
  // Where what is a day old is swept away.
  expect(await listNames(join(t.root, '..', 'packed'))).toEqual([])
  const target: ImportSpec = {
    ...{ id: 'import0001', domain: 'imported.example.com', siteType: 'wp', phpVersion: '8.3', server: t.server },
    ...{ archive, fileName: 'from-here.tar.zst', title: null },
  }
  await runSteps(t.engine.imports.importSteps(target))
  const { report, title } = await t.engine.imports.compare(target, AbortSignal.timeout(60_000))
  expect([title, report.defects]).toEqual(['From here', []])
  const page = await t.engine.request(target, '/wp-login.php')
  expect(page.status).toBe(200)
  expect(page.body).not.toContain('localhost')
  await t.engine.imports.discard(archive)
  await expect(t.engine.imports.compare(target, AbortSignal.timeout(60_000))).rejects.toMatchObject({
    code: 'not_found',
  })
  expect(await t.violations()).toEqual([])
}, 300_000)

test.each([
  ['http://old.example.com/a', 'https://new.example.com/a'],
  ['see //old.example.com', 'see //new.example.com'],
  [String.raw`"http:\/\/old.example.com\/a"`, String.raw`"https:\/\/new.example.com\/a"`],
  ['https%3A%2F%2Fold.example.com%2F', 'https%3A%2F%2Fnew.example.com%2F'],
  ['info@old.example.com', 'info@old.example.com'],
  ['https://old.example.company/', 'https://old.example.company/'],
  ['https://shop.old.example.com/', 'https://shop.old.example.com/'],
  ['https://old.example.com:8080/', 'https://old.example.com:8080/'],
  // The digit is none of the number of a group.
  ['http://old.example.com/a', 'https://4ever.example/a', '4ever.example'],
  ['//old.example.com', '//4ever.example', '4ever.example'],
])('%s becomes %s', (text, expected, host = 'new.example.com') => {
  const pairs = replacements('http://old.example.com', `https://${host}`)
  let now = text
  for (let at = 0; at < pairs.length; at += 2)
    now = now.replace(new RegExp(pairs[at] ?? '', 'gi'), (...match) =>
      phpReplacement(pairs[at + 1] ?? '', match.slice(0, -2)),
    )
  expect(now).toBe(expected)
})
