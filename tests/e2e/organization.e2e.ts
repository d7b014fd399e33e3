/** The organization's settings: what an admin changes, connects and tests, and protection against accidental loss. */
import type { Page } from '@playwright/test'
import { startVendor } from '#tests/contracts/vendors/simulator.ts'
import { companionSettings, vendorTokens } from './support/leak-markers.ts'
import { asOwner, expect, organization } from './support/harness-test.ts'
import { expectValidLayout } from './support/looks.ts'

asOwner.describe.configure({ mode: 'serial' })

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f ann@laptop'
/** Another key of the same type. */
const second = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICAfHh0cGxoZGBcWFRQTEhEQDw4NDAsKCQgHBgUEAwIB bob@desk'
const emptyProject = { servers: [], meta: { pagination: null } }
const unauthorized = { error: { code: 'unauthorized', message: 'unable to authenticate', details: null } }

const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

asOwner('the owner renames the organization without losing anything', async ({ page }) => {
  await page.goto('/web/organization')
  await expect(page).toHaveTitle(/^Organization Settings/)
  await expect(page.getByRole('tab', { selected: true })).toHaveText('Overview')
  const menu = page.getByRole('navigation', { name: 'Main' })
  const name = page.getByLabel('Name', { exact: true })
  await expect(name).toHaveValue(organization.title)
  await name.fill('Fernhill Works')
  await expect(page.getByText('1 unsaved change')).toBeVisible()

  // Another tab, another page, and back: each asks for confirmation before changes are lost.
  await page.getByRole('tab', { name: 'SSH' }).click()
  const question = page.getByRole('alertdialog', { name: 'Leave without saving?' })
  await question.getByRole('button', { name: 'Keep editing' }).click()
  await menu.getByRole('link', { name: /^Sites/ }).click()
  await question.getByRole('button', { name: 'Keep editing' }).click()
  await expect(page).toHaveURL(/\/web\/organization$/)
  await page.reload()
  await expect(name).toHaveValue('Fernhill Works')

  await name.press('Control+Enter')
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Fernhill Works' }).first()).toBeVisible()
  await name.fill(organization.title)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Save', exact: true })).toHaveCount(0)

  await menu.getByRole('link', { name: /^Sites/ }).click()
  await expect(page.getByRole('heading', { name: 'Sites', level: 1 })).toBeVisible()
  await menu.getByRole('link', { name: 'Settings' }).click()
  await name.fill('Something else')
  await page.goBack()
  await question.getByRole('button', { name: 'Discard and leave' }).click()
  await expect(page).toHaveURL(/\/web\/site/)
  await page.goto('/web/organization#nowhere')
  await expect(page.getByRole('tab', { selected: true })).toHaveText('Overview')
  await expect(name).toHaveValue(organization.title)
})

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

asOwner(
  'modules are toggled, and deleting the organization first lists what will be deleted',
  async ({ page, site }) => {
    expect(site, 'a site keeps the organization').toBeTruthy()
    await page.goto('/web/organization')
    // WP Cloud is offered once its sites can be created.
    await expect(page.getByRole('switch', { name: 'WP Cloud' })).toHaveCount(0)
    const module = page.getByRole('switch', { name: 'EasyEngine' })
    const servers = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Servers' })
    await module.click()
    await expect(module).not.toBeChecked()
    await expect(servers).toHaveCount(0)
    await module.click()
    await expect(module).toBeChecked()
    await expect(servers).toBeVisible()

    await page.getByRole('button', { name: 'Delete organization…' }).click()
    const question = page.getByRole('alertdialog')
    await expect(question.getByText(/^\d+ members? loses? access\.$/)).toBeVisible()
    await expect(question.getByText(/still there\. Archive and delete/)).toBeVisible()
    await expect(question.getByRole('button', { name: 'Delete organization' })).toBeDisabled()
    await page.keyboard.press('Enter')
    await expect(question.getByText('The name doesn’t match.')).toBeVisible()
    await question.getByRole('button', { name: 'Cancel' }).click()

    await page.getByRole('tab', { name: 'Activity' }).click()
    await expect(page.getByText('tested a connection').first()).toBeVisible()
  },
)
