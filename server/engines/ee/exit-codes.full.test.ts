import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { failureOf } from '#tests/contracts/engine-failure.ts'
import { runSteps } from '#tests/contracts/run-steps.ts'
import { startEeServer, type EeServer } from '#tests/support/ee-server.ts'
import { restartKinds } from '#shared/rules/site-restarts.ts'
import type { SiteSpec } from '../engine.ts'

let t: EeServer
let wp: SiteSpec
let php: SiteSpec
beforeAll(async () => {
  t = await startEeServer()
  await t.ee('config', 'set', 'le-mail', 'ops@example.com')
  wp = await t.create({ siteType: 'wp' })
  php = await t.create({ siteType: 'php' })
  await t.engine.settings.change(php, { httpAuth: { user: 'guest', password: 'First0123456789' } })
})
afterEach(() => t.setTraps())
afterAll(() => t?.end())

/** What is had of both sites. */
const facts = () =>
  Promise.all(
    [wp, php].map(async (site) => ({
      seen: await t.engine.observe(site, { measure: false }),
      settings: await t.engine.settings.read(site),
      services: await t.engine.services.read(site),
      domains: await t.engine.domains.read(site),
      certificate: await t.engine.certificates.read(site),
      events: site === wp ? (await t.engine.wordpress.inspect(site)).events.paused : null,
    })),
  )

const how = { operationId: 'restart-1', signal: new AbortController().signal, log: () => undefined }

const changes: Readonly<Record<string, () => Promise<unknown>>> = {
  ...Object.fromEntries(restartKinds.map((kind) => [kind, () => t.engine.restart(php, { ...how, kind })])),
  'the PHP version': () => t.engine.setPhpVersion(php, '8.4'),
  limits: () => t.engine.settings.change(php, { memoryMb: 384 }),
  'HTTP authentication': () =>
    t.engine.settings.change(wp, { httpAuth: { user: 'guest', password: 'Other0123456789' } }),
  'another password': () =>
    t.engine.settings.change(php, { httpAuth: { user: 'guest', password: 'Second0123456789' } }),
  'no password': () => t.engine.settings.change(php, { httpAuth: null }),
  maintenance: () => t.engine.settings.change(wp, { maintenance: true }),
  'scheduled events': () => t.engine.wordpress.change(wp, { kind: 'pause_events', paused: true }),
  'the proxy cache': () => t.engine.services.setProxyCache(php, true),
  MailHog: () => t.engine.services.setMailCatcher(php, true),
  aliases: () => t.engine.domains.setAliases(php, [{ domain: 'alias.example.com', mode: 'serve' }]),
  'a certificate': () => t.engine.certificates.change(php, 'le'),
  suspending: () => t.engine.settings.suspend(wp),
  archiving: () => runSteps(t.engine.archiveSteps(php)),
  deletion: () => t.engine.destroy(php),
}

test('what EasyEngine did not do has failed, although it ended with 0 because its own check of Docker failed', async () => {
  const before = await facts()
  const effects = await t.effects()
  await t.setTraps('docker_down=ee')
  for (const [name, change] of Object.entries(changes)) {
    const { code, message } = await failureOf(change)
    expect([name, code, message]).toEqual([
      name,
      'unavailable',
      expect.stringMatching(/Docker not installed|cannot be read/),
    ])
  }
  await t.setTraps()
  expect(await facts()).toEqual(before)
  expect(await t.effects()).toEqual(effects)
})

test('a restart is done once for each operation, and not with a configuration that the web server refuses', async () => {
  const count = async () => (await t.effects()).filter((line) => /^(?:restart|reload|enable) /.test(line)).length
  const before = await count()
  for (const kind of restartKinds) {
    await t.engine.restart(wp, { ...how, operationId: `once-${kind}`, kind })
    await t.engine.restart(wp, { ...how, operationId: `once-${kind}`, kind })
  }
  expect(await count()).toBe(before + restartKinds.length)
  const conf = join(t.root, 'opt/easyengine/sites', wp.domain, 'config/nginx/custom/user.conf')
  await writeFile(conf, 'server {')
  for (const kind of ['restart', 'reload'] as const)
    expect(await failureOf(() => t.engine.restart(wp, { ...how, operationId: `refused-${kind}`, kind }))).toMatchObject(
      {
        code: 'unavailable',
        message: expect.stringContaining('The web server refuses the configuration of the site.') as string,
      },
    )
  await rm(conf)
  expect(await count()).toBe(before + restartKinds.length)
  await t.ee('site', 'disable', wp.domain)
  expect(await failureOf(() => t.engine.restart(wp, { ...how, kind: 'restart' }))).toMatchObject({ code: 'conflict' })
  await t.ee('site', 'enable', wp.domain)
})

test('a site that is suspended refuses each change in words for people, and is as it was when it runs again', async () => {
  const before = await facts()
  for (const site of [wp, php]) await t.engine.settings.suspend(site)
  const effects = await t.effects()
  const { suspending: _suspending, archiving: _archiving, deletion: _deletion, ...refused } = changes
  for (const [name, change] of Object.entries(refused)) {
    const { code, message } = await failureOf(change)
    expect([name, code, message]).toEqual([name, 'conflict', 'The site does not run at the moment.'])
  }
  expect(await t.effects()).toEqual(effects)
  for (const site of [wp, php]) await t.engine.settings.resume(site)
  expect(await facts()).toEqual(before)
})
