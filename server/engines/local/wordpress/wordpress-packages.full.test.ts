import { chown, mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { portOf } from '#server/platform/network/port-of.ts'
import { makeZip, type TestZipMember } from '../core/zip-fixture.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'
import type { SiteSpec } from '../../engine.ts'
import type { PackageSource, PackageType } from '../../wordpress-packages.ts'

let fixture: EngineFixture
let site: SiteSpec
let org: Server
let folder: string
let operations = 0
/** The engine's packages, with an operation of its own for each call. */
const packages = () => {
  const { packages: all } = fixture.engine
  operations += 1
  const operationId = `op${operations}`
  return {
    install: async (
      of: SiteSpec,
      type: PackageType,
      source: PackageSource | { file: string },
      options: { replace?: boolean } = {},
    ) => {
      if ('file' in source) await all.stage(of, source.file, { id: operationId })
      const from = 'file' in source ? { staged: operationId } : source
      return all.install(of, type, from, { ...options, operationId })
    },
    rollBack: (of: SiteSpec, type: PackageType, id: string) => all.rollBack(of, type, id, operationId),
    /** Undoes the call before. */
    undo: (of: SiteSpec) => all.undo(of, `op${operations - 1}`),
  }
}
const find = async (id: string) => (await fixture.engine.wordpress.inspect(site)).plugins.find((one) => one.id === id)
const member = (name: string, content: string): TestZipMember => ({ name, content: Buffer.from(content) })
const pluginFile = (version: string, code = '') => `<?php\n/*\nPlugin Name: Tool\nVersion: ${version}\n*/\n${code}`
const show = (version: string) => `add_action( 'wp_head', function () { echo '<!-- tool ${version} -->'; } );`
/** A ZIP file on this machine. */
const zip = async (...members: TestZipMember[]): Promise<{ file: string }> => {
  const file = join(folder, `${members.length}-${Math.random()}.zip`)
  await writeFile(file, makeZip(members))
  return { file }
}
const home = async () => (await fixture.fetch(site, '/')).body

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'packages-'))
  org = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://org')
    if (url.pathname === '/plugins/info/1.2/' && url.searchParams.get('request[slug]') === 'tool')
      response.end(JSON.stringify({ version: '3.0', download_link: 'http://elsewhere.example/evil.zip' }))
    else if (url.pathname === '/plugin/tool.3.0.zip')
      response.end(makeZip([member('tool/tool.php', pluginFile('3.0', show('3.0')))]))
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

test('a plugin is installed from a file, replaced while it is active, rolled back and forward again', async () => {
  const first = await zip(member('tool/tool.php', pluginFile('1.0', show('1.0'))), member('tool/readme.txt', 'x'))
  expect(await packages().install(site, 'plugin', first)).toEqual({
    id: 'tool/tool.php',
    name: 'Tool',
    version: '1.0',
    replaced: null,
  })
  await fixture.engine.wordpress.change(site, { kind: 'activate_plugin', plugin: 'tool/tool.php' })
  expect(await home()).toContain('tool 1.0')
  const second = await zip(member('tool/tool.php', pluginFile('2.0', show('2.0'))))
  await expect(packages().install(site, 'plugin', second)).rejects.toMatchObject({ code: 'conflict' })
  expect(await packages().install(site, 'plugin', second, { replace: true })).toMatchObject({ replaced: '1.0' })
  expect(await home()).toContain('tool 2.0')
  expect(await find('tool/tool.php')).toMatchObject({ active: true, version: '2.0', previous: '1.0' })
  for (const [version, replaced] of [
    ['1.0', '2.0'],
    ['2.0', '1.0'],
  ] as const) {
    expect(await packages().rollBack(site, 'plugin', 'tool/tool.php')).toMatchObject({ version, replaced })
    expect(await home()).toContain(`tool ${version}`)
  }
})

test('a version that breaks the site is undone without its code', async () => {
  await packages().install(
    site,
    'plugin',
    await zip(member('tool/tool.php', pluginFile('4.0', 'no_such_function();'))),
    {
      replace: true,
    },
  )
  expect((await fixture.fetch(site, '/')).status).toBe(500)
  await packages().undo(site)
  expect(await home()).toContain('tool 2.0')
})

