import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runSteps } from '#tests/contracts/run-steps.ts'
import { eeSpec, startEeServer, type EeServer } from '#tests/support/ee-server.ts'
import { wordpressPerson } from '#tests/support/wordpress-person.ts'
import type { SiteSpec } from '../engine.ts'
import { capabilitiesOf } from '../facets.ts'
import { look } from './remote.ts'

let t: EeServer
let spec: SiteSpec
/** What links and passwords consisted of. */
const secrets: string[] = []
beforeAll(async () => {
  t = await startEeServer()
  spec = eeSpec(t.server)
})
afterAll(() => t?.end())

test('a site is created, opened, changed and read', async () => {
  const { engine } = t
  const log = await runSteps(engine.createSteps(spec))
  expect(log.join('\n')).toContain('Installing WordPress site.')
  // EasyEngine ends with a table of its passwords.
  expect(log.join('\n')).not.toMatch(/password/i)
  const listed = await look(t.context, t.server, { script: 'inventory', args: [] })
  expect(listed.stdout).toContain(`"site_url":"${spec.domain}"`)
  expect(listed.stdout).not.toMatch(/pass/i)
  const page = await engine.request(spec, '/')
  expect([page.status, page.body]).toEqual([200, expect.stringContaining('Shop&quot;')])

  const link = new URL(await engine.loginLink(spec, wordpressPerson(), 30))
  expect(link.host).toBe(spec.domain)
  const used = await engine.request(spec, link.pathname + link.search)
  expect([used.status, used.headers['location']]).toEqual([302, '/wp-admin/'])

  const plugins = async () => (await engine.wordpress.inspect(spec)).plugins
  expect(await plugins()).toContainEqual(expect.objectContaining({ id: 'hello.php', active: false }))
  await engine.wordpress.change(spec, { kind: 'activate_plugin', plugin: 'hello.php' })
  expect(await plugins()).toContainEqual(expect.objectContaining({ id: 'hello.php', active: true }))

  await engine.files.write(spec, "it's.txt", 'kept', null)
  expect(await engine.files.read(spec, "it's.txt")).toMatchObject({ content: 'kept' })
  expect((await engine.files.list(spec, '')).entries).toContainEqual(expect.objectContaining({ name: "it's.txt" }))

  await engine.setPhpVersion(spec, '8.4')
  expect(await engine.observe(spec)).toMatchObject({
    state: 'running',
    phpVersion: '8.4',
    wordpressVersion: expect.any(String),
  })
  const { lines } = await engine.logs.read(spec, 'access', { from: 'end' })
  expect(lines.join('\n')).toContain('"GET /')
  expect(lines.join('\n')).not.toContain(link.search)
  secrets.push(link.search.split('=')[1] ?? '')
})

test('what a server can do depends on what is installed there', () => {
  const vipOn = (facts: Record<string, unknown>) => capabilitiesOf(t.engine, { ...t.server, facts }).vip
  expect([vipOn({}), vipOn({ git: true })]).toEqual([{ supported: true }, { supported: true }])
  expect(vipOn({ git: false })).toMatchObject({ supported: false, reason: expect.stringContaining('git') as string })
  const on = (facts: Record<string, unknown>) => capabilitiesOf(t.engine, { ...t.server, facts })
  for (const name of ['tls', 'domain_change'] as const) {
    for (const facts of [{}, { easyengine: '4.9.3' }, { easyengine: '4.10.0' }])
      expect([name, facts, on(facts)[name]]).toEqual([name, facts, { supported: true }])
    for (const easyengine of ['4.7.0', '4.9.2'])
      expect(on({ easyengine })[name]).toMatchObject({
        reason: expect.stringContaining('Upgrade EasyEngine') as string,
      })
  }
})

