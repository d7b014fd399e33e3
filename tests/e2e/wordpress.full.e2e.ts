/** More of the WordPress of a site: findings, users, files, scheduled events and packages, on a real site. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { asOwner, blog, expect } from './support/harness-test.ts'
import { makeZip } from '#server/engines/local/core/zip-fixture.ts'
import { inNewTab, siteTimeout } from './support/person.ts'

asOwner.describe.configure({ timeout: 4 * siteTimeout })

const pluginLine = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Plugins' }).getByRole('listitem').filter({ hasText: name })

asOwner('what is wrong with a WordPress is found and repaired', async ({ page, site, product }) => {
  const www = join(product.dataDir, 'local', 'sites', site.split('/').at(-1) ?? '', 'www')
  await mkdir(join(www, 'wp-content/uploads'), { recursive: true })
  await writeFile(join(www, 'wp-content/uploads/planted.php'), `<?php echo 'planted ' . 'ran';`)
  const body = async () =>
    (
      await page.request.get(`http://127.0.0.1:${product.port}/wp-content/uploads/planted.php`, {
        headers: { host: `${blog.name}.localhost:${product.port}` },
      })
    ).text()
  expect(await body()).toBe('planted ran')
  await page.goto(`${site}#wordpress`)
  const health = page.getByRole('region', { name: 'Health' })
  const finding = health.getByText('PHP files among the uploads are run')
  await expect(finding).toBeVisible({ timeout: siteTimeout })
  await health.getByRole('button', { name: 'Block PHP in uploads' }).click()
  await expect(health.getByText('No PHP among the uploads')).toBeVisible({ timeout: siteTimeout })
  await expect(finding).toHaveCount(0, { timeout: siteTimeout })
  expect(await body()).not.toContain('planted ran')
  await health.getByRole('button', { name: 'Turn off: No PHP among the uploads' }).click()
  await expect(finding).toBeVisible({ timeout: siteTimeout })
  expect(await body()).toBe('planted ran')
})

/** Presses a button of the tab once no job holds the site: a result is shown a moment before the page learns that. */
async function pressFree(button: Locator): Promise<void> {
  await expect(button).not.toHaveAttribute('aria-disabled', 'true', { timeout: siteTimeout })
  await button.click()
}

asOwner('a user gets a password that works in WordPress', async ({ page, site, product }) => {
  await page.goto(`${site}#wordpress`)
  await pressFree(page.getByRole('button', { name: 'Add user…' }))
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Username').fill('nora')
  await dialog.getByLabel('Email address').fill('nora@example.com')
  await dialog.getByRole('button', { name: 'Add user' }).click()
  const shown = page.getByRole('dialog', { name: 'Password of nora' })
  const password = (await shown.getByText(/^\w{24}$/).innerText()).trim()
  await shown.getByRole('button', { name: 'Close' }).last().click()
  await expect(page.getByText('nora@example.com')).toBeVisible()

  // Logged in as that user with one click, without the password.
  await page.getByRole('button', { name: 'More actions for nora' }).click()
  const [admin] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('menuitem', { name: 'Log in as this user' }).click(),
  ])
  await admin.waitForURL(/\/wp-admin\//)
  await expect(admin.locator('#wp-admin-bar-my-account').getByText('nora').first()).toBeAttached()
  await admin.context().clearCookies({ domain: new URL(admin.url()).hostname })
  await admin.close()

  const visitor = await page.context().newPage()
  await visitor.goto(`http://${blog.name}.localhost:${product.port}/wp-login.php`)
  await visitor.getByLabel('Username or Email Address').fill('nora')
  await visitor.getByLabel('Password', { exact: true }).fill(password)
  await visitor.getByRole('button', { name: 'Log In' }).click()
  await expect(visitor).toHaveURL(/wp-admin/)
  await visitor.close()
})

asOwner(
  'files of WordPress are compared with the original, and events run on request',
  async ({ page, site, product }) => {
    await page.goto(`${site}#wordpress`)
    const files = page.getByRole('region', { name: 'Files of WordPress' })
    await files.getByRole('button', { name: 'Verify checksums' }).click()
    const drawer = page.getByRole('dialog')
    await expect(drawer.getByText('Done', { exact: true })).toBeVisible({ timeout: siteTimeout })
    await drawer.getByRole('button', { name: 'Close' }).last().click()
    await expect(files.getByText(/are the original ones/)).toBeVisible()

    const www = join(product.dataDir, 'local', 'sites', site.split('/').at(-1) ?? '', 'www')
    await writeFile(join(www, 'wp-includes/evil.php'), '<?php // not of WordPress')
    await files.getByRole('button', { name: 'Verify checksums' }).click()
    await expect(drawer.getByText('Done', { exact: true })).toBeVisible({ timeout: siteTimeout })
    await drawer.getByRole('button', { name: 'Close' }).last().click()
    await expect(files.getByText('wp-includes/evil.php')).toBeVisible()
    await expect(files.getByText('Modified')).toBeVisible()

    await pressFree(page.getByRole('button', { name: 'Run now: wp_version_check' }))
    await expect(page.getByText('1 event ran').first()).toBeVisible()
  },
)