test('what was new is removed when it is undone', async () => {
  await packages().install(site, 'plugin', await zip(member('fresh/fresh.php', pluginFile('1.0'))))
  expect(await find('fresh/fresh.php')).toBeDefined()
  await packages().undo(site)
  expect(await find('fresh/fresh.php')).toBeUndefined()
})

test.each([
  ['before the old one was moved', ['incoming'], '2.0'],
  ['after the old one was moved', ['incoming', 'kept'], '2.0'],
  ['after the new one was moved in', ['kept', 'new'], '5.0'],
])('an installation that was cut off %s is taken back or completed', async (_when, state, version) => {
  const content = join(fixture.dataDir, 'local', 'sites', site.id, 'www', 'wp-content')
  const [target, kept, incoming] = [
    join(content, 'plugins/tool'),
    join(content, '.easydash-previous/plugins/tool'),
    join(content, '.easydash-previous/incoming'),
  ]
  await packages().install(site, 'plugin', await zip(member('tool/tool.php', pluginFile('2.0', show('2.0')))), {
    replace: true,
  })
  // PHP does not notice what is moved under it.
  await fixture.engine.sleepAll()
  const { uid, gid } = await stat(content)
  const fresh = state.includes('new') ? target : incoming
  if (state.includes('new')) await rename(target, `${target}.old`)
  await rm(kept, { recursive: true, force: true })
  if (state.includes('kept')) await rename(state.includes('new') ? `${target}.old` : target, kept)
  await mkdir(fresh, { recursive: true })
  await writeFile(join(fresh, 'tool.php'), pluginFile('5.0', show('5.0')))
  await chown(fresh, uid, gid)
  await chown(join(fresh, 'tool.php'), uid, gid)
  await writeFile(
    join(content, '.easydash-previous/last.json'),
    JSON.stringify({
      state: 'begun',
      operation: 'cut',
      type: 'plugin',
      folder: 'tool',
      replaced: true,
      from_kept: false,
    }),
  )
  await fixture.engine.packages.undo(site, 'another')
  expect(await home()).toContain(`tool ${version}`)
})

test('an operation that changed nothing undoes nothing', async () => {
  const before = (await fixture.engine.wordpress.inspect(site)).plugins
  await fixture.engine.packages.undo(site, 'another')
  expect((await fixture.engine.wordpress.inspect(site)).plugins).toEqual(before)
})

test('the newest version comes from wordpress.org, and from nowhere else', async () => {
  expect(await packages().install(site, 'plugin', { slug: 'tool' }, { replace: true })).toMatchObject({
    version: '3.0',
  })
  expect(await home()).toContain('tool 3.0')
  await expect(packages().install(site, 'plugin', { slug: 'unknown' })).rejects.toMatchObject({ code: 'not_found' })
})

test('a theme is installed as a theme only', async () => {
  const theme = await zip(
    member('look/style.css', '/*\nTheme Name: Look\nVersion: 1.0\n*/'),
    member('look/index.php', '<?php'),
  )
  await expect(packages().install(site, 'plugin', theme)).rejects.toMatchObject({
    code: 'invalid',
    message: 'This is a theme, not a plugin.',
  })
  expect(await packages().install(site, 'theme', theme)).toMatchObject({ id: 'look', version: '1.0' })
})

const plugin = (version = '9.9', more = '') => `<?php\n/*\nPlugin Name: Tool\nVersion: ${version}\n${more}*/`

