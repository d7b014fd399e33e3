/** The checks of a site: a broken homepage becomes an incident with the last change before it, which ends when it is mended. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { asOwner, expect } from './support/harness-test.ts'
import { createSite, siteTimeout } from './support/person.ts'

asOwner.describe.configure({ timeout: 4 * siteTimeout })

/** The bell says that the site is down, leads there from another page, and then counts it as read. */
async function bellTells(page: Page, site: string): Promise<void> {
  await page.goto('/web')
  const line = page.getByRole('listitem').filter({ hasText: 'Critical: Watched is down' })
  await page.getByRole('button', { name: /^Notifications, \d+ unread$/ }).click()
  await expect(line).toContainText('The page answered with status 500.')
  await expect(line).toContainText('Unread')
  await line.getByRole('link').click()
  await expect(page).toHaveURL((url) => url.pathname === site)
  await expect(line).toBeHidden()
  await page.getByRole('button', { name: /^Notifications/ }).click()
  await expect(line).toBeVisible()
  await expect(line).not.toContainText('Unread')
  await page.getByRole('link', { name: 'All notifications' }).click()
  await expect(page).toHaveURL(/\/web\/notification$/)
  await expect(line).toBeVisible()
  await page.getByLabel('Which notifications').selectOption('Unread')
  await expect(line).toBeHidden()
  await page.goto(`${site}#monitoring`)
}

asOwner('a site that breaks is down with its last change, until it is mended', async ({ page, product }) => {
  // One of its own: other stories break the shared one, which may have been noticed.
  await createSite(page, { name: 'watched', kind: 'PHP' })
  const site = new URL(page.url()).pathname
  const index = join(product.dataDir, 'local', 'sites', site.split('/').at(-1) ?? '', 'www', 'index.php')
  const whole = await readFile(index, 'utf8')
  await page.goto(`${site}#monitoring`)
  const check = page.getByRole('button', { name: 'Check now' })
  const incidents = page.getByRole('region', { name: 'Incidents' })
  await check.click()
  await expect(page.getByText(/The site is (up|slow)/).first()).toBeVisible({ timeout: siteTimeout })
  await expect(incidents.getByText('The site was not down in this time.')).toBeVisible()

  await writeFile(index, '<?php http_response_code( 500 );')
  // PHP looks at a changed file again after two seconds.
  await expect(async () => {
    await check.click()
    await expect(incidents.getByText('The page answered with status 500.')).toBeVisible({ timeout: 2_000 })
  }).toPass({ timeout: siteTimeout })
  await expect(incidents.getByText('Goes on')).toBeVisible()
  await bellTells(page, site)

  await writeFile(index, whole)
  await expect(async () => {
    await check.click()
    await expect(incidents.getByText('Goes on')).toBeHidden({ timeout: 2_000 })
  }).toPass({ timeout: siteTimeout })
  await expect(incidents.getByText(/Down for/)).toBeVisible()

  const chart = page.getByRole('slider', { name: /Response time and availability/ })
  await chart.focus()
  await page.keyboard.press('End')
  // A minute may have begun since.
  await expect(async () => {
    const text = (await chart.getAttribute('aria-valuetext')) ?? ''
    if (!text.includes('checks failed')) await page.keyboard.press('ArrowLeft')
    expect(text).toContain('checks failed')
  }).toPass({ timeout: siteTimeout })
  await page.getByRole('button', { name: '7 days' }).click()
  await expect(page).toHaveURL(/range=7d/)

  await page.getByLabel('The homepage must contain').fill('No such text')
  await page.getByRole('button', { name: 'Save' }).click()
  await check.click()
  await expect(incidents.getByText(/does not contain “No such text”/)).toBeVisible({ timeout: siteTimeout })
  await page.getByLabel('The homepage must contain').fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await check.click()
  await expect(incidents.getByText('Goes on')).toBeHidden({ timeout: siteTimeout })

  await incidents
    .getByRole('link', { name: /Last change before/ })
    .first()
    .click()
  await expect(page).toHaveURL(/activity=.*#activities/)
  await expect(page.getByRole('dialog')).toBeVisible()
})
