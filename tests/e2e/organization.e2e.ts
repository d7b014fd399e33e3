/** The organization's settings: what an admin changes, and protection against accidental loss. */
import { asOwner, expect, organization } from './support/harness-test.ts'

asOwner.describe.configure({ mode: 'serial' })

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

asOwner(
  'modules are toggled, and deleting the organization first lists what will be deleted',
  async ({ page, site }) => {
    expect(site, 'a site keeps the organization').toBeTruthy()
    await page.goto('/web/organization')
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
  },
)
