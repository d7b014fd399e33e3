import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EngineStep, SiteSpec } from '../../engine.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'
import { wordpressPerson } from '#tests/support/wordpress-person.ts'

let fixture: EngineFixture
let dataDir: string
let site: SiteSpec
const hostOf = (name: string) => `${name}:${fixture.port}`
const www = () => join(dataDir, 'local', 'sites', site.id, 'www')
const database = () => readFile(join(www(), 'wp-content/database/.ht.sqlite'))
const config = () => readFile(join(www(), 'wp-config.php'), 'utf8')

async function run(steps: readonly EngineStep[], through: string = steps.at(-1)?.key ?? ''): Promise<void> {
  const last = steps.findIndex(({ key }) => key === through)
  for (const step of steps.slice(0, last + 1))
    await step.run({
      operationId: 'test',
      log: () => undefined,
      progress: () => undefined,
      signal: AbortSignal.timeout(300_000),
    })
}
/** Runs PHP with WordPress loaded, under a host; what it prints. */
const wp = async (host: string, code: string, on: SiteSpec = site) => {
  const name = `probe-${Math.random().toString(36).slice(2)}.php`
  await fixture.writeFile(on, name, `<?php require __DIR__ . '/wp-load.php'; ${code}`)
  return (await fixture.fetch(hostOf(host), `/${name}`)).body
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'domains-'))
  fixture = await startFixture({ dataDir })
  site = await fixture.create({ siteType: 'wp', domain: 'old' })
})
afterAll(async () => {
  await fixture?.end()
  await rm(dataDir, { recursive: true, force: true })
})

test('WordPress takes a declared alias for its address, and no other host', async () => {
  await fixture.engine.domains.setAliases(site, [
    { domain: 'served.example', mode: 'serve' },
    { domain: 'short', mode: 'serve' },
  ])
  const home = 'echo WP_HOME, " ", home_url(), " ", isset( $_SERVER["EASYDASH_HOME"] ) ? "seen" : "unseen";'
  for (const host of ['old.localhost', 'served.example', 'short.localhost', 'SERVED.example'])
    expect(await wp(host, home)).toBe(
      `http://${hostOf(host.toLowerCase())} http://${hostOf(host.toLowerCase())} unseen`,
    )
  const post = await fixture.fetch(hostOf('served.example'), '/?p=1')
  expect(post.headers.location).toBe(`http://${hostOf('served.example')}/hello-world/`)
  const login = await fixture.fetch(hostOf('served.example'), '/wp-admin/')
  expect(login.headers.location).toContain(`http://${hostOf('served.example')}/wp-login.php`)
  // The primary address is stored, whatever host a visitor used.
  expect(
    await wp(
      'served.example',
      `global $wpdb; echo $wpdb->get_var( "SELECT option_value FROM $wpdb->options WHERE option_name = 'home'" );`,
    ),
  ).toBe(`http://${hostOf('old.localhost')}`)
  expect((await fixture.fetch(hostOf('evil.example'), '/')).body).toBe('dashboard')
  expect((await fixture.fetch(hostOf('served.localhost'), '/')).status).toBe(404)
  // A request of the site to itself under an alias stays inside.
  expect(
    await wp(
      'served.example',
      `echo wp_remote_retrieve_response_code( wp_remote_get( 'http://${hostOf('served.example')}/' ) );`,
    ),
  ).toBe('200')
  await fixture.engine.domains.setAliases(site, [])
  // Not the dashboard, either.
  for (const host of ['short.localhost', 'served.example'])
    expect((await fixture.fetch(hostOf(host), '/')).status).toBe(404)
})

test('an alias sends visitors to the same place below the primary domain, and nowhere else', async () => {
  await fixture.engine.domains.setAliases(site, [{ domain: 'sent.example', mode: 'redirect' }])
  const home = `http://${hostOf('old.localhost')}`
  const sent = (path: string, method = 'GET') => fixture.fetch(hostOf('sent.example'), path, { method })
  expect(await sent('/a/?b=%2F..%2F')).toMatchObject({
    status: 301,
    headers: { location: `${home}/a/?b=%2F..%2F`, 'cache-control': 'no-cache' },
  })
  expect(await sent('/form', 'POST')).toMatchObject({ status: 308, headers: { location: `${home}/form` } })
  expect((await sent('//evil.example/x')).headers.location).toBe(`${home}//evil.example/x`)
  expect((await sent('/.easydash/login?token=x')).headers.location).toBe(`${home}/.easydash/login?token=x`)
  const whole = await new Promise<string>((resolve, reject) => {
    httpRequest(
      {
        port: fixture.port,
        host: '127.0.0.1',
        path: 'http://evil.example/x',
        headers: { host: hostOf('sent.example') },
      },
      (response) => {
        response.resume()
        resolve(response.headers.location ?? '')
      },
    )
      .once('error', reject)
      .end()
  })
  expect(whole).toBe(`${home}/`)
  await fixture.engine.domains.setAliases(site, [])
})