test('limits that people set on the server stay, unless they are changed', async () => {
  const { settings } = t.engine
  const ini = join(t.root, 'opt/easyengine/sites', spec.domain, 'config/php/php/conf.d/custom.ini')
  expect(await settings.read(spec)).toMatchObject({ memoryMb: 256, uploadMb: 100 })
  const theirs = 'memory_limit = 512M\nupload_max_filesize = 1G\npost_max_size = 1100M\n'
  await writeFile(ini, theirs)
  expect(await settings.read(spec)).toMatchObject({ memoryMb: 512, uploadMb: 1024 })
  for (const memoryMb of [128, 384]) {
    expect(await settings.change(spec, { memoryMb })).toMatchObject({ memoryMb, uploadMb: 1024 })
    expect(await readFile(ini, 'utf8')).toBe(`${theirs}; easydash begin\nmemory_limit = ${memoryMb}M\n; easydash end\n`)
  }
  await expect(settings.change(spec, { memoryMb: 512 })).rejects.toMatchObject({ code: 'invalid' })
  expect(await settings.change(spec, { memoryMb: 512 }, { isFormer: true })).toMatchObject({ memoryMb: 512 })
  await expect(settings.change(spec, { memoryMb: 0 }, { isFormer: true })).rejects.toMatchObject({ code: 'invalid' })
  expect(await readFile(ini, 'utf8')).toBe(theirs)
  expect(await settings.change(spec, { uploadMb: 100 })).toMatchObject({ memoryMb: 512, uploadMb: 100 })
  // As it was before: also what a number of MB does not say.
  await settings.change(spec, { uploadMb: 1024 }, { isFormer: true })
  expect(await readFile(ini, 'utf8')).toBe(theirs)
  // Somebody has the last word, below the lines of an older version.
  await writeFile(
    ini,
    '; easydash begin\nmemory_limit = 256M\nupload_max_filesize = 64M\npost_max_size = 64M\n; easydash end\n',
  )
  await appendFile(ini, theirs.replace(/^.+\n/, ''))
  expect(await settings.change(spec, { memoryMb: 384 })).toMatchObject({ memoryMb: 384, uploadMb: 1024 })
  expect(await readFile(ini, 'utf8')).not.toContain('64M')
  expect(await settings.change(spec, { uploadMb: 100 })).toMatchObject({ memoryMb: 384, uploadMb: 100 })
  expect(await settings.change(spec, { memoryMb: 256 })).toMatchObject({ memoryMb: 256, uploadMb: 100 })
  expect(await readFile(ini, 'utf8')).toContain('\nupload_max_filesize = 100M\npost_max_size = 100M\n; easydash end')
})

test('nothing is left of a site that is deleted', async () => {
  const { engine } = t
  // It was set: of the simulated WordPress, the database has passwords as they are.
  const databases = join(t.root, 'var/lib/simulated/databases')
  for (const path of await holdersOf(t.root, spec.adminPassword)) expect(path.startsWith(databases), path).toBe(true)
  expect(await holdersOf(t.root, spec.adminPassword)).not.toEqual([])
  await engine.destroy(spec)
  expect(await engine.observe(spec)).toMatchObject({ state: 'absent' })
  // What the simulated EasyEngine knows of a real one's catalogue was kept to, and each change was made once.
  expect(await t.violations()).toEqual([])
  expect((await t.effects()).filter((line) => line.startsWith('create'))).toHaveLength(1)
  // Nothing of it is left, and no secret was written anywhere.
  expect(await readdir(join(t.root, 'opt/easyengine/sites'))).toEqual([])
  for (const secret of [spec.adminPassword, ...secrets]) expect(await holdersOf(t.root, secret), secret).toEqual([])
})

/** Files of a server that have a text. */
async function holdersOf(root: string, text: string): Promise<string[]> {
  const names = await readdir(root, { recursive: true, withFileTypes: true })
  const files = names.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name))
  const found = await Promise.all(files.map(async (file) => (await readFile(file)).includes(text)))
  return files.filter((_, at) => found[at])
}