test.each<[string, RegExp, () => Promise<{ file: string }>]>([
  [
    'no archive',
    /no ZIP file, or it is damaged/,
    async () => {
      await writeFile(join(folder, 'text.zip'), 'no archive, whatever its name says')
      return { file: join(folder, 'text.zip') }
    },
  ],
  [
    'half of an archive',
    /no ZIP file, or it is damaged/,
    async () => {
      const whole = makeZip([member('tool/tool.php', plugin()), member('tool/more.txt', 'x'.repeat(5_000))])
      await writeFile(join(folder, 'half.zip'), whole.subarray(0, whole.length / 2))
      return { file: join(folder, 'half.zip') }
    },
  ],
  ['nothing', /empty/, () => zip()],
  ['no folder', /no plugin and no theme/, () => zip(member('tool.php', plugin()))],
  ['two folders', /several folders/, () => zip(member('a/a.php', plugin()), member('b/b.php', plugin()))],
  ['no header', /no plugin and no theme/, () => zip(member('plain/plain.php', '<?php // nothing'))],
  ['a hidden folder', /no plugin and no theme/, () => zip(member('.hidden/x.php', plugin()))],
  ['another archive', /another ZIP file/, () => zip(member('tool/tool.zip', 'PK'), member('tool/readme.txt', ''))],
  [
    'a plugin for newer PHP',
    /Tool 9\.9 needs PHP 99\.1 or newer; this site runs 8/,
    () => zip(member('tool/tool.php', plugin('9.9', 'Requires PHP: 99.1\n'))),
  ],
  [
    'a plugin for newer WordPress',
    /needs WordPress 99 or newer; this site has \d/,
    () => zip(member('tool/tool.php', plugin('9.9', 'Requires at least: 99\n'))),
  ],
  [
    'a theme for newer PHP',
    /Look needs PHP 99/,
    () => zip(member('look/style.css', '/*\nTheme Name: Look\nRequires PHP: 99\n*/')),
  ],
  [
    'paths that lead out',
    /path that is not allowed/,
    () => zip(member('../../evil.php', '<?php'), member('tool/tool.php', plugin())),
  ],
  [
    'a link',
    /link or a special file/,
    () =>
      zip(member('tool/tool.php', plugin()), {
        name: 'tool/link',
        content: Buffer.from('/etc/passwd'),
        mode: 0o120777,
      }),
  ],
  [
    'a bomb',
    /expands too far/,
    () => zip(member('tool/tool.php', plugin()), { name: 'tool/zeros', content: Buffer.alloc(20_000_000) }),
  ],
  [
    'members that share bytes',
    /shares bytes|twice/,
    () => zip(member('tool/tool.php', plugin()), { ...member('tool/again.php', plugin()), dataOf: 0 }),
  ],
])('a file with %s is refused, and nothing changes', async (_what, why, make) => {
  const before = (await fixture.engine.wordpress.inspect(site)).plugins
  const { file } = await make()
  await expect(fixture.engine.packages.stage(site, file, { id: 'refused' })).rejects.toMatchObject({
    code: 'invalid',
    message: expect.stringMatching(why),
  })
  expect((await fixture.engine.wordpress.inspect(site)).plugins).toEqual(before)
  expect((await fixture.fetch(site, '/evil.php')).status).toBe(404)
  const www = join(fixture.dataDir, 'local', 'sites', site.id, 'www')
  await expect(stat(join(www, 'wp-content/.easydash-previous/staged/refused'))).rejects.toMatchObject({
    code: 'ENOENT',
  })
})

test('what was staged is still there for the retry of an installation that was cut off before it', async () => {
  const { file } = await zip(member('fresh/fresh.php', pluginFile('1.0')))
  await fixture.engine.packages.stage(site, file, { id: 'retried' })
  await fixture.engine.sleepAll()
  const kept = join(fixture.dataDir, 'local', 'sites', site.id, 'www/wp-content/.easydash-previous')
  await rename(join(kept, 'staged/retried/fresh'), join(kept, 'incoming'))
  const state = { state: 'begun', operation: 'cut', type: 'plugin', folder: 'fresh', replaced: false, from_kept: false }
  await writeFile(join(kept, 'last.json'), JSON.stringify({ ...state, staged: 'retried' }))
  const { packages: all } = fixture.engine
  expect(await all.install(site, 'plugin', { staged: 'retried' }, { operationId: 'cut' })).toMatchObject({
    id: 'fresh/fresh.php',
    replaced: null,
  })
  expect(await find('fresh/fresh.php')).toBeDefined()
})

test('what is kept is neither served nor run', async () => {
  for (const path of ['tool/tool.php', 'tool/readme.txt'])
    expect((await fixture.fetch(site, `/wp-content/.easydash-previous/plugins/${path}`)).status).toBe(404)
})
