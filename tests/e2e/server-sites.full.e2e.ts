/** A WordPress site on a server with EasyEngine in `npm run demo`, from the form to its deletion. */
import { expect } from '@playwright/test'
import { finishJob, openArchiveDialog } from './support/archive-dialog.ts'
import { watchedTest as test } from './support/console-watch.ts'
import { logInToDemo, withDemo } from './support/demo.ts'

const domain = 'story.acme.example'

test('a site on a server is created, opened, changed and deleted like one on this machine', async ({ page }) => {
  test.setTimeout(600_000)
  await withDemo(page, async ({ url }) => {
    await logInToDemo(page, url)
    const main = page.getByRole('main')

    await page.goto(`${url}/web/site/create`)
    await page.getByRole('radio', { name: /cloud-1\.acme\.example/ }).check({ force: true })
    const name = page.getByLabel('Domain')
    await name.fill('story')
    await name.blur()
    await expect(main.getByText('The domain needs a dot, e.g. example.com.').first()).toBeVisible()
    await name.fill('pressacme.example')
    await page.getByLabel('PHP version').selectOption('8.3')
    await page
      .getByRole('button', { name: /^Create site/ })
      .first()
      .click()
    await expect(main.getByText(/are equal without dots and hyphens/).first()).toBeVisible()
    await name.fill(domain)
    await page
      .getByRole('button', { name: /^Create site/ })
      .first()
      .click()
    await expect(page).toHaveURL(/\/web\/site\/[a-z0-9]{10}/)
    await finishJob(page)
    await expect(main.getByText('Live', { exact: true }).first()).toBeVisible()
    await expect(main.getByText(/^WordPress \d+\.\d+/).first()).toBeVisible()

    const opened = page.waitForEvent('popup')
    await main.getByRole('button', { name: /^Open admin/ }).click()
    const admin = await opened
    await expect(admin.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible()
    await expect(admin.getByText('Howdy, Olivia Hart')).toBeVisible()
    await admin.close()

    await page.getByRole('tab', { name: 'WordPress' }).click()
    const plugins = page.getByRole('region', { name: 'Plugins' }).getByRole('listitem')
    const hello = plugins.filter({ hasText: 'Hello Dolly' })
    await hello.getByRole('button', { name: 'Activate Hello Dolly' }).click()
    await expect(hello.getByRole('button', { name: 'Deactivate Hello Dolly' })).toBeVisible({ timeout: 120_000 })
    await page.getByRole('tab', { name: 'Overview' }).click()

    await page.getByRole('button', { name: 'More actions', exact: true }).click()
    await page.getByRole('menuitem', { name: /^Change PHP version/ }).click()
    const versions = page.getByRole('dialog')
    await versions.getByLabel('PHP version').selectOption('8.4')
    await versions.getByRole('button', { name: 'Change PHP version' }).click()
    await finishJob(page)
    await expect(main.getByText('PHP 8.4')).toBeVisible()

    await page.getByRole('tab', { name: 'Logs' }).click()
    await page.getByRole('group', { name: 'Logs' }).getByRole('button', { name: 'Access' }).click()
    await expect(
      page
        .getByRole('log', { name: 'Access' })
        .getByText(/^200 GET \//)
        .first(),
    ).toBeVisible()

    await page.getByRole('tab', { name: 'Overview' }).click()
    await openArchiveDialog(page)
    await finishJob(page)
    await main.getByRole('button', { name: 'Delete permanently' }).click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByRole('textbox').fill(domain)
    await dialog.getByRole('button', { name: 'Delete permanently' }).click()
    await expect(page).toHaveURL(/\/web\/site(?:\?|$)/, { timeout: 120_000 })
    await expect(main.getByText('press.acme.example').first()).toBeVisible()
    await expect(main.getByRole('link', { name: domain })).toHaveCount(0)
  })
})
