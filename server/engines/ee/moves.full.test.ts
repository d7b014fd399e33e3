import { createWriteStream, existsSync, writeFileSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { SshError } from '#server/platform/ssh/ssh-error.ts'
import { failureOf } from '#tests/contracts/engine-failure.ts'
import { runSteps } from '#tests/contracts/run-steps.ts'
import type { BreakMoment } from '#server/platform/ssh/simulated-server.ts'
import { startEeServer, type EeServer } from '#tests/support/ee-server.ts'
import type { SiteSpec } from '../engine.ts'
import type { EngineAlias } from '../site-domains.ts'
import { targetOf } from './ee-context.ts'
import { noteMove } from './move-state.ts'

let t: EeServer
/** What happens to the connections that come next. */
let fates: (BreakMoment | null)[] = []
/** Runs before each connection. */
let onConnection = () => {}
beforeAll(async () => {
  t = await startEeServer(null, () => {
    onConnection()
    return fates.shift() ?? null
  })
  await t.ee('config', 'set', 'le-mail', 'ops@example.com')
})
afterEach(() => t.setTraps())
afterAll(() => t?.end())

const as = (site: SiteSpec, domain: string): SiteSpec => ({ ...site, domain })
const path = (domain: string, file: string) => join(t.root, 'opt/easyengine/sites', domain, file)
const text = (domain: string, file: string) => readFile(path(domain, file), 'utf8')
const auth = { user: 'guest', password: 'Secret0123456789' }
const isOpen = async (site: SiteSpec) =>
  !(await text(site.domain, 'config/nginx/custom/user.conf')).includes('easydash closed')

/** A WordPress with everything that a change has to take along. */
async function full(): Promise<SiteSpec> {
  const site = await t.create({ siteType: 'wp', title: 'Full' })
  const { engine } = t
  await engine.certificates.change(site, 'le')
  await engine.settings.change(site, { memoryMb: 384, httpAuth: auth })
  await engine.services.setProxyCache(site, true)
  await engine.services.setMailCatcher(site, true)
  await engine.domains.setAliases(site, [{ domain: `also-${site.domain}`, mode: 'redirect' }])
  await engine.files.write(site, 'kept.txt', 'kept', null)
  await engine.files.write(site, 'gone.txt', 'gone', null)
  return { ...site, isSecure: true }
}

const change = (site: SiteSpec, to: string, aliases: readonly EngineAlias[] = []) =>
  t.engine.domains.changeSteps(site, to, aliases, site.title === 'Full' ? auth : null)

async function changed(site: SiteSpec, to: string, aliases: readonly EngineAlias[] = []): Promise<SiteSpec> {
  await runSteps(change(site, to, aliases))
  await t.engine.domains.finishChange(as(site, to))
  return as(site, to)
}

test('a site gets another domain with all that it has, and the old one leads there', { timeout: 600_000 }, async () => {
  const site = await full()
  const { engine } = t
  const { id: trashed } = await engine.files.remove(site, ['gone.txt'])
  await engine.wordpress.change(site, { kind: 'pause_events', paused: true })
  const config = path(site.domain, 'app/wp-config.php')
  await writeFile(config, `${await readFile(config, 'utf8')}define( 'MINE', 'kept' );\n`)
  const nginx = path(site.domain, 'config/nginx/custom/user.conf')
  await writeFile(nginx, `add_header x-mine kept;\n${await readFile(nginx, 'utf8')}`)
  const aliases = [
    { domain: `also-${site.domain}`, mode: 'redirect' },
    { domain: site.domain, mode: 'redirect' },
  ] as const
  await runSteps(engine.backups.packSteps(site))
  const archive = join(t.root, 'before.tar.zst')
  await pipeline((await engine.backups.packed(site)).file.open(), createWriteStream(archive))
  const now = await changed(site, 'renamed.example.com', aliases)
  expect(await engine.domains.read(site)).toEqual({ domain: now.domain, aliases, changingTo: null })
  expect(await engine.settings.read(now)).toMatchObject({ memoryMb: 384, httpAuthUser: 'guest' })
  expect(await engine.services.read(now)).toEqual({ proxyCache: true, mailCatcher: true })
  const { kind, certificate } = await engine.certificates.read(now)
  expect([kind, certificate?.names]).toEqual(['le', [now.domain, ...aliases.map(({ domain }) => domain)]])
  expect((await engine.request(now, '/')).body).toContain('Full')
  expect((await engine.settings.readWordPress(now)).values).toMatchObject({ title: 'Full' })
  expect(await engine.request(as(now, site.domain), '/a?b=c')).toMatchObject({
    ...{ status: 301, headers: { location: 'https://renamed.example.com/a?b=c' } },
  })
  expect((await engine.wordpress.inspect(now)).events.paused).toBe(true)
  expect(await engine.files.read(now, 'kept.txt')).toMatchObject({ content: 'kept' })
  await engine.files.restore(now, trashed)
  expect(await engine.files.read(now, 'gone.txt')).toMatchObject({ content: 'gone' })
  expect(await text(now.domain, 'app/wp-config.php')).toContain("define( 'MINE', 'kept' );")
  expect(await text(now.domain, 'config/nginx/custom/user.conf')).toContain('add_header x-mine kept;')
  expect(await isOpen(now)).toBe(true)
  // A backup of before is one of the same site.
  await engine.files.remove(now, ['kept.txt'])
  await runSteps(engine.restores.restoreSteps(now, { rehearsal: now, archive }, 'all'))
  await engine.restores.finishRestore(now)
  expect(await engine.files.read(now, 'kept.txt')).toMatchObject({ content: 'kept' })
  const home = await engine.database.query(now, "SELECT option_value FROM wp_options WHERE option_name = 'home'")
  expect(home?.rows[0]?.[0]?.text).toBe('https://renamed.example.com')
  expect(await readdir(path('.', '.'))).not.toContain(site.domain)
  await engine.destroy(now)
  expect(await readdir(join(t.root, 'var/lib/easydash/moves'))).toEqual([])
  expect(await t.violations()).toEqual([])
})

test('what fails or is canceled before the switch leaves the site as it was', { timeout: 600_000 }, async () => {
  const site = await full()
  const { engine } = t
  const aliases = [{ domain: `also-${site.domain}`, mode: 'redirect' }] as const
  const same = async () => {
    await engine.domains.undoChange(site)
    expect(await engine.domains.read(site)).toEqual({ domain: site.domain, aliases, changingTo: null })
    expect(await isOpen(site)).toBe(true)
    expect((await engine.request(site, '/')).status).toBe(200)
    expect(await engine.services.read(site)).toEqual({ proxyCache: true, mailCatcher: true })
    expect((await engine.wordpress.inspect(site)).events.paused).toBe(false)
    expect(await readdir(path('.', '.'))).not.toContain('other.example.com')
  }
  await t.setTraps('ssl_fails')
  await expect(runSteps(change(site, 'other.example.com'))).rejects.toMatchObject({ code: 'unavailable' })
  expect(await isOpen(site), 'visitors did not wait for that').toBe(true)
  await t.setTraps()
  await same()
  const steps = change(site, 'other.example.com', aliases)
  await runSteps(steps)
  expect(await isOpen(site)).toBe(false)
  await same()
  // An alias of the site becomes its domain, and is one again.
  await runSteps(change(site, aliases[0].domain))
  await same()
  await engine.destroy(site)
})

test('a step of a change that was taken back changes nothing', { timeout: 600_000 }, async () => {
  const site = await t.create({ siteType: 'wp' })
  const to = 'retried.example.com'
  const ini = 'config/php/php/conf.d/custom.ini'
  // As of a site whose limits were never set from here: nothing else has PHP reloaded.
  await writeFile(path(site.domain, ini), 'max_input_vars = 5000\nmemory_limit = 256M\nupload_max_filesize = 100M\n')
  const steps = change(site, to)
  await runSteps(steps.slice(0, 4))
  expect(await isOpen(site)).toBe(false)
  expect(await text(to, ini)).toContain('max_input_vars = 5000')
  expect(await t.effects(), 'PHP has read it').toContain(`reload ${to} php`)
  await t.engine.domains.undoChange(site)
  // As a job does whose undo was complete on the server, but not for the job.
  for (const step of steps.slice(1))
    expect(await failureOf(() => runSteps([step])), step.key).toMatchObject({ code: 'conflict' })
  const configure = noteMove(t.context, site, ['configure', 'wp'], AbortSignal.timeout(60_000))
  await expect(configure).rejects.toMatchObject({ code: 'unavailable' })
  expect([await isOpen(site), (await t.engine.wordpress.inspect(site)).events.paused]).toEqual([true, false])
  expect(await readdir(path('.', '.'))).not.toContain(to)
})

test('an end waits for its turn on a busy server, and stops where its caller does', { timeout: 600_000 }, async () => {
  const site = await t.create()
  const to = 'patient.example.com'
  await runSteps(change(site, to))
  const { domains } = t.engine
  await expect(domains.undoChange(site, AbortSignal.abort())).rejects.toThrow()
  await expect(domains.finishChange(as(site, to), AbortSignal.abort())).rejects.toThrow()
  // Of an undo that comes to its end while the change has begun once more.
  await noteMove(t.context, site, ['forget', site.domain, to], AbortSignal.timeout(60_000))
  expect([await isOpen(site), (await domains.read(site)).changingTo]).toEqual([false, to])
  const isFree = join(t.root, 'is-free')
  const other = { id: 'other', argv: ['sh', '-c', `until [ -e '${isFree}' ]; do sleep 0.1; done`] }
  await t.context.ssh.start(targetOf(t.server), other, { deadlineMs: 30_000 })
  let connections = 0
  let late = 0
  const { now } = Date
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + late)
  onConnection = () => {
    late += 60_000
    if ((connections += 1) === 20) writeFileSync(isFree, '')
  }
  // It is away for a while, too.
  fates = Array.from({ length: 8 }, () => 'before')
  await domains.finishChange(as(site, to))
  onConnection = () => {}
  clock.mockRestore()
  expect(connections).toBeGreaterThan(20)
  expect((await t.engine.request(as(site, to), '/')).status).toBe(200)
})

