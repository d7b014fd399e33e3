import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { wordpressPerson } from '#tests/support/wordpress-person.ts'
import type { SiteSpec } from '../../engine.ts'
import { nobodyStays } from '../../wordpress-person.ts'
import { startFixture, type EngineFixture, type Fetched } from '../engine-fixture.ts'

describe('opening the admin of a site whose plugins act on it', () => {
  let fixture: EngineFixture
  let site: SiteSpec
  beforeAll(async () => {
    fixture = await startFixture()
    site = await fixture.create({ siteType: 'wp' })
  })
  afterAll(() => fixture.end())

  let number = 0
  /** The site has this plugin and no other one. */
  const plugin = async (code: string): Promise<void> => {
    number += 1
    // Each in a file of its own name, because OPcache looks at files again only after a while.
    await fixture.php(site, `foreach (glob('wp-content/mu-plugins/acting-*.php') as $old) unlink($old);`)
    await fixture.writeFile(site, `wp-content/mu-plugins/acting-${number}.php`, `<?php ${code}`)
  }
  const open = async (cookie = ''): Promise<Fetched> => {
    const { pathname, search } = new URL(await fixture.engine.loginLink(site, wordpressPerson(), 30))
    return fixture.fetch(site, pathname + search, cookie === '' ? {} : { headers: { cookie } })
  }
  const cookiesOf = ({ headers }: Fetched): string =>
    (headers['set-cookie'] ?? []).map((value) => value.split(';')[0]).join('; ')
  const isSignedIn = async (response: Fetched): Promise<boolean> =>
    (await fixture.fetch(site, '/wp-admin/', { headers: { cookie: cookiesOf(response) } })).status === 200

  it('shows the page of a second factor, and nobody is signed in before it', async () => {
    await plugin(`add_action('wp_login', function ($login) {
      wp_clear_auth_cookie();
      WP_Session_Tokens::get_instance(get_user_by('login', $login)->ID)->destroy_all();
      echo '<p>Enter the code for ', esc_html($login), '</p>';
      exit;
    }, PHP_INT_MAX, 1);`)
    const response = await open()
    expect([response.status, response.body]).toEqual([200, '<p>Enter the code for ada-berg</p>'])
    expect(await isSignedIn(response)).toBe(false)
  })

  it('ends the session as another user with the rights of the person, also one that begins after a second factor', async () => {
    await plugin(`add_action('init', function () {
        if (isset($_GET['code'])) { wp_set_auth_cookie(1); exit; }
      });
      add_action('wp_login', function () {
        wp_clear_auth_cookie();
        WP_Session_Tokens::get_instance(1)->destroy_all();
        exit('<p>Enter the code</p>');
      }, PHP_INT_MAX, 0);`)
    const person = wordpressPerson()
    const link = new URL(await fixture.engine.wordpress.loginAs(site, person, 'boss', 30))
    expect((await fixture.fetch(site, link.pathname + link.search)).body).toBe('<p>Enter the code</p>')
    const after = await fixture.fetch(site, '/?code=1')
    expect(await isSignedIn(after)).toBe(true)
    await fixture.engine.syncUsers(site, { ...nobodyStays('boss'), keep: [person] })
    expect(await isSignedIn(after)).toBe(true)
    await fixture.engine.syncUsers(site, nobodyStays('boss'))
    expect(await isSignedIn(after)).toBe(false)
  })

  it('shows the reason of a refusal on the login page', async () => {
    for (const hook of ['authenticate', 'wp_authenticate_user'] as const) {
      await plugin(`add_filter('${hook}', function ($user) {
        return $user instanceof WP_User ? new WP_Error('code_needed', 'Enter the code of your app.') : $user;
      }, 25, 1);`)
      const response = await open()
      expect([response.status, response.body], hook).toEqual([
        403,
        expect.stringContaining('Enter the code of your app.'),
      ])
      expect(response.body).toContain('id="loginform"')
      expect(await isSignedIn(response)).toBe(false)
    }
  })

  it('never counts as a sign-in for a plugin that asks for the code before the password', async () => {
    await plugin(`add_filter('authenticate', function ($user, $login) {
      if ($user instanceof WP_User || '' === (string) $login) return $user;
      echo 'Approve on your phone';
      exit;
    }, 10, 2);`)
    const response = await open()
    expect(response.body).toBe('Approve on your phone')
    expect(await isSignedIn(response)).toBe(false)
  })

  it('leads where a plugin leads, with its notices and its headers', async () => {
    await plugin(`add_filter('login_redirect', fn () => home_url('/welcome/'));
      add_action('wp_login', function () { setcookie('seen', '1'); echo 'Notice: welcome'; });`)
    const response = await open()
    expect([response.status, response.headers.location]).toEqual([302, `${fixture.engine.siteUrl(site)}/welcome/`])
    expect(cookiesOf(response)).toContain('seen=1')
    expect(await isSignedIn(response)).toBe(true)
  })

  it('says the truth of a plugin that fails, and the site goes on', async () => {
    await plugin(`add_action('wp_login', function () { throw new Exception('broken plugin'); });`)
    const response = await open()
    expect(response.status).toBe(500)
    expect(response.body).not.toContain('not running')
    expect((await fixture.fetch(site, '/')).status).toBe(200)
    // Before a link is made, the dashboard says it.
    await plugin(`add_action('init', function () { if (isset($_SERVER['EASYDASH_RESULT'])) exit('closed'); });`)
    await expect(open()).rejects.toMatchObject({ code: 'unavailable' })
    await plugin(`add_filter('wp_pre_insert_user_data', fn () => array());`)
    await expect(fixture.engine.loginLink(site, wordpressPerson('new'), 30)).rejects.toMatchObject({ code: 'conflict' })
  })

  it('keeps the password of the user, and signs in as nobody but them', async () => {
    await plugin('')
    const hash = () => fixture.php(site, `require 'wp-load.php'; echo get_user_by('login', 'ada-berg')->user_pass;`)
    await fixture.php(
      site,
      `require 'wp-load.php'; $GLOBALS['wpdb']->update($GLOBALS['wpdb']->users, array('user_pass' => md5('old')), array('user_login' => 'ada-berg'));`,
    )
    const before = await hash()
    const first = await open()
    expect(await hash()).toBe(before)
    expect(await isSignedIn(first)).toBe(true)
    expect((await open(cookiesOf(first))).status).toBe(302)
    expect((await fixture.fetch(site, '/.easydash/sign-in?x')).status).toBe(404)
  })
})
