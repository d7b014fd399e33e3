import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { findMysql } from '#server/platform/mysql/find-mysql.ts'
import { removeOutsideFolders } from '#server/platform/postgres/location.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'
import { mysqlCapability } from '../mysql/local-mysql.ts'
import type { LocalEngineOptions } from '../options.ts'

let dataDir = ''
let fixture: EngineFixture | undefined
afterEach(async () => {
  await fixture?.end()
  fixture = undefined
  await removeOutsideFolders(dataDir)
  await rm(dataDir, { recursive: true, force: true })
})

const isInstalled = mysqlCapability(await findMysql(), null).supported
/** PHP that opens the database without WordPress, which has the address of each request. */
const databases = {
  sqlite: `$pdo = new PDO('sqlite:/wordpress/wp-content/database/.ht.sqlite');`,
  mysql: `preg_match_all("/define\\(\\s*'DB_(\\w+)',\\s*'([^']*)'/", file_get_contents('wp-config.php'), $found);
    $db = array_combine($found[1], $found[2]);
    $pdo = new PDO("mysql:host=127.0.0.1;dbname={$db['NAME']}", $db['USER'], $db['PASSWORD']);`,
} as const

// MySQL is skipped where it is not installed.
it.each(isInstalled ? (['sqlite', 'mysql'] as const) : (['sqlite'] as const))(
  'a site on %s follows the port, the scheme and the domain of its Easydash',
  async (database) => {
    dataDir = await mkdtemp(join(tmpdir(), 'follow-'))
    const logged: unknown[] = []
    const log = { ...silentLog, info: (message: string, details?: object) => void logged.push([message, details]) }
    const reopen = async (changes: Partial<LocalEngineOptions> = {}): Promise<EngineFixture> => {
      await fixture?.end()
      fixture = await startFixture({ dataDir, log, mysql: { url: null }, ...changes })
      return fixture
    }
    const first = await reopen()
    const site = await first.create({ siteType: 'wp', database })
    const old = first.engine.siteUrl(site)
    const content = (url: string) => `<img src="${url}/a.png"> <a href="https://other.example/">`
    await first.php(
      site,
      `require 'wp-load.php';
    wp_insert_post(array('post_title' => 'Picture', 'post_status' => 'publish', 'post_content' => '${content(old)}'));
    update_option('kept', array('logo' => array('url' => '${old}/logo.png'), 'json' => json_encode('${old}/x')));
    update_option('foreign', 'http://elsewhere.localhost/');`,
    )
    await first.writeFile(
      site,
      'stored.php',
      `<?php ${databases[database]}
    $read = fn ($name) => $pdo->query("SELECT option_value FROM wp_options WHERE option_name = '$name'")->fetchColumn();
    echo json_encode(array($read('home'), $read('siteurl'), unserialize($read('kept')), $read('foreign'),
      $pdo->query("SELECT post_content FROM wp_posts WHERE post_name = 'picture'")->fetchColumn()));`,
    )
    const stored = async (engine: EngineFixture, host: string): Promise<unknown> =>
      JSON.parse((await engine.fetch(host, '/stored.php')).body)
    const expected = (url: string) => [
      url,
      url,
      { logo: { url: `${url}/logo.png` }, json: `"${url.replaceAll('/', '\\/')}\\/x"` },
      'http://elsewhere.localhost/',
      content(url),
    ]
    expect(await stored(first, new URL(old).host)).toEqual(expected(old))

    const second = await reopen({ port: first.port + 1 })
    const moved = second.engine.siteUrl(site)
    expect((await second.fetch(site, '/picture/')).body).toContain(`${moved}/a.png`)
    expect(await stored(second, new URL(moved).host)).toEqual(expected(moved))
    expect(logged).toContainEqual([
      'A site got its new address',
      expect.objectContaining({ site: site.id, from: old, to: moved }),
    ])

    // As on another machine, behind a proxy with HTTPS.
    const third = await reopen({ sitesUrlPattern: 'https://{slug}.sites.example', sitesDomain: 'sites.example' })
    const host = `${site.domain}.sites.example`
    expect(await stored(third, host)).toEqual(expected(`https://${host}`))

    // An address that it never had is what somebody imported.
    await third.writeFile(
      site,
      'import.php',
      `<?php ${databases[database]} $pdo->exec("UPDATE wp_options SET option_value = 'https://production.example' WHERE option_name = 'home'");`,
    )
    await third.fetch(host, '/import.php')
    await third.engine.sleepAll()
    expect(await stored(third, host)).toEqual(['https://production.example', ...expected(`https://${host}`).slice(1)])
  },
)
