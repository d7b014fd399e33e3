import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eeSpec, startEeServer, type EeServer } from '#tests/support/ee-server.ts'
import type { BreakMoment } from '#server/platform/ssh/simulated-server.ts'
import { runSteps } from '#tests/contracts/run-steps.ts'
import { openDatabase } from '#server/providers/simulator/easyengine/database.ts'
import type { SiteSpec } from '../engine.ts'

const moments = ['before', 'during', 'after'] as const
/** What happens to the next connections. */
let fates: (BreakMoment | null)[] = []
let broken = 0
let commands = 0
let t: EeServer
let site: SiteSpec

beforeAll(async () => {
  t = await startEeServer(null, () => {
    commands += 1
    const fate = fates.shift() ?? null
    if (fate !== null) broken += 1
    return fate
  })
  site = eeSpec(t.server, { siteType: 'php', id: 'drops00001', domain: 'drops.example.com' })
  await runSteps(t.engine.createSteps(site))
})
afterAll(() => t?.end())

/** Runs work whose command of this number is cut off at a moment; it may have fewer. */
async function cutOff(at: number, moment: BreakMoment, work: () => Promise<unknown>): Promise<void> {
  fates = [...Array.from({ length: at }, () => null), moment]
  await work()
  fates = []
}

// Whatever is done twice fails, or leaves something in the trash that it should not.
test('each change of files is made exactly once, wherever its connection breaks', { timeout: 1_200_000 }, async () => {
  const { files } = t.engine
  const source = join(t.root, 'upload')
  const namesIn = async (folder: string) => (await files.list(site, folder)).entries.map(({ name }) => name)
  for (let round = 0; broken < 80; round += 1) {
    const folder = `round-${round}`
    const moment = moments[round % 3] ?? 'after'
    const at = Math.floor(round / 3) % 3
    const path = (name: string) => `${folder}/${name}`
    await cutOff(at, moment, () => files.makeFolder(site, folder))
    await cutOff(at, moment, () => files.write(site, path('a'), 'first', null))
    const { version } = await files.read(site, path('a'))
    await cutOff(at, moment, () => files.write(site, path('a'), 'second', version))
    await cutOff(at, moment, () => files.copy(site, path('a'), path('b')))
    await cutOff(at, moment, () => files.move(site, [{ from: path('b'), to: path('c') }]))
    await writeFile(source, `upload ${round}`)
    await cutOff(at, moment, () => files.put(site, path('c'), source, true))
    await cutOff(at, moment, () => files.remove(site, [path('a')]))
    expect(await namesIn(folder)).toEqual(['c'])
    const trash = await files.trash(site)
    expect(trash.map(({ paths }) => paths)).toEqual([[path('a')], [path('c')]])
    await cutOff(at, moment, () => files.restore(site, trash[0]?.id ?? ''))
    expect((await files.read(site, path('a'))).content).toBe('second')
    expect((await files.read(site, path('c'))).content).toBe(`upload ${round}`)
    await cutOff(at, moment, () => files.emptyTrash(site))
    expect(await files.trash(site)).toEqual([])
  }
})

test('so is each change that EasyEngine makes', { timeout: 1_200_000 }, async () => {
  for (let round = 0; broken < 100; round += 1) {
    const before = (await t.effects()).length
    const version = round % 2 === 0 ? '8.4' : '8.3'
    await cutOff(Math.floor(round / 3) % 6, moments[round % 3] ?? 'after', () => t.engine.setPhpVersion(site, version))
    expect((await t.engine.observe(site, { measure: false })).phpVersion).toBe(version)
    expect(await t.effects()).toHaveLength(before + 1)
  }
  expect(await t.violations()).toEqual([])
})

test('a server is asked for 200 sites by one command, as for one', { timeout: 300_000 }, async () => {
  const asked = async () => {
    const before = commands
    const sites = await t.engine.host.sites(t.server)
    return { sites: sites.length, commands: commands - before }
  }
  expect(await asked()).toEqual({ sites: 1, commands: 1 })
  const database = openDatabase({ path: (path) => join(t.root, path) })
  for (let index = 1; index < 200; index += 1)
    database.insert('sites', {
      ...{
        site_url: `site-${index}.example.net`,
        site_type: 'wp',
        app_sub_type: 'wp',
        site_enabled: 1,
        site_ssl: 'le',
      },
      ...{ php_version: '8.3', db_name: `db${index}`, app_admin_url: `Site ${index}`, app_admin_username: 'admin' },
      ...{ site_fs_path: '', site_container_fs_path: '/var/www/htdocs' },
      alias_domains: `site-${index}.example.net,www.site-${index}.example.net`,
    })
  database.close()
  expect(await asked()).toEqual({ sites: 200, commands: 1 })
  // So is whoever looks at one of them.
  const found = { ...site, id: 'found00199', domain: 'site-199.example.net', isFound: true }
  const before = commands
  expect(await t.engine.observe(found, { measure: false })).toMatchObject({ state: 'running', phpVersion: '8.3' })
  expect(commands - before).toBeLessThan(5)
})
