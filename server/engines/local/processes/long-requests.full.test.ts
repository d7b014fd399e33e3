import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { wordpressPerson } from '#tests/support/wordpress-person.ts'
import type { SiteSpec } from '../../engine.ts'
import { startFixture, until, type EngineFixture } from '../engine-fixture.ts'

let fixture: EngineFixture
let site: SiteSpec
let cookie = ''
let dataDir = ''
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'long-'))
  // Made without the short limit.
  fixture = await startFixture({ dataDir })
  site = await fixture.create({ siteType: 'wp' })
  await fixture.end()
  fixture = await startFixture({ dataDir, port: fixture.port, requestSeconds: 15, adminRequestSeconds: 60 })
  const link = new URL(await fixture.engine.loginLink(site, wordpressPerson(), 30))
  const { headers } = await fixture.fetch(site, link.pathname + link.search)
  cookie = (headers['set-cookie'] ?? []).map((value) => value.split(';')[0]).join('; ')
  await fixture.writeFile(
    site,
    'wp-admin/limit.php',
    `<?php require '/wordpress/wp-load.php'; set_time_limit(0); echo ini_get('max_execution_time');
    if (isset($_GET['s'])) { file_put_contents(__DIR__ . '/begun', '1'); for ($until = microtime(true) + $_GET['s']; microtime(true) < $until;); echo ' done'; }`,
  )
  await fixture.writeFile(
    site,
    'busy.php',
    `<?php file_put_contents('begun', '1'); if (isset($_GET['head'])) { echo '<p>First part</p>', str_repeat(' ', 5000); flush(); } while (true);`,
  )
  await fixture.writeFile(
    site,
    'wait.php',
    `<?php file_put_contents('waits', '1'); for ($s = 0; $s < 60; $s++) sleep(1); echo 'waited';`,
  )
  await fixture.writeFile(
    site,
    'wp-admin/slow-order.php',
    `<?php require '/wordpress/wp-load.php'; for ($s = 0; $s < 17; $s++) sleep(1); file_put_contents('/wordpress/slow', "sent\n", FILE_APPEND); echo 'sent';`,
  )
  await fixture.writeFile(
    site,
    'order.php',
    `<?php file_put_contents('orders', file_get_contents('php://input') . "\\n", FILE_APPEND); echo 'ordered';`,
  )
})
afterAll(async () => {
  await fixture.end()
  await rm(dataDir, { recursive: true, force: true })
})

const has = (name: string) => until(() => existsSync(join(fixture.dataDir, 'local', 'sites', site.id, 'www', name)))

it('PHP knows the limit, which is longer for people who are signed in to wp-admin', async () => {
  expect((await fixture.fetch(site, '/wp-admin/limit.php')).body).toBe('15')
  expect((await fixture.fetch(site, '/wp-admin/limit.php?s=22', { headers: { cookie } })).body).toBe('60 done')
})

it('a script that somebody gives up while it waits for a long request does not end that', async () => {
  // Of the test before.
  await fixture.php(site, `unlink('wp-admin/begun');`)
  const long = fixture.fetch(site, '/wp-admin/limit.php?s=8', { headers: { cookie } })
  await has('wp-admin/begun')
  const { wordpress } = fixture.engine
  const activation = wordpress.change(
    site,
    { kind: 'activate_plugin', plugin: 'hello.php' },
    { signal: AbortSignal.timeout(1000) },
  )
  await expect(activation).rejects.toThrow(/timeout/)
  expect((await long).body).toBe('60 done')
  // Nor did it run later.
  const plugins = await wordpress.plugins(site)
  expect(plugins.find(({ id }) => id === 'hello.php')?.active).toBe(false)
})

it('a request that takes too long is ended and says so; others are answered', async () => {
  const ended = fixture.fetch(site, '/busy.php')
  await has('begun')
  // They wait while it computes.
  const [page, order] = [
    fixture.fetch(site, '/'),
    fixture.fetch(site, '/order.php', { method: 'POST', body: 'one chair' }),
  ]
  expect(await ended).toMatchObject({
    status: 504,
    body: expect.stringContaining('It was ended after 15 seconds') as unknown,
  })
  expect((await page).status).toBe(200)
  expect((await order).body).toBe('ordered')
  expect(await fixture.php(site, `readfile('orders');`)).toBe('one chair\n')
})

it('while one waits for the network, others are answered', async () => {
  const ended = fixture.fetch(site, '/wait.php')
  await has('waits')
  expect((await fixture.fetch(site, '/')).status).toBe(200)
  expect((await ended).status).toBe(504)
})

it('one that has begun and changes something is done before another one that took too long ends the process', async () => {
  await fixture.php(site, `unlink('waits');`)
  const ended = fixture.fetch(site, '/wait.php')
  await has('waits')
  const order = fixture.fetch(site, '/wp-admin/slow-order.php', { method: 'POST', headers: { cookie } })
  expect(await ended).toMatchObject({ status: 504 })
  // While it was waited for, nothing new began there: this one came to the next process.
  expect((await fixture.fetch(site, '/')).status).toBe(200)
  expect((await order).body).toBe('sent')
  expect(await fixture.php(site, `readfile('slow');`)).toBe('sent\n')
})
