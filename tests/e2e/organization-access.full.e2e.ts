/** What an admin connects an organization to: vendors' tokens and SSH keys. */
import type { Page } from '@playwright/test'
import { startVendor } from '#tests/contracts/vendors/simulator.ts'
import { companionSettings, vendorTokens } from './support/leak-markers.ts'
import { asOwner, expect } from './support/harness-test.ts'
import { expectValidLayout } from './support/looks.ts'

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f ann@laptop'
/** Another key of the same type. */
const second = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICAfHh0cGxoZGBcWFRQTEhEQDw4NDAsKCQgHBgUEAwIB bob@desk'
const emptyProject = { servers: [], meta: { pagination: null } }
const unauthorized = { error: { code: 'unauthorized', message: 'unable to authenticate', details: null } }

const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

asOwner('a token is tested before it is stored, and the provider’s response is shown', async ({ page }) => {
  await page.goto('/web/organization#cloud_providers')
  const hetzner = card(page, 'Hetzner')
  await expect(hetzner.getByText('Not connected')).toBeVisible()
  const token = hetzner.getByRole('textbox', { name: 'API token' })
  await token.fill(vendorTokens.rejected)
  await hetzner.getByRole('button', { name: 'Test and save' }).click()
  await expect(hetzner.getByRole('status').or(hetzner.getByRole('alert')).getByText('was not reached')).toBeVisible()

  const vendor = await startVendor(
    ({ headers }) =>
      headers['authorization'] === `Bearer ${vendorTokens.stored}`
        ? { status: 200, body: emptyProject }
        : { status: 401, body: unauthorized },
    { port: Number(new URL(companionSettings.HCLOUD_ENDPOINT).port) },
  )
  await hetzner.getByRole('button', { name: 'Test and save' }).click()
  await expect(hetzner.getByRole('alert')).toContainText('Hetzner does not accept the key (401)')
  await expect(hetzner.getByText('Not connected')).toBeVisible()
  await expectValidLayout(page)

  await token.fill(vendorTokens.stored)
  await token.press('Enter')
  await expect(hetzner.getByText('Connected', { exact: true })).toBeVisible()
  await expect(hetzner.getByText('The token works: 0 servers in its project.')).toBeVisible()
  await expect(hetzner.getByText('Default')).toBeVisible()
  await expect(token).toHaveCount(0)
  await expectValidLayout(page)
  await hetzner.getByRole('button', { name: 'Edit Hetzner' }).click()
  await expect(hetzner.getByText(/Set on /)).toBeVisible()
  await expectValidLayout(page)
  await hetzner.getByRole('button', { name: 'Cancel' }).click()

  // Stored credentials are tested on request; an unreachable vendor marks card and tab.
  await vendor.close()
  await hetzner.getByRole('button', { name: 'Test Hetzner' }).click()
  await expect(hetzner.getByText('Unreachable', { exact: true })).toBeVisible()
  await hetzner.getByRole('button', { name: 'More for Hetzner' }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await expect(hetzner.getByText('Not connected')).toBeVisible()
  await page.getByRole('tab', { name: 'Activity' }).click()
  await expect(page.getByText('tested a connection').first()).toBeVisible()
})

asOwner('SSH keys for all servers are added, rejected and restored', async ({ page }) => {
  await page.goto('/web/organization#ssh')
  const field = page.getByLabel('Public key')
  await field.fill('ssh-ed25519 nonsense')
  await page.getByRole('button', { name: 'Add key' }).click()
  await expect(field).toBeFocused()
  await expect(field).toHaveAttribute('aria-invalid', 'true')
  await field.fill(key)
  await field.press('Enter')
  const list = page.getByRole('list', { name: 'Default SSH keys' })
  await expect(list.getByText('ann@laptop')).toBeVisible()
  await page.getByRole('button', { name: 'Remove key ann@laptop' }).click()
  await expect(list).toHaveCount(0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(list.getByText('ann@laptop')).toBeVisible()

  // The toast is gone, but undo is in the tray; newer changes stay.
  await page.getByRole('button', { name: 'Remove key ann@laptop' }).click()
  await page.getByRole('button', { name: 'Close' }).click()
  await expect(list).toHaveCount(0)
  await field.fill(second)
  await field.press('Enter')
  await expect(list.getByText('bob@desk')).toBeVisible()
  await page.getByRole('button', { name: 'Jobs' }).click()
  const tray = page.getByRole('dialog', { name: 'Jobs' })
  await tray.getByRole('button', { name: 'Undo: Key removed' }).click()
  await expect(tray).toBeHidden()
  await expect(list.getByText('ann@laptop')).toBeVisible()
  await expect(list.getByText('bob@desk')).toBeVisible()
  await page.getByRole('button', { name: /^Jobs/ }).click()
  await expect(tray.getByText('Key removed').first()).toBeVisible()
  await expect(tray.getByRole('button', { name: 'Undo: Key removed' })).toHaveCount(0)
  await page.keyboard.press('Escape')
})
