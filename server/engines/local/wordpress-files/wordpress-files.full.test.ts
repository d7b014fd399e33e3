import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { portOf } from '#server/platform/network/port-of.ts'
import type { SiteSpec } from '../../engine.ts'
import { makeZip } from '../core/zip-fixture.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'

let fixture: EngineFixture
let site: SiteSpec
let org: Server
let folder: string
let asked: string[] = []
const www = (path: string) => join(fixture.dataDir, 'local', 'sites', site.id, 'www', path)
const verify = async (id: string) => (await fixture.engine.originals.verifyPackages(site)).find((one) => one.id === id)
const compare = (path: string) => fixture.engine.originals.compare(site, path)
const md5 = (text: string) => createHash('md5').update(text).digest('hex')
const header = (name: string, version: string) => `<?php\n/*\nPlugin Name: ${name}\nVersion: ${version}\n*/\n`

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'originals-'))
  const published = {
    '/plugin-checksums/known/1.2.json': {
      files: { 'known.php': { md5: md5(header('Known', '1.2')), sha256: 'x' }, 'readme.txt': { md5: ['a', 'b'] } },
    },
  }
  org = createServer((request, response) => {
    const path = request.url ?? ''
    asked.push(path)
    const found = Object.entries(published).find(([known]) => known === path)?.[1]
    if (found) response.end(JSON.stringify(found))
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
  await rm(folder, { recursive: true, force: true })
})

test('an uploaded plugin is verified with the ZIP file it came from, and its changed, added and missing files are named', async () => {
  const file = join(folder, 'tool.zip')
  const members = [
    ['tool/tool.php', header('Tool', '1.0')],
    ['tool/lib/a.php', '<?php // a'],
    ['tool/lib/b.php', '<?php // b'],
  ].map(([name = '', content = '']) => ({ name, content: Buffer.from(content) }))
  await writeFile(file, makeZip(members))
  await fixture.engine.packages.stage(site, file, { id: 'tool' })
  await fixture.engine.packages.install(site, 'plugin', { staged: 'tool' }, { operationId: 'tool' })
  expect(await verify('tool')).toEqual({
    ...{
      type: 'plugin',
      id: 'tool',
      name: 'Tool',
      version: '1.0',
      source: 'uploaded',
      unchecked: null,
      restorable: true,
    },
    ...{ checked: 3, changed: [], added: [], missing: [], truncated: false },
  })
  await writeFile(www('wp-content/plugins/tool/lib/a.php'), '<?php // A')
  await writeFile(www('wp-content/plugins/tool/lib/évil <b>.php'), 'x')
  await rm(www('wp-content/plugins/tool/lib/b.php'))
  expect(await verify('tool')).toMatchObject({
    ...{ checked: 2, changed: ['lib/a.php'], added: ['lib/évil <b>.php'], missing: ['lib/b.php'] },
  })
  const own = 'wp-content/plugins/tool/lib'
  expect(await compare(`${own}/a.php`)).toMatchObject({
    result: 'text',
    diff: expect.stringContaining('-<?php // a\n'),
  })
  expect(await compare(`${own}/b.php`)).toMatchObject({ result: 'text', bytes: null, original_bytes: 10 })
  expect(await compare(`${own}/évil <b>.php`)).toMatchObject({ result: 'text', original_bytes: null, bytes: 1 })
  expect(await compare('wp-content/plugins/tool/tool.php')).toMatchObject({ result: 'same' })

  const { packages } = fixture.engine
  expect(await packages.restore(site, 'plugin', 'tool', { operationId: 'back' })).toMatchObject({
    ...{ id: 'tool/tool.php', version: '1.0', replaced: '1.0' },
  })
  expect(await verify('tool')).toMatchObject({ checked: 3, changed: [], added: [], missing: [], restorable: true })
  await packages.undo(site, 'back')
  expect(await verify('tool')).toMatchObject({ changed: ['lib/a.php'], added: ['lib/évil <b>.php'] })

  // The ZIP file is not kept any more: the original is known by its checksum only.
  await rm(join(fixture.dataDir, 'local', 'packages'), { recursive: true })
  expect(await compare(`${own}/a.php`)).toMatchObject({ result: 'no_original', bytes: 10 })
  expect(await verify('tool')).toMatchObject({ changed: ['lib/a.php'], restorable: false })
  await expect(packages.restore(site, 'plugin', 'tool', { operationId: 'none' })).rejects.toMatchObject({
    code: 'not_found',
  })
})

