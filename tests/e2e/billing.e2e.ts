/** The owner's billing pages where nothing is charged: the profile, the plans and the effect of a change. */
import type { Page } from '@playwright/test'
import { asOwner, expect, organization, ownLimits } from './support/harness-test.ts'
import { expectValidLayout } from './support/looks.ts'
import { call } from './support/person.ts'

asOwner.describe.configure({ mode: 'serial' })

/** Gives the organization limits in place of those of its plan. */
const limit = (page: Page, limits: object) =>
  call(page, 'easydash.api.platform.set_limits', { organization: organization.slug, ...limits })

asOwner('the owner sets the billing address', async ({ page }) => {
  // A country found by IP address in the last 30 days is suggested without a new lookup.
  await page.addInitScript(`
    localStorage.setItem('country_code_127.0.0.1', 'nl')
    localStorage.setItem('country_code_date_127.0.0.1', new Date().toISOString())`)
  await page.goto('/web')
  await page.getByRole('link', { name: 'Billing' }).click()
  await expect(page.getByRole('heading', { name: 'Billing', level: 1 })).toBeVisible()
  await expect(page.getByRole('tab', { selected: true })).toHaveText('Profile')
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Ada Berg')
  await expect(page.getByLabel('Organization Name')).toHaveValue(organization.title)
  await expect(page.getByLabel('Email', { exact: true })).not.toBeEditable()
  await expect(page.getByLabel('Country').locator('option:checked')).toHaveText('Netherlands')
  const save = page.getByRole('button', { name: 'Save' })
  await expect(save).toBeDisabled()
  await expectValidLayout(page)

  await page.getByLabel('Address Line 1').fill('Lane 1')
  await save.click()
  await expect(page.getByText('State/Province is required.')).toBeVisible()
  await expect(page.getByLabel('State/Province')).toBeFocused()
  await page.getByLabel('State/Province').fill('NRW')
  await page.getByLabel('City/Town').fill('Bonn')
  await page.getByLabel('Postal Code').fill('53111')
  await page.getByLabel('Company Name').fill('Fernhill Web Ltd')
  await page.getByLabel('Country').selectOption('Germany')
  await page.route('**/*.set_customer_details', (route) => route.fulfill({ json: { message: { status: false } } }), {
    times: 1,
  })
  await save.click()
  await expect(page.getByText('Error Updating Profile', { exact: true })).toBeVisible()
  await expect(page.getByText('Failed to update profile.').first()).toBeVisible()

  // The toast never covers the retry button, including on phones: neither while it sticks to the lower edge, nor at the end
  // of the form.
  await page.setViewportSize({ width: 390, height: 844 })
  await page.route('**/*.set_customer_details', (route) => route.fulfill({ json: { message: { status: false } } }), {
    times: 1,
  })
  await save.click()
  const notice = page.getByRole('listitem').filter({ hasText: 'Error Updating Profile' })
  // Hovering keeps the toast open.
  await notice.hover()
  // It moves in the frame after the page has changed.
  await expect
    .poll(async () => {
      const [notices, saves] = await Promise.all([notice.boundingBox(), save.boundingBox()])
      if (notices === null || saves === null) return false
      return notices.y + notices.height <= saves.y || saves.y + saves.height <= notices.y
    })
    .toBe(true)
  await notice.getByRole('button', { name: 'Close' }).click()
  await page.setViewportSize({ width: 1440, height: 900 })
  await save.click()
  await expect(page.getByText('Profile updated successfully.', { exact: true })).toBeVisible()
  await expect(page.getByText('Profile Updated', { exact: true })).toBeVisible()
  await expect(save).toBeDisabled()

  // A cleared optional field is stored as empty; leaving with unsaved changes asks for confirmation.
  await page.getByLabel('Company Name').fill('')
  await page.getByRole('link', { name: 'Sites' }).first().click()
  await page.getByRole('alertdialog').getByRole('button').first().click()
  await save.click()
  await expect(save).toBeDisabled()
  await page.reload()
  await expect(page.getByLabel('Address Line 1')).toHaveValue('Lane 1')
  await expect(page.getByLabel('Country').locator('option:checked')).toHaveText('Germany')
  await expect(page.getByLabel('Company Name')).toHaveValue('')
})

asOwner('the owner previews another plan, switches, undoes, cancels and reactivates', async ({ page }) => {
  await page.goto('/web/billing#plans')
  await limit(page, {})
  await page.reload()
  const summary = page.getByRole('region', { name: 'Your plan' })
  await expect(summary).toContainText('Free')
  const preview = page.getByRole('region', { name: 'Change preview' })

  await page.getByRole('button', { name: 'Upgrade to Growth' }).click()
  await expect(preview).toContainText('Growth has 22 more sites and 7 more servers. Nothing is lost.')
  // Nothing is charged here, so no price stands beside it.
  await expect(page.getByRole('main')).not.toContainText('€')
  await expectValidLayout(page)
  await preview.getByRole('button', { name: 'Move to Growth' }).click()
  await expect(summary).toContainText('Growth')
  await expect(preview).toBeHidden()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(summary).toContainText('Free')

  await page.getByRole('button', { name: 'Upgrade to Growth' }).click()
  await preview.getByRole('button', { name: 'Move to Growth' }).click()
  await expect(summary).toContainText('Growth')

  // A downgrade waits for the end of the period unless the user chooses now.
  await page.getByRole('button', { name: 'Downgrade to Starter' }).click()
  await expect(preview.getByLabel('When')).toHaveValue('period_end')
  await preview.getByRole('button', { name: 'Move to Starter' }).click()
  await expect(summary).toContainText(/Moves to Starter on \w+ \d+, \d{4}/)
  await page.getByRole('button', { name: 'Keep Growth' }).click()
  await expect(summary).toContainText('Active')

  await page.getByRole('button', { name: 'Cancel plan' }).click()
  const dialog = page.getByRole('alertdialog')
  await expect(dialog).toContainText(`Then ${organization.title} is on Free.`)
  await dialog.getByRole('button', { name: 'Cancel plan' }).click()
  await expect(summary).toContainText(/Canceled, active until \w+ \d+, \d{4}/)
  await expect(page.getByText('Plan Expiring Soon:')).toBeVisible()
  await page.getByRole('button', { name: 'Reactivate' }).click()
  await expect(summary).toContainText('Active')
  await expect(page.getByText('Plan Expiring Soon:')).toBeHidden()

  await page.getByRole('button', { name: 'Downgrade to Free' }).click()
  await preview.getByLabel('When').selectOption('Now')
  await preview.getByRole('button', { name: 'Move to Free' }).click()
  await expect(summary).toContainText('Free')

  await page.getByRole('tab', { name: 'Activity' }).click()
  await expect(page.getByText('canceled the plan').first()).toBeVisible()
  await expect(page.getByText('changed the billing profile').first()).toBeVisible()
  await limit(page, ownLimits)
})
