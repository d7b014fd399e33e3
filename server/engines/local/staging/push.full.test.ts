import { readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { PushPlan } from '#shared/responses/push-plan.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'
import type { EngineStep, SiteSpec } from '../../engine.ts'
import type { CloneSpec } from '../../site-copies.ts'
import type { PushChoice } from '../../site-staging.ts'

let fixture: EngineFixture
let site: SiteSpec
let staging: CloneSpec
let counter = 0

const wwwOf = ({ id }: { id: string }) => join(fixture.dataDir, 'local', 'sites', id, 'www')
/** What is in the folder of a site, the served one among it. */
const besideOf = async ({ id }: { id: string }) => (await readdir(join(wwwOf({ id }), '..'))).toSorted()
const httpAuth = { user: 'preview', password: 'a-password-of-staging' }
const header = { authorization: `Basic ${Buffer.from('preview:a-password-of-staging').toString('base64')}` }

async function run(
  steps: readonly EngineStep[],
  { signal = AbortSignal.timeout(300_000), id = 'push' }: { signal?: AbortSignal; id?: string } = {},
): Promise<string[]> {
  const lines: string[] = []
  for (const step of steps)
    await step.run({
      operationId: id,
      log: (line) => {
        lines.push(line)
      },
      progress: () => undefined,
      signal,
    })
  return lines
}

/** Runs PHP with WordPress loaded, as a visitor with the password; what it prints as JSON. The file is gone afterwards. */
async function wp<T>(of: CloneSpec | SiteSpec, code: string): Promise<T> {
  counter += 1
  const name = `probe-${counter}.php`
  await fixture.writeFile(
    of,
    name,
    `<?php unlink( __FILE__ ); ob_start(); require __DIR__ . '/wp-load.php'; ini_set('display_errors', '1');
    global $wpdb; $r = ( function () use ( $wpdb ) { ${code} } )(); ob_end_clean(); echo json_encode( $r );`,
  )
  const { body } = await fixture.fetch(of, `/${name}`, { headers: header })
  try {
    return JSON.parse(body) as T
  } catch {
    throw new Error(body.slice(0, 2000))
  }
}

async function planNow(): Promise<PushPlan> {
  let found: PushPlan | null = null
  await run(
    fixture.engine.staging.planSteps(site, staging, async (plan) => {
      found = plan
    }),
  )
  if (found === null) throw new Error('no plan')
  return found
}

const choose = (plan: PushPlan, changes: Partial<PushChoice> = {}): PushChoice => ({
  files: true,
  database: true,
  digests: { files: plan.files.digest, database: plan.database?.digest ?? null },
  take: [],
  takeAll: [],
  ...changes,
})

async function push(choice: PushChoice, id = `push-${(counter += 1)}`): Promise<string[]> {
  const { staging: pushes } = fixture.engine
  try {
    const lines = await run(pushes.pushSteps(site, staging, choice), { id })
    await pushes.finish(site)
    return lines
  } catch (error) {
    await pushes.undo(site, id)
    throw error
  }
}

beforeAll(async () => {
  fixture = await startFixture()
})
afterAll(() => fixture?.end())

beforeEach(async () => {
  counter += 1
  site = await fixture.create({ siteType: 'wp' })
  await wp(
    site,
    `update_option( 'shared', 'before' ); update_option( 'mine', 'before' );
     wp_insert_post( array( 'post_title' => 'Second', 'post_status' => 'publish', 'post_content' => 'two' ) );
     wp_insert_user( array( 'user_login' => 'ann', 'user_pass' => 'x', 'display_name' => 'Ann' ) ); return 1;`,
  )
  staging = {
    ...site,
    id: `stage${String(counter).padStart(5, '0')}`,
    domain: `st-${counter}`,
    title: null,
    staging: { httpAuth },
  }
  await run(fixture.engine.copies.cloneSteps(site, staging))
})

test('staging is protected, hidden from search engines, and an untouched one has nothing to push', async () => {
  expect((await fixture.fetch(staging, '/')).status).toBe(401)
  expect((await fixture.fetch(staging, '/', { headers: header })).status).toBe(200)
  expect(await wp(staging, `return get_option( 'blog_public' );`)).toBe('0')
  const plan = await planNow()
  expect(plan.files).toMatchObject({ total: 0, staging: { added: 0, changed: 0, deleted: 0 } })
  expect(plan.database).toMatchObject({ total: 0, notes: [] })
  expect(
    plan.database?.kinds.filter(({ staging: { added, changed, deleted } }) => added + changed + deleted > 0),
  ).toEqual([])
})

test('nothing is lost: what changed on both sides is listed, and what is new on the site is kept', async () => {
  const liveUrl = `http://${site.domain}.localhost:${fixture.port}`
  const stagingUrl = `http://${staging.domain}.localhost:${fixture.port}`
  await wp(
    staging,
    `$page = wp_insert_post( array( 'post_title' => 'New page', 'post_type' => 'page', 'post_status' => 'publish', 'meta_input' => array( 'colour' => 'red' ) ) );
     update_option( 'page_on_front', $page );
     wp_update_post( array( 'ID' => 1, 'post_title' => 'Staging title' ) );
     wp_update_post( array( 'ID' => 4, 'post_content' => 'See ${stagingUrl}/second' ) );
     update_option( 'shared', 'staging' ); update_option( 'mine', array( 'u' => home_url( '/x' ) ) ); update_option( 'new_one', 'from staging' );
     wp_update_user( array( 'ID' => 2, 'display_name' => 'Ann of staging' ) );
     return wp_insert_post( array( 'post_title' => 'Another', 'post_name' => 'another', 'post_status' => 'publish', 'meta_input' => array( 'size' => '1' ) ) );`,
  )
  await wp(
    site,
    `update_option( 'shared', 'live' );
     wp_update_user( array( 'ID' => 2, 'display_name' => 'Ann of live' ) );
     register_post_type( 'shop_order' );
     $o = wp_insert_post( array( 'post_title' => 'Order', 'post_type' => 'shop_order', 'post_status' => 'publish', 'meta_input' => array( '_total' => '12', 'colour' => 'blue' ) ) );
     wp_update_post( array( 'ID' => 1, 'post_title' => 'Live title' ) );
     wp_update_post( array( 'ID' => 1, 'post_content' => 'Live content' ) );
     wp_update_post( array( 'ID' => 1, 'post_content' => 'Live content, again' ) );
     wp_insert_comment( array( 'comment_post_ID' => 4, 'comment_content' => 'A comment', 'comment_approved' => 1 ) );
     wp_insert_user( array( 'user_login' => 'customer', 'user_pass' => 'x' ) );
     return $o;`,
  )
  await fixture.writeFile(staging, 'staged.txt', 'from staging')
  await fixture.writeFile(site, 'uploaded.txt', 'from live')

  const plan = await planNow()
  expect(plan.files.staging).toMatchObject({ added: 1, samples: [{ label: 'staged.txt', what: 'add' }] })
  expect(plan.files.live).toMatchObject({ added: 1 })
  const clashes = (plan.database?.clashes ?? []).map(({ kind, type, label, staging: ours, live: theirs }) =>
    [kind, type, label, ours.value, theirs.value].join(' | '),
  )
  expect(clashes.toSorted()).toEqual([
    'options | changed | shared | staging | live',
    expect.stringMatching(/^posts \| changed \| Staging title \| Staging title \| Live title$/),
    expect.stringMatching(/^posts \| number \| New page \|/),
    'users | changed | ann | Ann of staging | Ann of live',
  ])
  const kinds = Object.fromEntries((plan.database?.kinds ?? []).map(({ kind, ...sides }) => [kind, sides]))
  expect(kinds['orders']?.live).toMatchObject({ added: 1, samples: [{ label: 'Order', what: 'add' }] })
  expect(kinds['comments']?.live).toMatchObject({ added: 1 })
  expect(kinds['users']?.live).toMatchObject({ added: 1, changed: 1 })

  const beside = await besideOf(site)
  const numbered = plan.database?.clashes.find(({ type }) => type === 'number')
  await push(
    choose(plan, {
      take: [numbered?.id ?? '', plan.database?.clashes.find(({ kind }) => kind === 'options')?.id ?? ''],
    }),
  )
  const state = await wp<Record<string, unknown>>(
    site,
    `$order = get_posts( array( 'post_type' => 'shop_order', 'post_status' => 'any' ) )[0] ?? null; $page = get_page_by_path( 'new-page' );
     return array(
      'one' => get_post( 1 )->post_title, 'two' => get_post( 4 )->post_content, 'shared' => get_option( 'shared' ), 'mine' => get_option( 'mine' ),
      'new' => get_option( 'new_one' ), 'ann' => get_userdata( 2 )->display_name, 'customer' => (bool) get_user_by( 'login', 'customer' ),
      'order' => array( $order->post_title ?? null, get_post_meta( $order->ID ?? 0 ) ), 'page' => array( $page->post_title ?? null, get_post_meta( $page->ID ?? 0 ) ),
      'another' => get_post_meta( get_page_by_path( 'another', OBJECT, 'post' )->ID ?? 0 ), 'front' => (int) get_option( 'page_on_front' ) === $page->ID,
      'comments' => array( (int) get_post( 4 )->comment_count, count( get_comments( array( 'post_id' => 4 ) ) ) ),
      'public' => get_option( 'blog_public' ), 'home' => get_option( 'home' ), 'check' => $wpdb->get_var( 'PRAGMA integrity_check' ) );`,
  )
  expect(state).toMatchObject({
    one: 'Live title',
    two: `See ${liveUrl}/second`,
    shared: 'staging',
    mine: { u: `${liveUrl}/x` },
    new: 'from staging',
    ann: 'Ann of live',
    customer: true,
    order: ['Order', { _total: ['12'], colour: ['blue'] }],
    page: ['New page', { colour: ['red'] }],
    another: { size: ['1'] },
    front: true,
    comments: [1, 1],
    public: '1',
    home: liveUrl,
  })
  expect(await readFile(join(wwwOf(site), 'staged.txt'), 'utf8')).toBe('from staging')
  expect(await readFile(join(wwwOf(site), 'uploaded.txt'), 'utf8')).toBe('from live')

  // The state before is kept with what a rollback is compared with, comes back whole, and leaves nothing behind.
  expect(await besideOf(site)).toEqual([...beside, 'pushed', 'rollback'].toSorted())
  expect((await fixture.engine.staging.read(site)).kept).not.toBeNull()
  await run(fixture.engine.staging.rollBackSteps(site), { id: 'back' })
  await fixture.engine.staging.finish(site)
  expect(await wp(site, `return array( get_option( 'shared' ), get_option( 'new_one' ) );`)).toEqual(['live', false])
  await expect(readFile(join(wwwOf(site), 'staged.txt'))).rejects.toMatchObject({ code: 'ENOENT' })
  expect((await fixture.engine.staging.read(site)).kept).toBeNull()
  expect(await besideOf(site)).toEqual(beside)
})

test('what is unusual or hostile is not followed, and what is removed on one side only goes if nothing new belongs to it', async () => {
  await wp(
    staging,
    `wp_delete_post( 1, true ); wp_delete_post( 4, true );
     $wpdb->query( "CREATE TABLE {$wpdb->prefix}fresh (id bigint NOT NULL AUTO_INCREMENT, name varchar(50) NOT NULL, PRIMARY KEY (id))" );
     $wpdb->insert( $wpdb->prefix . 'fresh', array( 'name' => home_url() ) );
     $guest = wp_insert_user( array( 'user_login' => 'mia', 'user_pass' => 'x' ) ); update_user_meta( $guest, 'easydash_account', 'k1' );
     wp_insert_post( array( 'post_title' => 'Of a guest', 'post_name' => 'of-a-guest', 'post_author' => $guest, 'post_status' => 'publish' ) );
     $p = new PDO( 'sqlite:' . __DIR__ . '/wp-content/database/.ht.sqlite' );
     $p->exec( 'CREATE TABLE "odd ""name" (a TEXT PRIMARY KEY, b TEXT) WITHOUT ROWID' ); $p->exec( 'CREATE TABLE keyless (a TEXT)' ); $p->exec( "INSERT INTO keyless VALUES ('x')" );
     $p->exec( 'CREATE VIEW wp_view AS SELECT 1' ); return 1;`,
  )
  await wp(
    site,
    `wp_insert_comment( array( 'comment_post_ID' => 1, 'comment_content' => 'Still talking', 'comment_approved' => 1 ) ); return 1;`,
  )
  await symlink('/etc/passwd', join(wwwOf(staging), 'passwd.txt'))
  const plan = await planNow()
  expect(plan.files.staging.added).toBe(0)
  expect(plan.database?.notes.map(({ table, note }) => [table, note])).toEqual([
    ['keyless', 'no_key'],
    ['odd "name', 'no_key'],
  ])
  expect(plan.database?.clashes.map(({ kind, label, staging: ours }) => [kind, label, ours.op])).toEqual([
    ['posts', 'Hello world!', 'delete'],
  ])
  await push(choose(plan))
  const state = await wp<Record<string, unknown>>(
    site,
    `return array( 'one' => get_post( 1 )->post_title ?? null, 'comments' => count( get_comments( array( 'post_id' => 1 ) ) ), 'four' => get_post( 4 ),
      'fresh' => $wpdb->get_col( "SELECT name FROM {$wpdb->prefix}fresh" ), 'fields' => $wpdb->get_col( "SHOW COLUMNS FROM {$wpdb->prefix}fresh" ),
      'guest' => (bool) get_user_by( 'login', 'mia' ), 'author' => get_userdata( get_page_by_path( 'of-a-guest', OBJECT, 'post' )->post_author )->user_login,
      'files' => glob( __DIR__ . '/wp-content/database/.ht.easydash*' ) );`,
  )
  expect(state).toEqual({
    one: 'Hello world!',
    comments: 2,
    four: null,
    fresh: [`http://${site.domain}.localhost:${fixture.port}`],
    fields: ['id', 'name'],
    guest: false,
    author: 'boss',
    files: [],
  })

  await writeFile(join(wwwOf(staging), 'wp-content/database/.ht.sqlite'), 'This is no database at all. '.repeat(1000))
  await expect(planNow()).rejects.toMatchObject({ code: 'unavailable' })
  await rm(join(wwwOf(staging), 'wp-content/database/.ht.sqlite'))
  await symlink('/etc/passwd', join(wwwOf(staging), 'wp-content/database/.ht.sqlite'))
  await expect(planNow()).rejects.toMatchObject({ code: 'unavailable' })
  expect((await fixture.fetch(site, '/')).status).toBe(200)
})

test('a push that an engine did not finish is taken back by the next one', async () => {
  await wp(staging, `update_option( 'mine', 'staging' ); return 1;`)
  await fixture.writeFile(staging, 'staged.txt', 'x')
  const plan = await planNow()
  const steps = fixture.engine.staging.pushSteps(site, staging, choose(plan))
  await run(steps.slice(0, 3), { id: 'cut-off' })
  expect((await fixture.fetch(site, '/')).status).toBe(503)
  // No other change begins meanwhile: taking the push back would take it away.
  await expect(run(fixture.engine.domains.changeSteps(site, 'elsewhere', []))).rejects.toMatchObject({
    code: 'conflict',
  })
  await fixture.engine.stop()
  const next = await startFixture({ dataDir: fixture.dataDir })
  try {
    expect(await next.engine.staging.read(site)).toMatchObject({ changing: true })
    expect((await next.fetch(site, '/')).status).toBe(503)
    expect(await next.engine.staging.undo(site, 'cut-off')).toBe('undone')
    expect((await next.fetch(site, '/')).status).toBe(200)
    await expect(readFile(join(wwwOf(site), 'staged.txt'))).rejects.toMatchObject({ code: 'ENOENT' })
    expect(await next.php(site, `require __DIR__ . '/wp-load.php'; echo get_option( 'mine' );`)).toBe('before')
  } finally {
    await next.engine.stop()
  }
})
