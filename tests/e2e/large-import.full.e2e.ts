/** A large archive becomes a site over a slow line that goes away now and then. */
import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { zipOf } from '#server/engines/local/archives/archive-fixture.ts'
import { dumpOf } from '#server/engines/local/portable/dump-fixture.ts'
import { ignoreConsoleErrors } from './support/console-watch.ts'
import { asOwner, expect } from './support/harness-test.ts'
import { siteStatus, siteTimeout } from './support/person.ts'

asOwner.describe.configure({ timeout: 4 * siteTimeout })

const size = 300_000_000
/** Bytes of a second: the whole takes as long as the rest of the test. */
const line = 8_000_000

asOwner(
  '300 MB arrive whole, over a slow line that breaks twice',
  async ({ page, site, product, context, problems }, testInfo) => {
    expect(site, 'there is a server').toBeTruthy()
    const video = randomBytes(size)
    const archive = testInfo.outputPath('large.zip')
    const config = "<?php $table_prefix = 'abc_'; define( 'DB_NAME', 'x' ); require_once ABSPATH . 'wp-settings.php';"
    await writeFile(
      archive,
      zipOf({ 'wp-config.php': config, 'dump.sql': dumpOf({ prefix: 'abc_' }), 'wp-content/uploads/video.bin': video }),
    )
    const devtools = await context.newCDPSession(page)
    await devtools.send('Network.enable')
    const connect = (offline: boolean) =>
      devtools.send('Network.emulateNetworkConditions', {
        ...{ offline, latency: 100, downloadThroughput: line, uploadThroughput: line },
      })
    await connect(false)

    await page.goto(`${product.url}/web/site`)
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Import a site' })
    await dialog.getByLabel('Archive', { exact: true }).setInputFiles(archive)
    await dialog.getByLabel(/^Name/).fill('imported-large')
    await expect(dialog.getByText('Available')).toBeVisible()
    await dialog.getByRole('button', { name: 'Import site' }).click()
    const progress = dialog.getByRole('progressbar', { name: 'Upload' })
    for (const share of [0.2, 0.6]) {
      await expect
        .poll(() => progress.evaluate((one: { value: number }) => one.value), { timeout: siteTimeout })
        .toBeGreaterThan(share * size)
      const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('/api/uploads'))
      await connect(true)
      await failed
      await connect(false)
    }
    const drawer = page.getByRole('dialog')
    await expect(drawer.getByText('Done', { exact: true })).toBeVisible({ timeout: 2 * siteTimeout })
    await drawer.getByRole('button', { name: 'Close' }).last().click()
    await expect(siteStatus(page, 'Live')).toBeVisible()
    const response = await page.request.get(`http://127.0.0.1:${product.port}/wp-content/uploads/video.bin`, {
      headers: { host: `imported-large.localhost:${product.port}` },
    })
    expect((await response.body()).equals(video)).toBe(true)
    ignoreConsoleErrors(problems, /ERR_INTERNET_DISCONNECTED/)
    await rm(archive)
  },
)