test('nothing is switched to a copy once visitors may be back on the site before', { timeout: 600_000 }, async () => {
  const site = await t.create({ siteType: 'wp' })
  const { engine } = t
  const to = 'stale.example.com'
  await runSteps(change(site, to))
  // The server fails as soon as visitors are back: that is when our own pass goes.
  const pass = join(t.root, 'var/lib/easydash/keys', `${site.domain}.pass`)
  onConnection = () => {
    if (!existsSync(pass)) writeFileSync(join(t.root, 'var/lib/simulated/traps'), 'docker_down\n')
  }
  await expect(engine.domains.undoChange(site)).rejects.toThrow()
  onConnection = () => {}
  await t.setTraps()
  expect(await isOpen(site)).toBe(true)
  await engine.files.write(site, 'order.txt', 'written since', null)
  expect(await failureOf(() => engine.domains.finishChange(as(site, to)))).toMatchObject({ code: 'conflict' })
  expect((await engine.domains.read(site)).changingTo).toBe(to)
  // Another attempt begins anew.
  const now = await changed(site, to)
  expect(await engine.files.read(now, 'order.txt')).toMatchObject({ content: 'written since' })
})

test('refuses what would be lost, and changes nothing', { timeout: 600_000 }, async () => {
  const { engine } = t
  const html = await t.create()
  const other = await t.create()
  const before = (await t.effects()).length
  const refused = (site: SiteSpec, to: string, aliases: readonly EngineAlias[] = []) =>
    failureOf(() => runSteps(change(site, to, aliases)))
  for (const to of [other.domain, other.domain.replace('-', '')])
    expect(await refused(html, to), to).toMatchObject({ code: 'conflict' })
  for (const to of ['a b', 'x;reboot', '10.0.0.1']) expect(() => change(html, to), to).toThrow()
  expect(await t.effects()).toHaveLength(before)
  await engine.domains.undoChange(html)
  const wp = await t.create({ siteType: 'wp' })
  await t.ee('cron', 'create', wp.domain, '--command=true', '--schedule=@daily')
  expect(await refused(wp, 'free.example.com')).toMatchObject({ message: expect.stringContaining('scheduler') })
  expect(await engine.domains.read(html)).toEqual({ domain: html.domain, aliases: [], changingTo: null })
})

