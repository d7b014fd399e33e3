import { execFileSync } from 'node:child_process'
import { mkdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'
import type { EngineStep, SiteSpec } from '../../engine.ts'
import type { CloneSpec } from '../../site-copies.ts'

let fixture: EngineFixture
let site: SiteSpec
let counter = 0

const wwwOf = ({ id }: { id: string }) => join(fixture.dataDir, 'local', 'sites', id, 'www')
const targetOf = (source: SiteSpec): CloneSpec => {
  counter += 1
  return { ...source, id: `clone${String(counter).padStart(5, '0')}`, domain: `copy-${counter}`, title: null }
}
async function run(steps: readonly EngineStep[], signal: AbortSignal = AbortSignal.timeout(300_000)): Promise<void> {
  for (const step of steps)
    await step.run({
      operationId: 'test',
      log: () => undefined,
      progress: () => undefined,
      signal,
    })
}
/** Runs PHP with WordPress loaded; what it prints. */
const wp = (of: CloneSpec | SiteSpec, code: string) =>
  fixture.php(of, `require __DIR__ . '/wp-load.php'; ini_set('display_errors', '1'); ${code}`)
const urlOf = ({ domain }: { domain: string }) => `http://${domain}.localhost:${fixture.port}`

beforeAll(async () => {
  fixture = await startFixture()
  site = await fixture.create({ siteType: 'wp' })
})
afterAll(() => fixture?.end())

test('addresses in posts, options and serialized values become those of the copy; the source stays as it is', async () => {
  const own = urlOf(site)
  await wp(
    site,
    `$u = ${JSON.stringify(own)};
     wp_insert_post( array( 'post_title' => 'Own', 'post_name' => 'own', 'post_status' => 'publish', 'post_content' => "See <a href=\\"$u/about\\">$u</a>, ${own}0 and ${site.domain}.localhost.example." ) );
     update_option( 'nested', array( 'ü' => "$u/ü", 'o' => (object) array( 'list' => array( $u, 1, null ) ), 'in' => serialize( array( "$u/x" ) ), 'json' => json_encode( array( 'u' => "$u/j" ) ) ) );
     global $wpdb;
     $wpdb->insert( $wpdb->options, array( 'option_name' => 'broken', 'option_value' => 'a:1:{i:0;s:3:"' . $u . '";}' ) );
     $wpdb->query( "CREATE TABLE {$wpdb->prefix}extra (a varchar(20) NOT NULL, b longtext NOT NULL, PRIMARY KEY (a, b(5)))" );
     $wpdb->insert( $wpdb->prefix . 'extra', array( 'a' => 'x', 'b' => "$u/extra" ) );
     wp_schedule_event( time() + 3600, 'hourly', 'kept_event' );
     update_user_meta( 1, 'session_tokens', array( 'x' => array( 'expiration' => time() + 9999 ) ) );`,
  )
  const before = await readFile(join(wwwOf(site), 'wp-content/database/.ht.sqlite'))
  const target = targetOf(site)
  await run(fixture.engine.copies.cloneSteps(site, target))
  expect(await readFile(join(wwwOf(site), 'wp-content/database/.ht.sqlite'))).toEqual(before)

  const copy = urlOf(target)
  const page = (await fixture.fetch(target, '/own/')).body
  expect(page).toContain(`<a href="${copy}/about">${copy}</a>, ${own}0 and ${site.domain}.localhost.example.`)
  const found: unknown = JSON.parse(
    await wp(
      target,
      `global $wpdb; echo json_encode( array(
        'nested' => get_option( 'nested' ),
        'broken' => $wpdb->get_var( "SELECT option_value FROM $wpdb->options WHERE option_name = 'broken'" ),
        'extra'  => $wpdb->get_var( "SELECT b FROM {$wpdb->prefix}extra" ),
        'home'   => $wpdb->get_var( "SELECT option_value FROM $wpdb->options WHERE option_name = 'home'" ),
        'event'  => (bool) wp_next_scheduled( 'kept_event' ),
        'session' => get_user_meta( 1, 'session_tokens' ),
      ) );`,
    ),
  )
  expect(found).toEqual({
    nested: {
      ü: `${copy}/ü`,
      o: { list: [copy, 1, null] },
      in: `a:1:{i:0;s:${copy.length + 2}:"${copy}/x";}`,
      json: JSON.stringify({ u: `${copy}/j` }).replaceAll('/', '\\/'),
    },
    broken: `a:1:{i:0;s:3:"${own}";}`,
    extra: `${copy}/extra`,
    home: copy,
    event: true,
    session: [],
  })
  const configOf = (of: { id: string }) => readFile(join(wwwOf(of), 'wp-config.php'), 'utf8')
  const salts = async (of: { id: string }) => [...(await configOf(of)).matchAll(/'(?:[A-Z_]+)', '([\w-]{64})'/g)]
  const [theirs, ours] = [await salts(site), await salts(target)]
  expect(theirs).toHaveLength(8)
  expect(ours).toHaveLength(8)
  expect(new Set([...theirs, ...ours].map(([, salt]) => salt)).size).toBe(16)
  expect((await fixture.fetch(site, '/own/')).body).toContain(`<a href="${own}/about">`)
})

test('visitors wait while the source is copied, and writes of that time are complete in one of the two', async () => {
  await fixture.writeFile(
    site,
    'write.php',
    `<?php require __DIR__ . '/wp-load.php'; for ( $i = 0; $i < 20; $i++ ) { add_option( 'row_' . $_GET['n'] . '_' . $i, str_repeat( 'x', 500 ) ); } echo 'written';`,
  )
  const target = targetOf(site)
  const statuses: string[] = []
  let over = false
  const visitor = (async () => {
    for (let n = 0; !over; n += 1) statuses.push((await fixture.fetch(site, `/write.php?n=${n}`)).body)
  })()
  await run(fixture.engine.copies.cloneSteps(site, target).slice(0, 1))
  over = true
  await visitor
  const check = `echo json_encode( ( new PDO( 'sqlite:/wordpress/wp-content/database/.ht.sqlite' ) )->query( 'PRAGMA integrity_check' )->fetchAll( PDO::FETCH_COLUMN ) );`
  expect(await fixture.php(site, check)).toBe('["ok"]')
  await run(fixture.engine.copies.cloneSteps(site, target))
  expect(await fixture.php(target, check)).toBe('["ok"]')
  expect(statuses.length).toBeGreaterThan(0)
})

test('links and special files are not followed, and caches of pages stay behind', async () => {
  const source = await fixture.create({ siteType: 'php' })
  const www = wwwOf(source)
  await symlink('/etc/passwd', join(www, 'passwd'))
  await symlink('/', join(www, 'everything'))
  execFileSync('mkfifo', [join(www, 'fifo')])
  await mkdir(join(www, 'a/b'), { recursive: true })
  await writeFile(join(www, 'a/b/ü file.txt'), 'kept')
  const target = targetOf(source)
  await run(fixture.engine.copies.cloneSteps(source, target))
  expect(await readFile(join(wwwOf(target), 'a/b/ü file.txt'), 'utf8')).toBe('kept')
  for (const name of ['passwd', 'everything', 'fifo'])
    await expect(readFile(join(wwwOf(target), name))).rejects.toMatchObject({ code: 'ENOENT' })
})

test('a source over the quota of the copy is refused and goes on working', async () => {
  const source = await fixture.create({ siteType: 'php' })
  await writeFile(join(wwwOf(source), 'huge'), '')
  await truncate(join(wwwOf(source), 'huge'), 5_000_000_000_000)
  const target = targetOf(source)
  await expect(run(fixture.engine.copies.cloneSteps(source, target))).rejects.toMatchObject({ code: 'invalid' })
  await fixture.engine.destroy(target)
  await rm(join(wwwOf(source), 'huge'))
  expect((await fixture.fetch(source, '/')).status).toBe(200)
  await run(fixture.engine.copies.cloneSteps(source, target))
  expect((await fixture.fetch(target, '/')).status).toBe(200)
})

test('a canceled copy lets the source go on', async () => {
  const target = targetOf(site)
  const canceled = new AbortController()
  const work = run(fixture.engine.copies.cloneSteps(site, target), canceled.signal)
  canceled.abort(new Error('canceled'))
  await expect(work).rejects.toThrow('canceled')
  expect((await fixture.fetch(site, '/')).status).toBe(200)
  await fixture.engine.destroy(target)
})
