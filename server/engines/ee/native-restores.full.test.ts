import { mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { exists } from '#server/platform/files/exists.ts'
import type { SiteSpec } from '../engine.ts'
import type { WordPressPerson } from '../wordpress-person.ts'
import type { NativeBackup, NativeRestores } from '../site-backups.ts'
import { runSteps } from '#tests/contracts/run-steps.ts'
import { keepEasyEngineBackups } from '#tests/support/ee-backups.ts'
import { eeSpec, startEeServer, type EeServer } from '#tests/support/ee-server.ts'
import { makeLoginLink } from './login.ts'

let t: EeServer
let site: SiteSpec
let native: NativeRestores
let backup: NativeBackup

const conf = () => join(t.root, 'opt/easyengine/sites', site.domain, 'config/nginx/custom/user.conf')
const area = (path = '') => join(t.root, 'opt/easyengine/.backup', `${site.domain}${path}`)
const person: WordPressPerson = {
  ...{ key: 'key0000001', role: 'administrator' as const, login: 'ann', name: 'Ann' },
  ...{ email: 'ann@acme.example', reserved: 'admin' },
}
const inSite = (path: string) => join(t.root, 'opt/easyengine/sites', site.domain, 'app/htdocs', path)
const read = (path: string) => readFile(inSite(path), 'utf8').catch(() => null)
const restores = async () => (await t.effects()).filter((line) => line.startsWith('restore '))
/** Restores as a job with this id, and returns its log. */
const restore = (operation: string, what = backup) =>
  runSteps(native.restoreSteps(site, what), AbortSignal.timeout(120_000), operation)
const change = async () => {
  await t.engine.settings.changeWordPress(site, { title: 'Changed' }, { expected: { title: 'Kept' } })
  await writeFile(inSite('wp-content/later.txt'), 'later')
}
const title = async () => /<title>(.*)<\/title>/.exec((await t.engine.request(site, '/')).body)?.[1]

beforeAll(async () => {
  t = await startEeServer()
  site = eeSpec(t.server, { id: 'native0001', domain: 'native.example.com', title: 'Kept' })
  await runSteps(t.engine.createSteps(site))
  native = t.engine.restores.native as NativeRestores
  await keepEasyEngineBackups(t)
  await t.engine.settings.change(site, { memoryMb: 384, uploadMb: 64 })
  await t.ee('site', 'backup', site.domain)
  const [id = ''] = await readdir(join(t.root, 'var/lib/simulated/rclone/store/bucket', site.domain))
  backup = { id, wordpressVersion: '6.8.2', counts: { posts: 1, pages: 1, users: 1, themes: 1 } }
}, 120_000)
afterEach(() => t.setTraps())
afterAll(() => t?.end())

test('EasyEngine puts its backup back, and what is set from Easydash stays as it is now', async () => {
  await change()
  await t.engine.settings.change(site, { memoryMb: 128, uploadMb: 64, maintenance: true })
  await makeLoginLink(t.context, site, { person, ttlSeconds: 60 })
  const before = await readFile(conf(), 'utf8')
  await native.assertKept(site, backup, AbortSignal.timeout(60_000))
  const logged = await restore('op-1')
  expect(await read('wp-content/later.txt')).toBeNull()
  expect(await readFile(conf(), 'utf8')).toBe(before)
  expect(await t.engine.settings.read(site)).toMatchObject({ memoryMb: 128, maintenance: true })
  // It comes with the next link.
  expect(await read('wp-content/mu-plugins/easydash-login.php')).toBeNull()
  expect(await exists(inSite('wp-content/easydash-login'))).toBe(false)
  await t.engine.settings.change(site, { maintenance: false })
  expect(await title()).toBe('Kept')
  // The password of the database is nobody's to read.
  expect(logged).toContain('Restoring site files.')
  expect(logged.join('\n')).not.toMatch(/DB_|value '/)
  expect(await native.outcome(site, 'op-1')).toBe('restored')
  expect(await native.outcome(site, 'op-2')).toBe('untouched')
  // Whoever comes back to it does not have it done twice.
  const count = (await restores()).length
  await restore('op-1')
  expect(await restores()).toHaveLength(count)
  expect(await t.violations()).toEqual([])
}, 300_000)

test('a backup that EasyEngine removed, and a restore that it refuses, change nothing', async () => {
  await change()
  const gone = { ...backup, id: '1700000000_2023-11-14-22-13-20' }
  const look = native.assertKept(site, gone, AbortSignal.timeout(60_000))
  await expect(look).rejects.toMatchObject({ code: 'conflict' })
  await expect(restore('op-gone', gone)).rejects.toMatchObject({
    message: expect.stringContaining('Invalid backup ID'),
  })
  expect(await native.outcome(site, 'op-gone')).toBe('untouched')
  // Somebody else's is at work: its lock is not ours to remove.
  await writeFile(area('.lock'), 'lock')
  await expect(restore('op-locked')).rejects.toMatchObject({ message: expect.stringContaining('another backup') })
  expect(await native.outcome(site, 'op-locked')).toBe('untouched')
  expect((await stat(area('.lock'))).isFile()).toBe(true)
  await rm(area('.lock'))
  await t.setTraps('docker_down=ee')
  await expect(restore('op-down')).rejects.toMatchObject({ code: 'unavailable' })
  expect(await title()).toBe('Changed')
}, 300_000)

test('what EasyEngine calls a success without having unpacked the files is none', async () => {
  await t.setTraps('disk_full')
  await expect(restore('op-full')).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('themes: 0 / 1'),
  })
  await t.setTraps()
  expect(await native.outcome(site, 'op-full')).toBe('restored')
  await expect(restore('op-version', { ...backup, wordpressVersion: '5.0' })).rejects.toMatchObject({
    code: 'conflict',
  })
}, 300_000)

test('one that was ended in the middle goes on, with nothing of another download', async () => {
  await change()
  // As a power cut leaves it: the lock of EasyEngine, and what it had fetched of some backup.
  await writeFile(join(t.root, 'var/lib/easydash/natives/native0001/state'), 'op-cut begun\n')
  await mkdir(area(), { recursive: true })
  await writeFile(area('/metadata.json'), JSON.stringify({ site_type: 'php' }))
  await writeFile(area('.lock'), 'lock')
  expect(await native.outcome(site, 'op-cut')).toBe('changed')
  await restore('op-cut')
  expect(await title()).toBe('Kept')
  expect(await exists(area('.lock'))).toBe(false)
  expect(await native.outcome(site, 'op-cut')).toBe('restored')
}, 300_000)
