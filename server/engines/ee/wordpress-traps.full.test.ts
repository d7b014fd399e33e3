import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runSteps } from '#tests/contracts/run-steps.ts'
import { eeSpec, startEeServer, type EeServer } from '#tests/support/ee-server.ts'
import type { EngineStep, SiteSpec } from '../engine.ts'
import type { CoreTarget } from '../wordpress-core.ts'
import { printed } from './wp.ts'

let t: EeServer
let site: SiteSpec
beforeAll(async () => {
  t = await startEeServer()
  site = eeSpec(t.server)
  await runSteps(t.engine.createSteps(site))
})
afterAll(() => t?.end())

const file = (path: string) => join(t.root, 'opt/easyengine/sites', site.domain, path)
const version = async () => (await t.engine.wordpress.inspect(site)).version
const title = async () => (await t.engine.settings.readWordPress(site)).values.title

async function run(operationId: string, to: CoreTarget, through = 'verify'): Promise<void> {
  const steps: EngineStep[] = t.engine.core.changeSteps(site, to)
  const last = steps.findIndex(({ key }) => key === through)
  const signal = AbortSignal.timeout(300_000)
  for (const step of steps.slice(0, last + 1))
    await step.run({ operationId, log: () => undefined, progress: () => undefined, signal })
}

test('a change of WordPress that was cut off is taken back with its database, and visitors are let in', async () => {
  const [before, name] = [await version(), await title()]
  await run('cut', { version: '6.8.3' }, 'replace')
  expect(await version()).toBe('6.8.3')
  await t.engine.settings.changeWordPress(site, { title: 'Later' }, { expected: { title: name } })
  expect(await readFile(file('config/nginx/custom/user.conf'), 'utf8')).toContain('easydash closed begin')
  await expect(run('other', { version: '6.8.3' })).rejects.toMatchObject({ code: 'conflict' })
  for (const _time of ['once', 'repeated']) expect(await t.engine.core.undoChange(site, 'cut')).toBe('undone')
  expect([await version(), await title()]).toEqual([before, name])
  expect(await readFile(file('config/nginx/custom/user.conf'), 'utf8')).not.toContain('easydash closed')
  expect(await readdir(join(t.root, 'var/lib/easydash/cores'))).toEqual([])
})

test('a newer WordPress stays, and the one before comes back', async () => {
  await run('new', { version: '6.8.3' })
  await t.engine.core.finishChange(site)
  expect(await t.engine.wordpress.inspect(site)).toMatchObject({ version: '6.8.3', previous: { version: '6.8.2' } })
  for (const [operation, outcome] of Object.entries({ new: 'finished', cut: 'undone' }))
    expect(await t.engine.core.undoChange(site, operation)).toBe(outcome)
  await run('back', { previous: true, database: false })
  await t.engine.core.finishChange(site)
  expect(await version()).toBe('6.8.2')
  expect(await t.engine.wordpress.verifyChecksums(site)).toMatchObject({ changed: [], added: [], missing: [] })
})

test('maintenance that began before a change of WordPress stays after it', async () => {
  await t.engine.settings.change(site, { maintenance: true })
  await run('closed', { version: '6.8.2' })
  await t.engine.core.finishChange(site)
  expect(await t.engine.settings.read(site)).toMatchObject({ maintenance: true })
  await t.engine.settings.change(site, { maintenance: false })
})

test('a configuration that nginx does not take is put back', async () => {
  const path = file('config/nginx/custom/user.conf')
  const text = await readFile(path, 'utf8')
  await writeFile(path, `${text}server {\n`)
  await expect(t.engine.settings.change(site, { maintenance: true })).rejects.toMatchObject({ code: 'unavailable' })
  expect(await readFile(path, 'utf8')).toBe(`${text}server {\n`)
  expect((await readdir(join(path, '..'))).toSorted()).toEqual(['admin-tools.conf', 'user.conf'])
  await writeFile(path, text)
})

test('nothing of what is kept of plugins, themes and WordPress is served', async () => {
  const other = await t.create({ siteType: 'wp' })
  const folder = join(
    t.root,
    'opt/easyengine/sites',
    other.domain,
    'app/htdocs/wp-content/.easydash-previous/core/kept',
  )
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'old.zip'), 'PK')
  const seen = async () => (await t.engine.request(other, '/wp-content/.easydash-previous/core/kept/old.zip')).status
  expect(await seen(), 'EasyEngine serves archives in hidden folders').toBe(200)
  await t.engine.wordpress.change(other, { kind: 'flush_cache' })
  expect(await seen()).toBe(403)
  expect((await t.engine.request(other, '/')).status).toBe(200)
})

test('debug mode is read from no other file', async () => {
  await t.engine.settings.change(site, { debugUntil: Date.now() + 60_000 })
  const path = file('app/wp-config.php')
  const config = await readFile(path, 'utf8')
  expect(config).toMatch(/define\( 'WP_DEBUG_DISPLAY', false \);/)
  const elsewhere = join(t.root, 'elsewhere.php')
  await writeFile(elsewhere, config)
  await rm(path)
  await symlink(elsewhere, path)
  expect(await t.engine.settings.read(site)).toMatchObject({ debugUntil: null })
  await rm(path)
  await writeFile(path, config)
  expect((await t.engine.settings.read(site)).debugUntil).toBeGreaterThan(Date.now())
})

test('nothing of it broke a rule of the simulated programs', async () => {
  expect(await t.violations()).toEqual([])
})

test('a stopped WordPress is measured by its files, unless these lead elsewhere', async () => {
  const made = eeSpec(t.server, { id: 'stopped001', domain: 'stopped.example.com' })
  await runSteps(t.engine.createSteps(made))
  const { wordpressVersion } = await t.engine.observe(made)
  expect(wordpressVersion).toMatch(/^\d/)
  await t.engine.settings.suspend(made)
  expect(await t.engine.observe(made)).toMatchObject({ state: 'asleep', wordpressVersion })
  expect((await t.engine.observe(made)).diskUsed).toBeGreaterThan(0)
  const about = join(t.root, 'opt/easyengine/sites/stopped.example.com/app/htdocs/wp-includes/version.php')
  const other = join(t.root, 'other.php')
  await rename(about, other)
  await symlink(other, about)
  expect(await t.engine.observe(made)).toMatchObject({ state: 'asleep', wordpressVersion: null })
})

test.each([
  [{ code: 137 }, 'WordPress was stopped (code 137): it took too long, or the server had no memory left for it.'],
  [{ code: 141 }, 'WordPress ended with code 141, without a message.'],
  [{ code: null, signal: 'TERM' }, 'WordPress was ended by the signal TERM, without a message.'],
  [{ code: 1, stderr: 'Warning: x\nError: No tables.\n' }, 'WordPress says: “No tables.”'],
  [{ code: 124, stdout: 'Half\n' }, /^WordPress was stopped \(code 124\).* Its last words: “Half”$/],
])('what failed without a result says how it ended: %o', (ended, message) => {
  expect(() => printed({ stdout: '', stderr: '', ...ended })).toThrow(message)
})