asOwner('a plugin is installed from a ZIP file, replaced by a newer one and rolled back', async ({ page, site }) => {
  const pluginZip = (version: string) => ({
    name: 'tool.zip',
    mimeType: 'application/zip',
    buffer: makeZip([
      { name: 'tool/tool.php', content: Buffer.from(`<?php\n/* Plugin Name: Handy tool\nVersion: ${version} */`) },
    ]),
  })
  await page.goto(`${site}#wordpress`)
  const dialog = page.getByRole('dialog', { name: 'Add a plugin' })
  const tool = pluginLine(page, 'Handy tool')
  const drawer = page.getByRole('dialog')
  const ended = async () => {
    await expect(drawer.getByText('Done', { exact: true })).toBeVisible({ timeout: siteTimeout })
    await drawer.getByRole('button', { name: 'Close' }).last().click()
  }

  await pressFree(page.getByRole('button', { name: 'Add plugin…' }))
  await dialog
    .getByLabel('ZIP file', { exact: true })
    .setInputFiles({ ...pluginZip('1'), buffer: Buffer.from('This is no archive at all.') })
  await expect(dialog.getByText('This is no ZIP file, or it is damaged.')).toBeVisible()
  await dialog.getByLabel('ZIP file', { exact: true }).setInputFiles(pluginZip('1.0'))
  await expect(dialog.getByText('Handy tool 1.0')).toBeVisible()
  await dialog.getByRole('button', { name: 'Install' }).click()
  await ended()
  await expect(tool.getByText('1.0', { exact: true })).toBeVisible()

  await pressFree(page.getByRole('button', { name: 'Add plugin…' }))
  await dialog.getByLabel('ZIP file', { exact: true }).setInputFiles(pluginZip('2.0'))
  await expect(dialog.getByText('Version 1.0 is installed')).toBeVisible()
  await dialog.getByRole('button', { name: 'Replace 1.0 with 2.0' }).click()
  await ended()
  await expect(tool.getByText('2.0', { exact: true })).toBeVisible()

  // While the job holds the site, the menu has reasons below its entries, which move when it ends.
  await expect(tool.getByRole('button', { name: 'Activate' })).not.toHaveAttribute('aria-disabled', 'true', {
    timeout: siteTimeout,
  })
  await tool.getByRole('button', { name: 'More actions for Handy tool' }).click()
  await page.getByRole('menuitem', { name: /Roll back to 1\.0/ }).click()
  await expect(tool.getByText('1.0', { exact: true })).toBeVisible({ timeout: siteTimeout })
})

/** Turns off the guide that covers the first editor of a WordPress user, as its preferences do. */
async function withoutWelcomeGuide(admin: Page): Promise<void> {
  const status = await admin.evaluate(async () => {
    const nonce = await (await fetch('/wp-admin/admin-ajax.php?action=rest-nonce')).text()
    const preferences = { 'core/edit-post': { welcomeGuide: false }, _modified: new Date().toISOString() }
    const response = await fetch('/?rest_route=/wp/v2/users/me', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-WP-Nonce': nonce },
      body: JSON.stringify({ meta: { persisted_preferences: preferences } }),
    })
    return response.status
  })
  expect(status, 'the preference is saved').toBe(200)
}

asOwner('an author writes a post in the editor of WordPress', async ({ page, site }) => {
  const title = 'Written in the editor'
  await page.goto(site)
  const admin = await inNewTab(page, () => page.getByRole('button', { name: 'Open admin' }).click())
  await expect(admin.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible()
  await withoutWelcomeGuide(admin)
  await admin.getByRole('link', { name: 'Posts', exact: true }).first().click()
  await admin.locator('#wpbody').getByRole('link', { name: 'Add New Post' }).click()
  await admin.frameLocator('iframe[name="editor-canvas"]').getByRole('textbox', { name: 'Add title' }).fill(title)
  await admin.getByRole('button', { name: 'Publish', exact: true }).click()
  await admin
    .getByRole('region', { name: 'Editor publish' })
    .getByRole('button', { name: 'Publish', exact: true })
    .click()
  await expect(admin.getByText(/is now live/).first()).toBeVisible()
  await admin.close()
  const visit = await inNewTab(page, () => page.getByRole('link', { name: 'Visit' }).click())
  await expect(visit.getByRole('link', { name: title }).first()).toBeVisible()
  await visit.close()
})