test('what comes with WordPress is verified with its package, without a network', async () => {
  asked = []
  const all = await fixture.engine.originals.verifyPackages(site)
  const themes = all.filter(({ type }) => type === 'theme')
  expect(themes.length).toBeGreaterThan(0)
  for (const theme of themes) expect(theme).toMatchObject({ source: 'bundled', changed: [], missing: [], added: [] })
  expect(all.find(({ id }) => id === 'hello.php')).toMatchObject({ source: 'bundled', checked: 1, changed: [] })
  expect(asked.filter((path) => path.includes('theme'))).toEqual([])
})

test('a plugin is verified with what wordpress.org publishes; without that, it is not checked', async () => {
  for (const [name, version] of [
    ['known', '1.2'],
    ['private', '9.9'],
  ] as const) {
    await mkdir(www(`wp-content/plugins/${name}`))
    const title = name === 'known' ? 'Known' : 'Private'
    await writeFile(www(`wp-content/plugins/${name}/${name}.php`), header(title, version))
  }
  await writeFile(www('wp-content/plugins/known/readme.txt'), 'any')
  expect(await verify('known')).toMatchObject({ source: 'wordpress.org', checked: 2, changed: [], added: [] })
  expect(await verify('private')).toMatchObject({ source: null, unchecked: 'unknown' })
  await writeFile(www('wp-content/plugins/known/known.php'), `${header('Known', '1.2')}evil();`)
  asked = []
  expect(await verify('known')).toMatchObject({ changed: ['known.php'] })
  expect(
    asked.filter((path) => path.includes('/known/')),
    'kept',
  ).toEqual([])
})

test('the difference of a changed, a missing and an added file of WordPress', async () => {
  const path = 'wp-includes/default-constants.php'
  const original = await readFile(www(path), 'utf8')
  await writeFile(www(path), original.replace('<?php', '<?php // <script>alert(1)</script>'))
  const changed = await compare(path)
  expect(changed).toMatchObject({ path, result: 'text', truncated: false })
  expect(changed.diff).toMatch(/^@@ -1,\d+ \+1,\d+ @@\n-<\?php\n\+<\?php \/\/ <script>/)
  await rename(www(path), www('own.php'))
  expect(await compare(path)).toMatchObject({
    result: 'text',
    bytes: null,
    diff: expect.stringMatching(/^@@ -1,\d+ \+0,0 @@\n-<\?php/),
  })
  await rename(www('own.php'), www(path))
  await writeFile(www(path), original)
  expect(await compare(path)).toMatchObject({ result: 'same', diff: null })
  await writeFile(www('wp-includes/added.php'), 'one\ntwo')
  expect(await compare('wp-includes/added.php')).toMatchObject({
    ...{ result: 'text', original_bytes: null, diff: '@@ -0,0 +1,2 @@\n+one\n+two\n' },
  })
})

test('files of any content and size are compared in bounded time', async () => {
  const path = 'wp-includes/version.php'
  const original = await readFile(www(path))
  const write = (content: string | Buffer) => writeFile(www(path), content)
  await write(Buffer.from([0xff, 0xfe, 0, 1]))
  expect(await compare(path)).toMatchObject({ result: 'binary', diff: null })
  await write(original)
  const other = 'wp-includes/load.php'
  const load = await readFile(www(other))
  await writeFile(www(other), Buffer.alloc(2_000_000, 'a\n'))
  expect(await compare(other)).toMatchObject({ result: 'too_long', bytes: 2_000_000 })
  await writeFile(www(other), Array.from({ length: 100_000 }, (_, n) => `${(n * 7919) % 1009}`).join('\n'))
  expect(await compare(other)).toMatchObject({ result: 'too_different' })
  await writeFile(www(other), load)
})

test('only files with an original can be compared, and links lead nowhere', async () => {
  for (const path of ['wp-config.php', '../x', 'wp-content/uploads/a.php', 'wp-includes/../wp-config.php', '.env', ''])
    await expect(compare(path)).rejects.toMatchObject({ code: 'invalid' })
  await expect(compare('wp-includes/never.php')).rejects.toMatchObject({ code: 'not_found' })
  const secret = join(folder, 'secret')
  await writeFile(secret, 'top secret')
  await symlink(secret, www('wp-includes/link.php'))
  await expect(compare('wp-includes/link.php')).rejects.toMatchObject({ code: 'not_found' })
  await rm(www('wp-includes/link.php'))
})
