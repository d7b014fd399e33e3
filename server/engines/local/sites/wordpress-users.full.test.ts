import { join } from 'node:path'
import { readdir } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { wordpressPerson } from '#tests/support/wordpress-person.ts'
import { EngineError, type SiteSpec, type WordPressPerson } from '../../engine.ts'
import { nobodyStays } from '../../wordpress-person.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'

describe('the WordPress users of people', () => {
  let fixture: EngineFixture
  let site: SiteSpec
  beforeAll(async () => {
    fixture = await startFixture()
    site = await fixture.create({ siteType: 'wp' })
  })
  afterAll(async () => {
    await fixture.end()
  })

  const wp = async (code: string): Promise<unknown> =>
    JSON.parse(
      await fixture.php(
        site,
        `require '/wordpress/wp-load.php'; require_once ABSPATH . 'wp-admin/includes/user.php'; echo json_encode((function () { ${code} })());`,
      ),
    )
  const logins = (role: string) => wp(`return array_column(get_users(array('role' => '${role}')), 'user_login');`)
  const signIn = async (person: WordPressPerson): Promise<string> => {
    const link = new URL(await fixture.engine.loginLink(site, person, 30))
    const response = await fixture.fetch(site, link.pathname + link.search)
    return (response.headers['set-cookie'] ?? []).map((value) => value.split(';')[0]).join('; ')
  }
  const mails = async () => (await readdir(join(fixture.dataDir, 'local', 'sites', site.id, 'outbox'))).length

  it('have the name, address and role of the person, and make no mail', async () => {
    const before = await mails()
    const name = `Zoë "O'Neil" \\ <b>Berg</b>`
    const cookie = await signIn(wordpressPerson('zoe', { name, role: 'editor' }))
    expect(
      await wp(`$u = get_user_by('login', 'zoe'); return array($u->display_name, $u->user_email, $u->roles);`),
    ).toEqual([`Zoë "O'Neil" \\ Berg`, 'zoe@example.com', ['editor']])
    expect((await fixture.fetch(site, '/wp-admin/plugins.php', { headers: { cookie } })).status).toBe(403)
    await signIn(wordpressPerson('zoe', { role: 'administrator' }))
    expect(await logins('administrator')).toEqual(['boss', 'zoe'])
    expect((await fixture.fetch(site, '/wp-admin/plugins.php', { headers: { cookie } })).status).toBe(200)
    // A downgrade applies to the running session.
    await fixture.engine.syncUsers(site, { ...nobodyStays('boss'), keep: [wordpressPerson('zoe', { role: 'editor' })] })
    expect((await fixture.fetch(site, '/wp-admin/plugins.php', { headers: { cookie } })).status).toBe(403)
    expect(await mails()).toBe(before)
  })

  it('are never users that the site has for other reasons', async () => {
    await wp(
      `return wp_insert_user(array('user_login' => 'max', 'user_pass' => 'x', 'user_email' => 'max@example.com'));`,
    )
    await signIn(wordpressPerson('max'))
    expect(await wp(`return array_column(get_users(), 'user_email', 'user_login');`)).toMatchObject({
      max: 'max@example.com',
      'max-2': '',
    })
  })

  it('leave with their sessions; what they wrote stays with the first administrator', async () => {
    const before = await mails()
    const cookie = await signIn(wordpressPerson('leaving'))
    expect((await fixture.fetch(site, '/wp-admin/', { headers: { cookie } })).status).toBe(200)
    const post = await wp(
      `return wp_insert_post(array('post_title' => 'Kept', 'post_status' => 'publish', 'post_author' => get_user_by('login', 'leaving')->ID));`,
    )
    await fixture.engine.syncUsers(site, nobodyStays('boss'))
    expect((await fixture.fetch(site, '/wp-admin/', { headers: { cookie } })).status).toBe(302)
    expect(await wp(`return get_the_author_meta('user_login', get_post(${String(post)})->post_author);`)).toBe('boss')
    expect(await wp(`return array_column(get_users(), 'user_login');`)).toEqual(['boss', 'max'])
    expect(await mails()).toBe(before)
  })

  it('can act as another user, until they lose their rights: then that session ends, and no other of the user', async () => {
    await wp(`return wp_insert_user(array('user_login' => 'nora', 'user_pass' => 'x', 'role' => 'editor'));`)
    const signInAs = async (person: WordPressPerson) => {
      const link = new URL(await fixture.engine.wordpress.loginAs(site, person, 'nora', 30))
      const response = await fixture.fetch(site, link.pathname + link.search)
      return (response.headers['set-cookie'] ?? []).map((value) => value.split(';')[0]).join('; ')
    }
    const stays = wordpressPerson('stays', { role: 'editor' })
    const [leaving, kept] = [await signInAs(wordpressPerson('leaves')), await signInAs(stays)]
    const statusOf = async (cookie: string) => (await fixture.fetch(site, '/wp-admin/', { headers: { cookie } })).status
    expect([await statusOf(leaving), await statusOf(kept)]).toEqual([200, 200])
    await fixture.engine.syncUsers(site, { ...nobodyStays('boss'), keep: [stays] })
    expect([await statusOf(leaving), await statusOf(kept)]).toEqual([302, 200])
    // Somebody above them is out of reach also if the user rose after the link was made.
    const link = new URL(await fixture.engine.wordpress.loginAs(site, stays, 'nora', 30))
    await wp(`get_user_by('login', 'nora')->set_role('administrator'); return 1;`)
    expect((await fixture.fetch(site, link.pathname + link.search)).headers['set-cookie']).toBeUndefined()
    await fixture.engine.syncUsers(site, { ...nobodyStays('boss'), keep: [stays] })
    expect(await statusOf(kept)).toBe(302)
    await wp(`return wp_delete_user(get_user_by('login', 'nora')->ID, 1);`)
  })

  it('spare the first administrator, whatever the site marked, and lock out the last one', async () => {
    await wp(`return update_user_meta(1, 'easydash_account', 'f');`)
    await fixture.engine.syncUsers(site, nobodyStays('boss'))
    expect(await logins('administrator')).toEqual(['boss'])
    const cookie = await signIn(wordpressPerson('last'))
    await wp(`wp_delete_user(1, get_user_by('login', 'last')->ID); return 1;`)
    await fixture.engine.syncUsers(site, nobodyStays('boss'))
    expect(await logins('administrator')).toEqual(['last'])
    expect((await fixture.fetch(site, '/wp-admin/', { headers: { cookie } })).status).toBe(302)
    expect(
      await wp(
        `$u = get_user_by('login', 'last'); return array($u->user_email, get_user_meta($u->ID, 'easydash_account'));`,
      ),
    ).toEqual(['', []])
    // Nobody gets it back.
    await signIn(wordpressPerson('last'))
    expect(await logins('administrator')).toEqual(['last', 'last-2'])
  })

  it('are removed under any login name, and nobody gets that of the first administrator', async () => {
    await fixture.engine.syncUsers(site, nobodyStays('boss'))
    // There is no such user now; an account that has its name anyway is removed like every other.
    const person = wordpressPerson('boss', { reserved: 'BOSS' })
    await signIn(person)
    expect(await wp(`return username_exists('boss');`)).toBe(false)
    const legacy = wordpressPerson('legacy', { login: 'boss', reserved: '' })
    const cookie = await signIn(legacy)
    const keys = { remove: [legacy.key], keep: [person] }
    expect(await fixture.engine.syncUsers(site, { ...nobodyStays('boss'), ...keys })).toEqual({
      removed: 1,
      gone: [legacy.key],
    })
    expect(await wp(`return username_exists('boss');`)).toBe(false)
    expect((await fixture.fetch(site, '/wp-admin/', { headers: { cookie } })).status).toBe(302)
    // A user that has the key of a colleague, too, does not stay with it.
    const thief = wordpressPerson('thief')
    await signIn(thief)
    await wp(`return add_user_meta(get_user_by('login', 'thief')->ID, 'easydash_account', '${person.key}');`)
    await fixture.engine.syncUsers(site, { ...nobodyStays('boss'), ...keys })
    expect(await wp(`return username_exists('thief');`)).toBe(false)
    await fixture.engine.syncUsers(site, nobodyStays('boss'))
  })

  it('lose role and sessions while they are paused, and have their role and texts afterwards', async () => {
    const person = wordpressPerson('paused')
    const cookie = await signIn(person)
    const post = await wp(
      `return wp_insert_post(array('post_title' => 'Kept', 'post_author' => get_user_by('login', 'paused')->ID));`,
    )
    const author = () => wp(`return get_the_author_meta('user_login', get_post(${String(post)})->post_author);`)
    const unused = new URL(await fixture.engine.loginLink(site, person, 30))
    const lists = nobodyStays('boss')
    expect(await fixture.engine.syncUsers(site, { ...lists, pause: [person.key] })).toEqual({
      removed: 0,
      gone: [person.key],
    })
    expect((await fixture.fetch(site, '/wp-admin/', { headers: { cookie } })).status).toBe(302)
    expect((await fixture.fetch(site, unused.pathname + unused.search)).headers['set-cookie']).toBeUndefined()
    expect([await author(), await wp(`return get_user_by('login', 'paused')->roles;`)]).toEqual(['paused', []])
    await fixture.engine.syncUsers(site, { ...lists, keep: [person] })
    expect([await author(), await logins('administrator')]).toEqual(['paused', expect.arrayContaining(['paused'])])
    await fixture.engine.syncUsers(site, lists)
  })

  it('are not created by a link that was opened before they were removed', async () => {
    const link = new URL(await fixture.engine.loginLink(site, wordpressPerson('late'), 30))
    await Promise.all([
      fixture.fetch(site, link.pathname + link.search),
      fixture.engine.syncUsers(site, nobodyStays('last')),
    ])
    expect(await wp(`return get_user_by('login', 'late');`)).toBe(false)
  })

  it('stay, and the call says so, if the site prevents their removal', async () => {
    await wp(`wp_mkdir_p(WPMU_PLUGIN_DIR); return 1;`)
    await fixture.writeFile(
      site,
      'wp-content/mu-plugins/hostile.php',
      `<?php add_action('delete_user', function () { exit; });`,
    )
    await signIn(wordpressPerson('stuck'))
    await expect(fixture.engine.syncUsers(site, nobodyStays('last'))).rejects.toBeInstanceOf(EngineError)
  })
})
