/** Media files of a WXR file come from where it says. A site here reaches the internet, and itself: its own WordPress is the other site. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeWxr } from '../archives/wxr/wxr-fixture.ts'
import { startFixture, type EngineFixture } from '../engine-fixture.ts'
import type { ImportSpec } from '../../site-imports.ts'
import { startTestReleases, type TestReleases } from '../wordpress-core/releases-fixture.ts'
import { thisMachine } from '../../site-ref.ts'

let fixture: EngineFixture
let folder: string
let releases: TestReleases

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'media-'))
  // Sites of a machine that does not reach wordpress.org ask nobody.
  releases = await startTestReleases()
  fixture = await startFixture({ wordpressOrgUrl: releases.url, cacheDir: releases.cacheDir })
  await fixture.engine.round()
})
afterAll(async () => {
  await fixture?.end()
  await releases?.close()
  await rm(folder, { recursive: true, force: true })
})

/** Imports an export as the site media-`at`; resolves with what its steps logged. */
async function imported(
  at: number,
  wxr: string | Buffer,
  before?: (step: string, site: ImportSpec) => Promise<unknown>,
) {
  const path = join(folder, `archive-${at}`)
  await writeFile(path, wxr)
  const site: ImportSpec = {
    ...{ id: `media0000${at}`, domain: `media-${at}`, siteType: 'wp', phpVersion: '8.3', server: thisMachine },
    ...{ archive: String(at).padStart(32, '0'), fileName: 'export.xml', title: null, database: 'sqlite' },
  }
  await fixture.engine.imports.take(site.archive, path)
  const lines: string[] = []
  for (const step of fixture.engine.imports.importSteps(site)) {
    await before?.(step.key, site)
    await step.run({
      operationId: 'test',
      log: (line) => void lines.push(line),
      progress: () => undefined,
      signal: AbortSignal.timeout(300_000),
    })
  }
  return { site, lines }
}

test('are fetched with their smaller pictures; what is none, or may not be, is missing and logged', async () => {
  const from = `http://media-1.localhost:${fixture.port}`
  const media = {
    '2024/05/logo.png': `${from}/wp-admin/images/wordpress-logo.png`,
    '2024/05/kept.png': `${from}/wp-admin/images/wordpress-logo.png`,
    '2024/05/gone.jpg': `${from}/gone.jpg`,
    '2024/05/page.jpg': `${from}/`,
    '2024/05/shell.php': `${from}/license.txt`,
    '../../2024/05/out.png': `${from}/wp-admin/images/wordpress-logo.png`,
    ...Object.fromEntries([1, 2, 3, 4].map((at) => [`2024/05/closed-${at}.png`, `http://127.0.0.1:9/${at}.png`])),
    '2024/05/run.php.png': `${from}/wp-admin/images/wordpress-logo.png`,
    '2024/05/other.png': `ftp://media-1.localhost/wp-admin/images/wordpress-logo.png`,
  }
  const sizes = `a:1:{s:9:"thumbnail";a:1:{s:4:"file";s:15:"w-logo-blue.png";}}`
  const about = { '2024/05/kept.png': `a:2:{s:5:"width";i:200;s:5:"sizes";${sizes}}` }
  const { site, lines } = await imported(1, makeWxr({ media, about }))
  const reasons = lines.flatMap(
    (line) => /^Not fetched: (.*?): (cURL error \d+|.*)/.exec(line)?.slice(1, 3).join(': ') ?? [],
  )
  expect(reasons).toEqual([
    '2024/05/gone.jpg: Its site answered with status 404.',
    '2024/05/page.jpg: Its content is of another type.',
    '2024/05/shell.php: WordPress does not allow files of this type.',
    '../../2024/05/out.png: Its path is not allowed.',
    ...[1, 2, 3].map((at) => `2024/05/closed-${at}.png: cURL error 55`),
    '2024/05/closed-4.png: Its host does not answer.',
    '2024/05/run.php.png: Its path is not allowed.',
  ])
  expect(lines).toContain('Fetched 2 media files; 9 could not be fetched')
  const { report } = await fixture.engine.imports.compare(site, AbortSignal.timeout(300_000))
  const missing = report.defects.filter(({ kind }) => kind === 'media').map(({ what }) => what)
  expect(missing.toSorted()).toEqual([
    ...[1, 2, 3, 4].map((at) => `2024/05/closed-${at}.png`),
    ...['gone.jpg', 'other.png', 'page.jpg', 'run.php.png', 'shell.php'].map((name) => `2024/05/${name}`),
  ])
  const picture = await fixture.fetch(site, '/wp-content/uploads/2024/05/logo.png')
  expect([picture.status, picture.headers['content-type']]).toEqual([200, 'image/png'])
  const seen = await fixture.php(
    site,
    `require __DIR__ . '/wp-load.php'; global $wpdb; $about = wp_get_attachment_metadata( 11 );
     echo json_encode( array( $about['file'], $about['width'] > 100, wp_get_attachment_metadata( 12 )['width'], array_values( array_diff( scandir( dirname( get_attached_file( 11 ) ) ), array( '.', '..' ) ) ), $wpdb->get_col( "SELECT option_name FROM $wpdb->options WHERE option_name LIKE 'easydash_media%'" ) ) );`,
  )
  const [file, hasWidth, kept, files, options] = JSON.parse(seen) as [string, boolean, number, string[], string[]]
  // What the export says of a picture stays where its smaller ones could be fetched.
  expect([file, hasWidth, kept, options]).toEqual(['2024/05/logo.png', true, 200, []])
  expect(files).toContain('w-logo-blue.png')
  expect(files.filter((name) => !/^(?:kept|w-logo-blue|logo(?:-\d+x\d+)?)\.png$/.test(name))).toEqual([])
})

test('leave the database of a site its room within the quota', async () => {
  const from = `http://media-2.localhost:${fixture.port}`
  const media = { '2024/05/logo.png': `${from}/wp-admin/images/wordpress-logo.png` }
  const { site, lines } = await imported(2, makeWxr({ media }), async (step, of) => {
    if (step !== 'fetch_media') return
    const { bytes } = (await fixture.engine.observe(of)).storage ?? { bytes: 0 }
    const disk_mb = Math.ceil(bytes / 1024 ** 2) + 20
    await fixture.engine.quotas.set(of.id, { disk_mb, files: 100_000, log_mb: 10, outbox_mb: 10 })
  })
  expect(lines).toContain('Not fetched: 2024/05/logo.png: The site has no room for it.')
  expect(
    await fixture.php(
      site,
      `require __DIR__ . '/wp-load.php'; echo update_option( 'blogname', 'Written' ) ? 'yes' : 'no';`,
    ),
  ).toBe('yes')
})