test('wherever connections break, each effect comes once', { timeout: 900_000 }, async () => {
  const { engine } = t
  const moments = ['before', 'during', 'after'] as const
  let site = await t.create()
  /** As a job tries a step again whose connection broke. */
  const persist = async (work: () => Promise<unknown>) => {
    for (let left = 30; ; left -= 1)
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof SshError) || left === 0) throw error
      }
  }
  for (const [round, moment] of moments.entries()) {
    const to = `round-${round}.example.com`
    const before = (await t.effects()).length
    // Without a period: another one breaks when a step is tried again.
    let seed = round + 1
    fates = Array.from({ length: 700 }, () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
      return Math.floor(seed / 65_536) % 9 === 0 ? moment : null
    })
    for (const step of engine.domains.changeSteps(site, to, [{ domain: site.domain, mode: 'redirect' }]))
      await persist(() => runSteps([step]))
    await persist(() => engine.domains.finishChange(as(site, to)))
    fates = []
    const effects = (await t.effects()).slice(before)
    const counted = (start: string) => effects.filter((line) => line.startsWith(start)).length
    expect([counted(`create ${to}`), counted(`delete ${site.domain}`)]).toEqual([1, 1])
    expect((await engine.request(as(site, site.domain), '/')).status).toBe(301)
    site = as(site, to)
    expect((await engine.request(site, '/')).status).toBe(200)
  }
  expect(await t.violations()).toEqual([])
})
