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

test('are fetched with their smaller pictures; what is none, or may not be, is missing and logged', async () => {
  const from = `http://media-1.localhost:${fixture.port}`
  const media = {
    '2024/05/logo.png': `${from}/wp-admin/images/wordpress-logo.png`,
    '2024/05/gone.jpg': `${from}/gone.jpg`,
    '2024/05/page.jpg': `${from}/`,
    '2024/05/shell.php': `${from}/license.txt`,
    '../../2024/05/out.png': `${from}/wp-admin/images/wordpress-logo.png`,
    '2024/05/other.png': `ftp://media-1.localhost/wp-admin/images/wordpress-logo.png`,
  }
  const path = join(folder, 'archive')
  await writeFile(path, makeWxr({ media }))
  const site: ImportSpec = {
    ...{ id: 'media00001', domain: 'media-1', siteType: 'wp', phpVersion: '8.3', server: thisMachine },
    ...{ archive: '1'.padStart(32, '0'), fileName: 'export.xml', title: null, database: 'sqlite' },
  }
  await fixture.engine.imports.take(site.archive, path)
  const lines: string[] = []
  for (const step of fixture.engine.imports.importSteps(site))
    await step.run({
      operationId: 'test',
      log: (line) => void lines.push(line),
      progress: () => undefined,
      signal: AbortSignal.timeout(300_000),
    })
  expect(lines.filter((line) => line.startsWith('Not fetched'))).toEqual([
    'Not fetched: 2024/05/gone.jpg: Its site answered with status 404.',
    'Not fetched: 2024/05/page.jpg: Its content is of another type.',
    'Not fetched: 2024/05/shell.php: WordPress does not allow files of this type.',
    'Not fetched: ../../2024/05/out.png: Its path is not allowed.',
  ])
  expect(lines).toContain('Fetched 1 media files; 4 could not be fetched')
  const { report } = await fixture.engine.imports.compare(site, AbortSignal.timeout(300_000))
  const missing = report.defects.filter(({ kind }) => kind === 'media').map(({ what }) => what)
  expect(missing.toSorted()).toEqual(['2024/05/gone.jpg', '2024/05/other.png', '2024/05/page.jpg', '2024/05/shell.php'])
  const picture = await fixture.fetch(site, '/wp-content/uploads/2024/05/logo.png')
  expect([picture.status, picture.headers['content-type']]).toEqual([200, 'image/png'])
  const seen = await fixture.php(
    site,
    `require __DIR__ . '/wp-load.php'; global $wpdb; $about = wp_get_attachment_metadata( 11 );
     echo json_encode( array( $about['file'], $about['width'] > 100, array_values( array_diff( scandir( dirname( get_attached_file( 11 ) ) ), array( '.', '..' ) ) ), $wpdb->get_col( "SELECT option_name FROM $wpdb->options WHERE option_name LIKE 'easydash_media%'" ) ) );`,
  )
  const [file, hasWidth, files, options] = JSON.parse(seen) as [string, boolean, string[], string[]]
  expect([file, hasWidth, options]).toEqual(['2024/05/logo.png', true, []])
  expect(files.filter((name) => !/^logo(?:-\d+x\d+)?\.png$/.test(name))).toEqual([])
})
