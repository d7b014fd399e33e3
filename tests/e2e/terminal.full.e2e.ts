/** A terminal on a simulated server in `npm run demo`, under the content security policy of the product (console-watch.ts). */
import { readFile } from 'node:fs/promises'
import { expect } from '@playwright/test'
import { watchedTest as test } from './support/console-watch.ts'
import { logInToDemo as logIn, withDemo } from './support/demo.ts'

test('the owner opens a terminal right after the login, types, leaves it by keyboard, and downloads its recording', async ({
  page,
}) => {
  test.setTimeout(480_000)
  await withDemo(page, async ({ url }) => {
    await logIn(page, url)
    await page.goto(`${url}/web/server`)
    await page.getByRole('link', { name: 'cloud-1.acme.example' }).first().click()
    await page.getByRole('tab', { name: 'SSH' }).click()
    const card = page.getByRole('region', { name: 'Web terminal' })
    await card.getByRole('button', { name: 'Open terminal' }).click()
    const input = card.getByRole('textbox', { name: 'Terminal of cloud-1.acme.example' })
    await expect(input).toBeFocused({ timeout: 60_000 })
    const lines = card.locator('.xterm-rows')
    await expect(lines).toContainText('#')
    await page.keyboard.type('id\n')
    await expect(lines).toContainText('uid=0(root)')
    // A color that is none of the theme's.
    await page.keyboard.type("printf '\\033[38;2;200;40;40m%s\\n' colored\n")
    await expect(lines.locator('span', { hasText: /^colored$/ })).toHaveAttribute('style', /color/)
    await page.keyboard.press('Tab')
    await expect(input).toBeFocused()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Shift+Tab')
    await expect(card.getByRole('checkbox', { name: 'Screen reader mode' })).toBeFocused()
    await page.keyboard.press('Space')
    await expect(card.locator('.xterm-accessibility')).toBeAttached()
    await card.getByRole('button', { name: 'Close terminal' }).click()
    await expect(card.getByText('The terminal was closed.')).toBeVisible()
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download the recording of owner@acme.example' }).first().click()
    expect(await readFile(await (await saved).path(), 'utf8')).toContain('uid=0(root)')
    await page.getByRole('tab', { name: 'Activity' }).click()
    await expect(page.getByText('used a terminal on the server').first()).toBeVisible()
  })
})