const content = (name: string) => {
  const host = hostOf(`${name}.localhost`)
  const url = `http://${host}`
  return {
    plain: `${url}/a https://${host}/b //${host}/c http://${name}.localhost/d mail@old.localhost`,
    other: 'http://old.localhost.example http://bold.localhost',
    nested: { list: [url, `ü ${url}/x`, 1, null], json: JSON.stringify({ u: `${url}/j` }).replaceAll('/', '\\/') },
  }
}
const stored = `echo json_encode( array( 'plain' => get_option( 'd_plain' ), 'other' => get_option( 'd_other' ), 'nested' => get_option( 'd_nested' ) ), JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE );`

test('a change replaces every form of the address, keeps visitors out, and is taken back to the byte', async () => {
  const before = content('old')
  const input = Buffer.from(JSON.stringify(before)).toString('base64')
  await wp(
    'old.localhost',
    `$v = json_decode( base64_decode( '${input}' ), true ); foreach ( $v as $k => $x ) { update_option( "d_$k", $x ); }`,
  )
  await fixture.writeFile(
    site,
    'wp-config.php',
    (await config()).replace('<?php', `<?php define( 'OWN_URL', 'http://${hostOf('old.localhost')}/own' );`),
  )
  await fixture.engine.sleepAll()
  const [bytes, text] = [await database(), await config()]

  const found = await fixture.engine.domains.findAddresses(site, 'new.example', null)
  expect(found.options.map(({ option }) => option)).toEqual(expect.arrayContaining(['d_plain', 'd_nested', 'home']))
  expect(found.options).toContainEqual({ option: 'd_plain', places: 4 })
  expect(found.options).toContainEqual({ option: 'd_nested', places: 3 })
  expect(found.options.map(({ option }) => option)).not.toContain('d_other')

  const steps = fixture.engine.domains.changeSteps(site, 'new.example', [{ domain: 'old', mode: 'redirect' }])
  await run(steps, 'rename')
  for (const host of ['old.localhost', 'new.example']) {
    const page = await fixture.fetch(hostOf(host), '/wp-login.php')
    expect([page.status, page.headers['retry-after']]).toEqual([503, '5'])
  }
  expect(await fixture.engine.runCron(site)).toBe(0)
  await fixture.engine.domains.undoChange(site)
  await fixture.engine.sleepAll()
  expect((await database()).equals(bytes)).toBe(true)
  expect(await config()).toBe(text)
  expect(JSON.parse(await wp('old.localhost', stored))).toEqual(before)

  await run(fixture.engine.domains.changeSteps(site, 'new.example', [{ domain: 'old', mode: 'redirect' }]))
  await fixture.engine.domains.finishChange(site)
  const after = JSON.parse(
    JSON.stringify(content('old'))
      .replaceAll(hostOf('old.localhost'), hostOf('new.example'))
      .replaceAll('http://old.localhost/', `http://${hostOf('new.example')}/`),
  ) as unknown
  expect(JSON.parse(await wp('new.example', stored))).toEqual(after)
  expect(await config()).toContain(`'http://${hostOf('new.example')}/own'`)
  expect(await wp('new.example', 'echo WP_HOME, OWN_URL;')).toBe(
    `http://${hostOf('new.example')}http://${hostOf('new.example')}/own`,
  )
  await expect(readFile(join(www(), 'wp-content/database/.ht.easydash-saved.sqlite'))).rejects.toMatchObject({
    code: 'ENOENT',
  })
})

test('a change that was cut off goes on, or is taken back, after a restart', async () => {
  const now = { ...site, domain: 'new.example' }
  const { port } = fixture
  await fixture.engine.sleepAll()
  const bytes = await database()
  const cutOff = async (): Promise<void> => {
    await run(fixture.engine.domains.changeSteps(now, 'third', []), 'replace_urls')
    await fixture.end()
    fixture = await startFixture({ dataDir, port })
    expect(await fixture.engine.domains.read(now)).toMatchObject({ domain: 'new.example', changingTo: 'third' })
  }
  await cutOff()
  await fixture.engine.domains.undoChange(now)
  await fixture.engine.sleepAll()
  expect((await database()).equals(bytes)).toBe(true)

  await cutOff()
  await run(fixture.engine.domains.changeSteps(now, 'third', []))
  await fixture.engine.domains.finishChange(now)
  expect(await fixture.engine.domains.read(now)).toEqual({ domain: 'third', aliases: [], changingTo: null })
  expect((await fixture.engine.request({ ...now, domain: 'third' }, '/')).body).not.toContain('new.example')
})

