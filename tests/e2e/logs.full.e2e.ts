/** The logs of a site: an error appears as it happens, a request and an email, too; a log is searched, downloaded, emptied. */
import { existsSync } from 'node:fs'
import { chown, mkdir, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fetchFrom } from '#server/engines/local/engine-fixture.ts'
import { ignoreConsoleErrors } from './support/console-watch.ts'
import { asOwner, blog, expect } from './support/harness-test.ts'
import { siteTimeout } from './support/person.ts'

asOwner.describe.configure({ timeout: 3 * siteTimeout })

/**
 * Reacts to requests with `?probe=`: writes to PHP's log, ends with an error, or sends an email. And answers WordPress in place of
 * wordpress.org: it logs an error if that cannot be reached.
 */
const plugin = `<?php
add_filter( 'pre_http_request', function ( $answer, $args, $url ) {
	return str_contains( $url, 'wordpress.org' ) ? array( 'response' => array( 'code' => 503 ), 'body' => '' ) : $answer;
}, 10, 3 );
add_action( 'init', function () {
	$probe = $_GET['probe'] ?? '';
	if ( 'warning' === $probe ) trigger_error( 'Stock of article 12 is unknown', E_USER_WARNING );
	if ( 'mail' === $probe ) wp_mail( 'ada@example.com', 'Your order', '<p>Thanks, <b>Ada</b></p>', 'Content-Type: text/html' );
	if ( 'fatal' === $probe ) shop_is_missing();
} );
`

asOwner('logs are live, and mail lands in the mailbox of the site', async ({ page, site, product, problems }) => {
  const id = site.split('/').at(-1) ?? ''
  const folder = join(product.dataDir, 'local', 'sites', id)
  const content = join(folder, 'www', 'wp-content')
  const { uid, gid } = await stat(content)
  await mkdir(join(content, 'mu-plugins'), { recursive: true })
  await writeFile(join(content, 'mu-plugins', 'probe.php'), plugin)
  if (process.getuid?.() === 0)
    for (const path of ['mu-plugins', 'mu-plugins/probe.php']) await chown(join(content, path), uid, gid)
  // Other stories share the site.
  const errors = join(folder, 'logs', 'php-errors.log')
  if (existsSync(errors)) await truncate(errors)
  const visit = (path: string) => fetchFrom(product.port, `${blog.name}.localhost:${product.port}`, path)

  await page.goto(`${site}#logs`)
  await expect(page.getByText('No PHP errors')).toBeVisible()
  await visit('/?probe=warning')
  const log = page.getByRole('log', { name: 'PHP errors' })
  await expect(log.getByText('PHP Warning:  Stock of article 12 is unknown')).toBeVisible()
  await visit('/?probe=warning')
  await expect(log.getByText('2×')).toBeVisible()
  await visit('/?probe=fatal')
  await expect(log.getByText(/Uncaught Error: Call to undefined function shop_is_missing/)).toBeVisible()

  await page.getByRole('searchbox', { name: 'Search log' }).fill('article 12')
  await expect(page.getByText('1 match')).toBeVisible()
  await expect(log.getByText(/shop_is_missing/)).toHaveCount(0)
  await page.getByRole('searchbox', { name: 'Search log' }).fill('')
  await page.getByRole('button', { name: /^Errors/ }).click()
  await expect(log.getByText(/article 12/)).toHaveCount(0)

  // Nothing is lost while the network is away.
  await page.getByRole('button', { name: /^Errors/ }).click()
  await page.context().setOffline(true)
  await expect(page.getByText('Offline: continues where it stopped')).toBeVisible()
  await visit('/?probe=warning')
  await page.context().setOffline(false)
  await expect(log.getByText('3×')).toBeVisible()
  ignoreConsoleErrors(problems, /WebSocket connection|ERR_INTERNET_DISCONNECTED/)

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(new RegExp(`^${blog.name}-php-.*\\.log$`))
  expect((await readFile(await download.path(), 'utf8')).match(/article 12/g)).toHaveLength(3)

  const sources = page.getByRole('group', { name: 'Logs' })
  await sources.getByRole('button', { name: 'Access' }).click()
  const access = page.getByRole('log', { name: 'Access' })
  await expect(access.getByText(/^500 GET \/\?probe=fatal/)).toBeVisible()
  await visit('/?probe=none&token=hush')
  await expect(access.getByText(/^200 GET \/\?probe=none&token=\*\*\*\*\*/)).toBeVisible()

  await sources.getByRole('button', { name: 'Mail' }).click()
  await expect(page.getByText('No mail yet')).toBeVisible()
  await visit('/?probe=mail')
  await page.getByRole('button', { name: /Your order/ }).click()
  const mail = page.getByRole('dialog', { name: 'Your order' })
  await expect(mail.getByText('Thanks, Ada')).toBeVisible()
  await mail.getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('No mail yet')).toBeVisible()

  await sources.getByRole('button', { name: 'Jobs' }).click()
  await page.getByRole('button', { name: `Create ${blog.title}` }).click()
  await expect(page.getByRole('dialog').getByText('Done', { exact: true })).toBeVisible()
  await page.keyboard.press('Escape')

  await sources.getByRole('button', { name: 'PHP errors' }).click()
  await page.getByRole('button', { name: 'Empty log' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Empty log' }).click()
  await expect(page.getByText('No PHP errors')).toBeVisible()
})
