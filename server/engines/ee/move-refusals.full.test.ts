import { appendFile, mkdir, readFile, realpath, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answerByRules } from '#server/providers/simulator/easyengine/nginx-rules.ts'
import { failureOf } from '#tests/contracts/engine-failure.ts'
import { runSteps } from '#tests/contracts/run-steps.ts'
import { startEeServer, type EeServer } from '#tests/support/ee-server.ts'
import type { SiteSpec } from '../engine.ts'
import type { HttpAuth } from '../site-settings.ts'
import { noteMove } from './move-state.ts'

let t: EeServer
beforeAll(async () => {
  t = await startEeServer()
})
afterAll(() => t?.end())

const path = (domain: string, file: string) => join(t.root, 'opt/easyengine/sites', domain, file)
const auth = { user: 'guest', password: 'Secret0123456789' }
const steps = (site: SiteSpec, to: string, httpAuth: HttpAuth | null = null) =>
  t.engine.domains.changeSteps(site, to, [], httpAuth)
const refused = (site: SiteSpec, httpAuth: HttpAuth | null = null) =>
  failureOf(() => runSteps(steps(site, 'free.example.com', httpAuth)))

test('refuses sites with what is not copied, by its name', { timeout: 300_000 }, async () => {
  const site = await t.create()
  const files = ['app/keys/private.pem', 'app/.ssh/id', 'config/nginx/custom/mine.conf', 'docker-compose-custom.yml']
  for (const file of files) {
    await mkdir(join(path(site.domain, file), '..'), { recursive: true })
    await writeFile(path(site.domain, file), '')
    const name = file.startsWith('app') ? file.split('/', 2).join('/') : file
    expect(await refused(site), file).toMatchObject({ code: 'conflict', message: expect.stringContaining(name) })
    await rm(path(site.domain, name), { recursive: true })
  }
  const mounts = join(t.root, 'proc/mounts')
  const app = await realpath(path(site.domain, 'app'))
  await writeFile(mounts, `nas:/a ${app}/htdocs/uploads nfs rw 0 0\n`)
  expect(await refused(site)).toMatchObject({ message: expect.stringContaining('mounted/app/htdocs/uploads') })
  await writeFile(mounts, `/dev/sda1 / ext4 rw 0 0\nnas:/a ${app} nfs rw 0 0\n`)
  // Programs of a shell leave these.
  for (const name of ['.config', '.npm', '.local']) await mkdir(path(site.domain, `app/${name}`))
  const php = await t.create({ siteType: 'php' })
  expect(await refused(php)).toMatchObject({ code: 'unsupported' })
  const old = await t.create({ siteType: 'wp' })
  await t.ee('site', 'update', old.domain, '--php=8.1')
  for (const phpVersion of [old.phpVersion, '8.1'])
    expect(await refused({ ...old, phpVersion })).toMatchObject({
      ...{ code: 'conflict', message: expect.stringContaining('PHP 8.1') },
      nextAction: { text: expect.stringContaining('PHP version') },
    })
  await runSteps(steps(site, 'free.example.com'))
  await t.engine.domains.undoChange(site)
  expect(await t.violations()).toEqual([])
})

test('refuses what visitors are asked for and nobody here knows', { timeout: 300_000 }, async () => {
  const site = await t.create()
  expect(await refused(site, auth), 'off on the server').toMatchObject({ code: 'conflict' })
  await t.engine.settings.change(site, { httpAuth: auth })
  await t.ee('auth', 'update', site.domain, '--user=guest', '--pass=Another0123456789')
  expect(await refused(site, auth), 'another password').toMatchObject({ code: 'conflict' })
  await t.ee('auth', 'update', site.domain, '--user=guest', `--pass=${auth.password}`)
  await t.ee('auth', 'create', site.domain, '--user=further', '--pass=Another0123456789')
  expect(await refused(site, auth), 'another user').toMatchObject({ code: 'conflict' })
  await t.ee('auth', 'delete', site.domain, '--user=further')
  await t.ee('auth', 'create', site.domain, '--ip=192.0.2.1')
  expect(await refused(site, auth), 'addresses').toMatchObject({ code: 'conflict' })
})

