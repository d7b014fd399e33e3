import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { wordpressPerson } from '#tests/support/wordpress-person.ts'
import type { SiteSpec, WordPressPerson } from '../engine.ts'
import { startFixture, type EngineFixture } from '../local/engine-fixture.ts'
import { loginPlugin, storedLink, type LoginLink } from './login.ts'

describe('our must-use plugin, in a real WordPress', () => {
  let fixture: EngineFixture
  let site: SiteSpec
  beforeAll(async () => {
    fixture = await startFixture()
    site = await fixture.create({ siteType: 'wp' })
    await fixture.writeFile(site, 'wp-content/mu-plugins/easydash-login.php', loginPlugin)
  })
  afterAll(() => fixture.end())

  const make = async (link: LoginLink, now = Date.now()): Promise<string> => {
    const token = randomBytes(32).toString('base64url')
    const { hash, content } = storedLink(token, link, now)
    // With the rights of the site, as on a server.
    const file = Buffer.from(`<?php exit; ?>\n${content}`).toString('base64')
    await fixture.php(
      site,
      `@mkdir('/wordpress/wp-content/easydash-login', 0700, true); file_put_contents('/wordpress/wp-content/easydash-login/${hash}.php', base64_decode('${file}'));`,
    )
    return `/?easydash-login=${token}`
  }
  const linkOf = (person: WordPressPerson, more: Partial<LoginLink> = {}): LoginLink => ({
    person,
    ttlSeconds: 30,
    ...more,
  })
  const cookiesOf = (headers: { readonly 'set-cookie'?: string[] }): string =>
    (headers['set-cookie'] ?? []).map((value) => value.split(';')[0]).join('; ')
  const wp = async (code: string): Promise<unknown> =>
    JSON.parse(
      await fixture.php(
        site,
        `require '/wordpress/wp-load.php'; require_once ABSPATH . 'wp-admin/includes/user.php'; echo json_encode((function () { ${code} })());`,
      ),
    )

  it('signs a person in as their own user, once', async () => {
    const path = await make(linkOf(wordpressPerson('zoe')))
    // Previews of the link do not use it up.
    expect((await fixture.fetch(site, path, { method: 'HEAD' })).headers['set-cookie']).toBeUndefined()
    for (const [name, value] of [
      ['sec-purpose', 'prefetch'],
      ['user-agent', 'Slackbot-LinkExpanding 1.0'],
    ] as const) {
      const preview = await fixture.fetch(site, path, { headers: { [name]: value } })
      expect([preview.status, preview.headers['set-cookie']]).toEqual([503, undefined])
    }
    const first = await fixture.fetch(site, path)
    expect(first.status).toBe(302)
    expect(first.headers['location']).toMatch(/\/wp-admin\/$/)
    expect(first.headers['cache-control']).toBe('no-store')
    expect(first.headers['referrer-policy']).toBe('no-referrer')
    const admin = await fixture.fetch(site, '/wp-admin/', { headers: { cookie: cookiesOf(first.headers) } })
    expect(admin.status).toBe(200)
    expect(admin.body).toContain('Howdy')
    expect(await wp(`return array_column(get_users(array('role' => 'administrator')), 'user_login');`)).toEqual([
      'boss',
      'zoe',
    ])
    const second = await fixture.fetch(site, path)
    expect([second.status, second.headers['set-cookie']]).toEqual([410, undefined])
    expect(second.body).toContain('It was used already')
    await fixture.fetch(site, await make(linkOf(wordpressPerson('zoe'))))
    expect(await wp(`return count(get_users(array('search' => 'zoe*')));`)).toBe(1)
  })

  it('signs a person in as another user, as long as they may do as much', async () => {
    const admin = await fixture.fetch(site, await make(linkOf(wordpressPerson('acting'), { as: 'boss' })))
    expect(cookiesOf(admin.headers)).toMatch(/wordpress_logged_in_\w+=boss/)
    const editor = linkOf(wordpressPerson('below', { role: 'editor' }), { as: 'boss' })
    for (const link of [editor, linkOf(wordpressPerson('acting'), { as: 'nobody' })])
      expect((await fixture.fetch(site, await make(link))).headers['set-cookie']).toBeUndefined()
    expect(await wp(`return array_column(get_users(), 'user_login');`)).not.toContain('acting')
    // The session says whose it is, so that it ends with their rights. Beside the local engine's own filter, which a server has not.
    const [marks, filter] = (await wp(
      `return array(array_column((array) get_user_meta(1, 'session_tokens', true), 'easydash_account'), has_filter('attach_session_information', 'Easydash_Login\\easydash_session'));`,
    )) as [string[], unknown]
    expect(marks).toContain(wordpressPerson('acting').key)
    expect(filter).toBe(10)
  })

  it('refuses late, unknown and malformed links, and shows nothing of the files', async () => {
    const late = await make(linkOf(wordpressPerson('late')), Date.now() - 31_000)
    const wrong = [`/?easydash-login=${'A'.repeat(43)}`, '/?easydash-login=../../x', '/?easydash-login[]=x']
    for (const path of [late, ...wrong]) {
      const { status, headers } = await fixture.fetch(site, path)
      expect([status, headers['set-cookie']], path).toEqual([410, undefined])
    }
    const token = (await make(linkOf(wordpressPerson('zoe')))).split('=')[1] ?? ''
    const { hash } = storedLink(token, linkOf(wordpressPerson('zoe')), 0)
    expect((await fixture.fetch(site, `/wp-content/easydash-login/${hash}.php`)).body).toBe('')
  })

  it('takes itself away a quarter of an hour after its last link, and comes back with the next one', async () => {
    const content = '/wordpress/wp-content'
    const there = (path: string) => wp(`return file_exists('${content}/${path}');`)
    const lastAt = (ago: number) =>
      fixture.php(
        site,
        `foreach (glob('${content}/easydash-login/*.php') as $path) unlink($path); file_put_contents('${content}/easydash-login/last.php', "<?php exit; ?>\n" . json_encode(array('expires' => time() - ${ago})));`,
      )
    await fixture.fetch(site, await make(linkOf(wordpressPerson('zoe'))))
    expect((await fixture.fetch(site, '/')).status).toBe(200)
    await lastAt(890)
    await fixture.fetch(site, '/')
    expect(await there('mu-plugins/easydash-login.php')).toBe(true)
    await lastAt(910)
    expect((await fixture.fetch(site, '/')).status).toBe(200)
    for (const path of ['mu-plugins/easydash-login.php', 'mu-plugins/easydash-login.php.old', 'easydash-login'])
      expect(await there(path), path).toBe(false)
    const path = await make(linkOf(wordpressPerson('zoe')))
    await fixture.writeFile(site, 'wp-content/mu-plugins/easydash-login.php', loginPlugin)
    expect((await fixture.fetch(site, path)).status).toBe(302)
  })

  it('lets one of several uses at the same time win', async () => {
    const path = await make(linkOf(wordpressPerson('once')))
    const answers = await Promise.all([1, 2, 3].map(() => fixture.fetch(site, path)))
    expect(answers.filter(({ headers }) => headers['set-cookie'] !== undefined)).toHaveLength(1)
  })

  it('removes people, and links of people, who may no longer sign in', async () => {
    const [kept, gone] = [wordpressPerson('kept', { role: 'editor' }), wordpressPerson('gone')]
    for (const person of [kept, gone]) await fixture.fetch(site, await make(linkOf(person)))
    const unused = await make(linkOf(gone))
    const above = await make(linkOf({ ...kept, role: 'administrator' }))
    const allowed = await make(linkOf(kept))
    const keep = `array(array('key' => '${kept.key}', 'role' => 'editor'))`
    expect(
      await wp(
        `\\Easydash_Login\\easydash_drop_links(${keep}); return \\Easydash_Login\\easydash_sync_users(array('keep' => ${keep}, 'pause' => array(), 'remove' => array('${gone.key}'), 'reassignTo' => 'boss'));`,
      ),
    ).toMatchObject({ gone: [gone.key] })
    expect(await wp(`return array_column(get_users(array('role' => 'administrator')), 'user_login');`)).toEqual([
      'boss',
    ])
    for (const path of [unused, above])
      expect((await fixture.fetch(site, path)).headers['set-cookie'], path).toBeUndefined()
    expect((await fixture.fetch(site, allowed)).headers['set-cookie']).toBeDefined()
  })
})
