import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { startRestoreFixture } from '#tests/support/ee-restores.ts'
import { eeSpec, startEeServer, type EeServer } from '#tests/support/ee-server.ts'
import { safeFetch } from '#server/platform/network/fetch.ts'
import { runSteps } from '#tests/contracts/run-steps.ts'
import type { SiteSpec } from '../engine.ts'

import { readSite, workdirOf } from './site-of.ts'
import { runWp } from './wp.ts'

let t: EeServer
afterEach(() => t?.end())

/** What a visitor gets, who may get a page that is kept; our own requests do not. */
async function titleOf({ domain }: SiteSpec, path = '/') {
  const network = { addressMap: t.cloud.addressMap, allowPrivateCidrs: [], at: t.server.address ?? '' }
  const { body } = await safeFetch(`http://${domain}${path}`, { profile: 'tenant', ...network })
  return /<title>(.*)<\/title>/.exec(body.toString('utf8'))?.[1]
}

async function entitle(site: SiteSpec, title: string): Promise<void> {
  const { row } = await readSite(t.context, site)
  if (row === null) throw new Error('There is no such site.')
  await runWp(t.context, site, { workdir: workdirOf(row), args: ['option', 'update', 'blogname'], input: title })
}

test('pages that Redis keeps are shown until the cache is cleared, which leaves those of other sites', async () => {
  t = await startEeServer()
  const [cached, plain, neighbor] = [
    eeSpec(t.server, { objectCache: true, title: 'Before' }),
    eeSpec(t.server, { id: 'plainplain', domain: 'plain.example.com', title: 'Before' }),
    // Its domain ends as the other one does.
    eeSpec(t.server, { id: 'neighborsi', domain: 'my.shop.example.com', objectCache: true, title: 'Before' }),
  ]
  const own = eeSpec(t.server, { id: 'ownredisss', domain: 'own.example.net', isFound: true })
  for (const one of [cached, plain, neighbor]) await runSteps(t.engine.createSteps(one))
  await t.ee('site', 'create', own.domain, '--type=wp', '--php=8.3', '--cache', '--with-local-redis', '--title=Before')
  const sites = [cached, plain, neighbor, own]
  // What wp-redis puts there: by it, a flush by WordPress empties the Redis of all sites.
  for (const { domain } of [cached, neighbor])
    await writeFile(join(t.root, 'opt/easyengine/sites', domain, 'app/htdocs/wp-content/object-cache.php'), '<?php\n')
  const seen = () => Promise.all(sites.map((one) => titleOf(one)))
  expect(await seen()).toEqual(['Before', 'Before', 'Before', 'Before'])
  for (const one of sites) await entitle(one, 'After')
  expect(await seen()).toEqual(['Before', 'After', 'Before', 'Before'])
  expect(await titleOf(cached, '/?fresh'), 'only the kept page is old').toBe('After')

  await t.engine.wordpress.change(cached, { kind: 'flush_cache' }, { safe: true })
  expect(await seen()).toEqual(['After', 'After', 'Before', 'Before'])
  for (const one of [own, plain]) await t.engine.wordpress.change(one, { kind: 'flush_cache' })
  expect(await seen()).toEqual(['After', 'After', 'Before', 'After'])

  await t.setTraps(`redis_fails`)
  await expect(t.engine.wordpress.change(cached, { kind: 'flush_cache' })).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('Redis did not remove the pages') as string,
  })
  expect(await t.violations()).toEqual([])
}, 300_000)

test('no page is left of what a restore replaced, nor of a restore that was taken back', async () => {
  const fixture = await startRestoreFixture(
    { id: 'restorered', domain: 'redis.example.com', objectCache: true },
    async () => undefined,
  )
  ;({ t } = fixture)
  const { site } = fixture
  expect(await titleOf(site)).toBe('Kept')
  await entitle(site, 'Changed')
  await t.engine.wordpress.change(site, { kind: 'flush_cache' })
  expect(await titleOf(site)).toBe('Changed')
  await fixture.runAs('restored', fixture.restore('database'))
  expect(await titleOf(site)).toBe('Kept')
  expect(await t.engine.restores.undoRestore(site, 'restored')).toBe('undone')
  expect(await titleOf(site)).toBe('Changed')
  expect(await t.violations()).toEqual([])
}, 300_000)

test('reading and changing settings, SQL, and what is taken back leave the Redis of other sites alone, and nothing old in their own', async () => {
  t = await startEeServer()
  const [site, neighbor] = [
    eeSpec(t.server, { objectCache: true, title: 'Before' }),
    eeSpec(t.server, { id: 'neighborsi', domain: 'neighbor.example.com', objectCache: true, title: 'Before' }),
  ]
  for (const one of [site, neighbor]) {
    await runSteps(t.engine.createSteps(one))
    await writeFile(
      join(t.root, 'opt/easyengine/sites', one.domain, 'app/htdocs/wp-content/object-cache.php'),
      '<?php\n',
    )
  }
  const { settings, database, wordpress } = t.engine
  expect(await titleOf(neighbor)).toBe('Before')
  await entitle(neighbor, 'After')
  const untouched = async (what: string) => expect(await titleOf(neighbor), what).toBe('Before')

  await settings.readWordPress(site)
  await untouched('settings')
  await settings.changeWordPress(site, { title: 'Changed' }, { expected: { title: 'Before' }, operationId: 'op' })
  await settings.undoWordPress(site, 'op')
  await untouched('changed settings')
  expect(await titleOf(site)).toBe('Before')
  await database.write(site, "UPDATE wp_options SET option_value = 'By SQL' WHERE option_name = 'blogname'")
  await untouched('SQL')
  await wordpress.change(site, { kind: 'flush_cache' }, { safe: true })
  await untouched('the cache of another site')
}, 300_000)