test('copies no more than there is room for, whatever a file says', { timeout: 300_000 }, async () => {
  const site = await t.create()
  const disk = join(t.root, 'etc/disk')
  const before = await readFile(disk, 'utf8')
  await writeFile(path(site.domain, 'app/htdocs/holes'), '')
  await truncate(path(site.domain, 'app/htdocs/holes'), 15_000_000)
  await writeFile(disk, `41943040 0 ${524_288 + 10_240} 50%`)
  expect(await refused(site)).toMatchObject({ message: expect.stringContaining('could not be copied') })
  const copy = join(await realpath(path('free.example.com', 'app')), '../easydash-restore/next/htdocs/holes')
  expect((await stat(copy)).size).toBeLessThan(11_000_000)
  await writeFile(disk, before)
  await t.engine.domains.undoChange(site)
})

test('refuses aliases of the server beside a certificate that cannot have them', { timeout: 300_000 }, async () => {
  const site = await t.create()
  await t.ee('site', 'update', site.domain, '--add-alias-domains=theirs.example.com')
  await t.ee('site', 'update', site.domain, '--ssl=self')
  expect(await refused(site)).toMatchObject({ message: expect.stringContaining('Let’s Encrypt') })
})

test('refuses while a database is being put back', { timeout: 300_000 }, async () => {
  const site = await t.create({ siteType: 'wp' })
  const kept = join(t.root, 'var/lib/easydash/statements', site.domain)
  await mkdir(kept, { recursive: true })
  await writeFile(join(kept, 'dump.sql'), '')
  for (const stage of ['closing', 'restoring', 'restored', 'returning']) {
    await writeFile(join(kept, 'note'), `0123456789abcdef - ${stage} - - - ${site.id} /var/www/htdocs\n`)
    expect(await refused(site), stage).toMatchObject({ message: expect.stringContaining('being put back') })
  }
})

test('keeps signed-in people out as well, and leaves maintenance as it was', { timeout: 300_000 }, async () => {
  const site = await t.create({ siteType: 'wp' })
  await t.engine.settings.change(site, { maintenance: true })
  /** What somebody who is signed in gets; null: the site itself. */
  const signedIn = async (domain: string) => {
    const config = await readFile(path(domain, 'config/nginx/custom/user.conf'), 'utf8')
    const headers = { cookie: 'wordpress_logged_in_0a=ann' }
    return answerByRules(config, { path: '/wp-admin/', query: '', uri: '/wp-admin/', headers })?.status ?? null
  }
  expect(await signedIn(site.domain)).toBe(null)
  await runSteps(steps(site, 'closed.example.com'))
  const now = { ...site, domain: 'closed.example.com' }
  expect([await signedIn(site.domain), await signedIn(now.domain)]).toEqual([503, 503])
  for (const one of [site, now]) expect((await t.engine.request(one, '/')).status).toBe(200)
  await t.engine.domains.undoChange(site)
  expect(await signedIn(site.domain)).toBe(null)
  await runSteps(steps(site, now.domain))
  await t.engine.domains.finishChange(now)
  expect([await signedIn(now.domain), (await t.engine.settings.read(now)).maintenance]).toEqual([null, true])
  expect((await t.engine.request(now, '/')).status).toBe(200)
})

test('writes through no link of the site', { timeout: 300_000 }, async () => {
  const site = await t.create({ siteType: 'wp' })
  await runSteps(steps(site, 'linked.example.com').slice(0, 2))
  const config = path('linked.example.com', 'app/wp-config.php')
  const outside = join(t.root, 'outside')
  const before = await readFile(config, 'utf8')
  await writeFile(outside, before)
  await appendFile(path(site.domain, 'app/wp-config.php'), "define( 'MINE', 'x' );\n")
  await rm(config)
  await symlink(outside, config)
  const signal = AbortSignal.timeout(60_000)
  expect(await failureOf(() => noteMove(t.context, site, ['configure', 'wp'], signal))).toMatchObject({
    code: 'unavailable',
  })
  expect(await readFile(outside, 'utf8')).toBe(before)
  await t.engine.domains.undoChange(site)
})