test('a job that goes on after its change was taken back saves the database again', async () => {
  const now = { ...site, domain: 'third' }
  const { engine } = fixture
  const steps = engine.domains.changeSteps(now, 'again', [])
  await run(steps, 'replace_urls')
  await engine.domains.undoChange(now)
  await engine.sleepAll()
  const bytes = await database()
  // A step and what takes it back do not meet.
  await run(steps.slice(2), 'replace_urls')
  await Promise.all([run(steps.slice(2)), engine.domains.undoChange(now)].map((work) => work.catch(() => undefined)))
  await engine.domains.undoChange(now)
  await engine.sleepAll()
  expect((await database()).equals(bytes)).toBe(true)
  expect(await engine.domains.read(now)).toEqual({ domain: 'third', aliases: [], changingTo: null })
})

test('a site that sends visitors elsewhere under its new name fails the check', async () => {
  const now = { ...site, domain: 'third' }
  const { engine } = fixture
  await engine.files.write(
    now,
    'wp-content/mu-plugins/away.php',
    "<?php add_action( 'template_redirect', function () { header( 'Location: http://elsewhere.example/' ); status_header( 302 ); exit; } );",
    null,
  )
  await expect(run(engine.domains.changeSteps(now, 'fourth', []))).rejects.toThrow('visitors to elsewhere.example')
  await engine.domains.undoChange(now)
  expect(await engine.domains.read(now)).toEqual({ domain: 'third', aliases: [], changingTo: null })
})

test('a site with a full domain is cloned, archived, restored and opened under its names', async () => {
  const { engine } = fixture
  const now = { ...site, domain: 'third' }
  await engine.files.remove(now, ['wp-content/mu-plugins/away.php'])
  await run(engine.domains.changeSteps(now, 'www.full.example', [{ domain: 'third', mode: 'redirect' }]))
  await engine.domains.finishChange(now)
  const full = { ...site, domain: 'www.full.example' }
  const link = new URL(await engine.loginLink(full, wordpressPerson(), 30))
  expect(link.host).toBe(new URL(engine.siteUrl(full)).host)
  expect((await engine.request(full, link.pathname + link.search)).headers['location']).toBe(
    `${engine.siteUrl(full)}/wp-admin/`,
  )

  const copy = { ...site, id: 'fullcopy00', domain: 'copied', title: null, adminUser: 'boss' }
  await run(engine.copies.cloneSteps(full, copy))
  const page = await engine.request(copy, '/')
  expect([page.status, page.body.includes('full.example')]).toEqual([200, false])
  expect(await engine.domains.read(copy)).toMatchObject({ domain: 'copied', aliases: [] })

  await run(engine.archiveSteps(full))
  for (const name of ['www.full.example', 'third'])
    expect((await engine.request({ ...full, domain: name }, '/')).status).toBe(410)
  await run(engine.restoreArchiveSteps(full))
  expect((await engine.request(full, '/')).status).toBe(200)
  expect((await engine.request({ ...full, domain: 'third' }, '/')).status).toBe(301)
  await engine.destroy(full)
  expect((await engine.request(full, '/')).status).toBe(404)
})

test('a site without room for its saved database keeps its name, and what was begun is taken back', async () => {
  const { engine } = fixture
  const full = await fixture.create({ siteType: 'wp', domain: 'crowded' })
  const file = join(dataDir, 'local', 'sites', full.id, 'www/wp-content/database/.ht.sqlite')
  await wp('crowded.localhost', `update_option( 'large', str_repeat( 'x', 9000000 ) );`, full)
  await engine.sleepAll()
  const { bytes } = (await engine.observe(full)).storage ?? { bytes: 0 }
  const before = await readFile(file)
  await engine.quotas.set(full.id, {
    disk_mb: Math.ceil(bytes / 1024 ** 2) + 2,
    files: 100_000,
    log_mb: 1,
    outbox_mb: 1,
  })
  await expect(run(engine.domains.changeSteps(full, 'roomy', []))).rejects.toThrow('could not be saved')
  await engine.domains.undoChange(full)
  expect(await engine.domains.read(full)).toEqual({ domain: 'crowded', aliases: [], changingTo: null })
  await engine.sleepAll()
  expect((await readFile(file)).equals(before)).toBe(true)
  expect((await engine.request(full, '/')).status).toBe(200)
})
