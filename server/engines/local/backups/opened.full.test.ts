import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createWriteStream } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SiteRef } from '../../site-ref.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'
import { runAll } from './backup-fixture.ts'

let fixture: EngineFixture
let folder: string
let ahead = 0

const start = (at: { port?: number } = {}) =>
  startFixture({ dataDir: join(folder, 'data'), clock: () => Date.now() + ahead, ...at })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'opened-'))
  await mkdir(join(folder, 'data'))
  fixture = await start()
})
afterAll(async () => {
  await fixture.end()
  await rm(folder, { recursive: true })
})

it('shows the site of the backup to visitors, who change nothing, for its time', async () => {
  let { engine } = fixture
  const site = await fixture.create({ siteType: 'wp', title: 'Before' })
  const signIn = `require __DIR__ . '/wp-load.php'; setcookie('mark', '1'); $end = time() + 3600;
    $token = WP_Session_Tokens::get_instance(1)->create($end);
    echo LOGGED_IN_COOKIE, '=', wp_generate_auth_cookie(1, $end, 'logged_in', $token);`
  await fixture.writeFile(site, 'sign-in.php', `<?php ${signIn}`)
  const who = `require __DIR__ . '/wp-load.php';
    wp_insert_comment(array('comment_content' => 'left here'));
    $reached = wp_remote_get('http://${site.domain}.localhost:${fixture.port}/');
    echo wp_get_current_user()->ID, is_wp_error($reached) ? ' unreached' : ' reached';`
  await fixture.writeFile(site, 'who.php', `<?php ${who}`)
  const signedIn = await fixture.fetch(site, '/sign-in.php')
  expect(signedIn.headers['set-cookie']).toHaveLength(1)
  expect((await fixture.fetch(site, '/who.php', { headers: { cookie: signedIn.body } })).body).toMatch(/^1 /)
  await runAll(engine.backups.packSteps(site))
  const archive = join(folder, 'site.tar.zst')
  await pipeline((await engine.backups.packed(site)).file.open(), createWriteStream(archive))
  const { values } = await engine.settings.readWordPress(site)
  await engine.settings.changeWordPress(site, { title: 'After' }, { expected: { title: values.title } })
  const stateOf = (one: SiteRef) =>
    fixture.php(
      site,
      `require __DIR__ . '/wp-load.php'; echo json_encode(array(get_option('blogname'), get_comments(array('count' => true)), '${one.id}'));`,
    )
  const before = await stateOf(site)

  const opened: SiteRef = { ...site, id: 'opened0001', domain: 'backup-0123456789' }
  await runAll(engine.rehearsals.rehearseSteps(opened, archive))
  expect((await fixture.fetch(opened, '/')).status).toBe(404)
  await engine.rehearsals.openRehearsal(opened, Date.now() + 1_800_000)
  const page = await fixture.fetch(opened, '/')
  expect([page.status, /<title>(.*)<\/title>/.exec(page.body)?.[1]]).toEqual([200, expect.stringContaining('Before')])
  expect(page.headers).toMatchObject({ 'x-robots-tag': 'noindex, nofollow', 'referrer-policy': 'same-origin' })
  expect(page.headers['content-security-policy']).toContain("form-action 'self'; connect-src 'self'")
  expect(page.body).not.toContain(`${site.domain}.localhost`)
  expect((await fixture.fetch(site, '/')).body).toMatch(/<title>.*After/)

  // Its code can't fill the disk, as it could while it was tried out.
  const { storage } = await engine.observe(opened)
  expect(storage?.quota.disk_mb).toBe(Math.ceil((storage?.bytes ?? 0) / 1_048_576) + 256)

  // Nobody is signed in, whatever the code of the backup hands out.
  const refused = await fixture.fetch(opened, '/sign-in.php')
  expect(refused.headers['set-cookie']).toBeUndefined()
  const headers = { cookie: refused.body }
  expect((await fixture.fetch(opened, '/who.php', { headers })).body).toBe('0 unreached')
  for (const path of ['/wp-login.php', '//wp-login.php', '/wp%2Dadmin/', '/wp-admin/admin-ajax.php', '/xmlrpc.php'])
    expect([path, (await fixture.fetch(opened, path)).status]).toEqual([path, 403])
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'])
    expect((await fixture.fetch(opened, '/wp-comments-post.php', { method, body: 'comment=x' })).status).toBe(403)
  expect(await stateOf(site)).toBe(before)

  // A restart neither ends its time nor forgets it.
  await fixture.end()
  fixture = await start({ port: fixture.port })
  engine = fixture.engine
  expect((await fixture.fetch(opened, '/')).status).toBe(200)
  expect((await fixture.fetch(opened, '/', { method: 'POST' })).status).toBe(403)
  expect(await fixture.hosted(opened)).toBeUndefined()
  ahead = 1_801_000
  expect((await fixture.fetch(opened, '/')).status).toBe(404)
  await engine.round()
  expect(await engine.observe(opened)).toMatchObject({ state: 'absent' })
  expect((await fixture.fetch(site, '/')).status).toBe(200)
})
