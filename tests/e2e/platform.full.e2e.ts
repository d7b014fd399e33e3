/** The platform admin's page; it doesn't exist for other users. */
import { passwords } from './support/leak-markers.ts'
import { ignoreConsoleErrors } from './support/console-watch.ts'
import { ada, asOwner, expect, organization, test } from './support/harness-test.ts'
import { expectValidLayout } from './support/looks.ts'
import { createOrganization, fillSignup, logIn, mailLink, type Person } from './support/person.ts'

asOwner.describe.configure({ mode: 'serial' })

const cleo: Person = {
  firstName: 'Cleo',
  lastName: 'Dahl',
  email: 'cleo@platform.example',
  password: passwords.second,
}

test('other users get the not-found screen', async ({ page, owner, product }) => {
  expect(owner, 'the first account exists').toBeTruthy()
  const from = product.output().length
  await page.goto('/web/signup')
  await fillSignup(page, cleo)
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.goto(await mailLink(product, cleo.email, 'Verify', from))
  await expect(page.getByRole('heading', { name: 'Your email is confirmed' })).toBeVisible()
  await logIn(page, cleo)
  await createOrganization(page, 'Dahl Studio')
  await expect(page.getByRole('link', { name: 'Platform' })).toHaveCount(0)
  await page.goto('/web/platform')
  await expect(page.getByRole('heading', { name: "Sorry, we couldn't find this page." })).toBeVisible()
  await expect(page).toHaveTitle(/^404 - Page Not Found/)
})

asOwner('the platform admin grants limits and toggles features; the organization sees who did', async ({ page }) => {
  await page.goto('/web')
  await page.getByRole('link', { name: 'Platform' }).click()
  await expect(page.getByRole('heading', { name: 'Platform', level: 1 })).toBeVisible()
  await page.getByRole('searchbox').fill(organization.slug)
  await expect(page).toHaveURL(/organizations\.q=fernhill-web/)
  const row = page.getByRole('row').filter({ hasText: organization.title })
  await expect(row).toBeVisible()
  // Wait for the search results: rows that arrive later would replace the focused ones.
  await expect(page.getByRole('main').getByRole('row')).toHaveCount(2)
  await page.getByRole('heading', { name: 'Platform', level: 1 }).focus()
  await page.keyboard.press('f')
  await expect(page.getByRole('searchbox')).toBeFocused()
  await page.getByRole('heading', { name: 'Platform', level: 1 }).focus()
  await page.keyboard.press('j')
  await expect(row.getByRole('button').first()).toBeFocused()
  await page.keyboard.press('Enter')
  const drawer = page.getByRole('dialog', { name: organization.title })
  await expect(drawer).toContainText(`appear in the activity of ${organization.title}`)
  await expectValidLayout(page)

  await drawer.getByLabel('Sites').fill('half')
  await drawer.getByRole('button', { name: 'Save limits', exact: true }).click()
  await expect(drawer.getByText('Sites must be a number.')).toBeVisible()
  await drawer.getByLabel('Sites').fill('7')
  await drawer.getByRole('button', { name: 'Save limits', exact: true }).click()
  await expect(page.getByText('Limits saved', { exact: true })).toBeVisible()
  await expect(page.getByRole('row', { name: organization.title, includeHidden: true })).toContainText('of 7')
  await drawer.getByLabel('Sites').fill('')
  await drawer.getByRole('button', { name: 'Save limits', exact: true }).click()
  await expect(page.getByRole('row', { name: organization.title, includeHidden: true })).toContainText('of 3')

  // WP Cloud is offered once its sites can be created.
  await expect(drawer.getByRole('switch', { name: 'WP Cloud' })).toHaveCount(0)
  const servers = (checked: boolean) => drawer.getByRole('switch', { name: 'Servers', exact: true, checked })
  await servers(true).click()
  await expect(servers(false)).toBeEnabled()
  await servers(false).click()
  await expect(servers(true)).toBeEnabled()

  await drawer.getByRole('button', { name: 'Disable organization', exact: true }).click()
  const question = page.getByRole('alertdialog')
  await expect(question).toContainText('lose every right in it within seconds')
  await expect(question.getByRole('button', { name: 'Disable organization' })).toBeDisabled()
  await page.keyboard.press('Enter')
  await expect(question.getByText('The name doesn’t match.')).toBeVisible()
  await page.keyboard.press('Escape')

  await page.goto('/web/billing#activities')
  await expect(page.getByText('changed the granted limits').first()).toBeVisible()
})

asOwner('the platform admin manages accounts and plans', async ({ page }) => {
  await page.goto('/web/platform#users')
  await page.getByRole('button', { name: `Actions for ${ada.firstName} ${ada.lastName}` }).click()
  await expect(page.getByRole('menuitem', { name: /^Disable/ })).toBeDisabled()
  await page.keyboard.press('Escape')
  await page.getByRole('searchbox').fill(cleo.email)
  await expect(page.getByRole('row')).toHaveCount(2)
  await page.getByRole('button', { name: 'Actions for Cleo Dahl' }).click()
  await page.getByRole('menuitem', { name: 'Disable', exact: true }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Disable' }).click()
  await expect(page.getByRole('row', { name: /Cleo Dahl/ })).toContainText('Disabled')

  await page.getByRole('tab', { name: 'Plans' }).click()
  await page.getByRole('button', { name: 'Edit Agency' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit Agency' })
  await dialog.getByLabel('Price').fill('')
  await dialog.getByLabel('Features').fill('A person to call\nReviews')
  await dialog.getByRole('button', { name: 'Save plan' }).click()
  const row = page.getByRole('row', { name: /^Agency/ })
  await expect(row).toContainText('On request')
  await expect(row).toContainText('A person to call, Reviews')
  await page.getByRole('button', { name: 'Edit Agency' }).click()
  await dialog.getByLabel('Price').fill('179')
  await dialog.getByLabel('Features').fill('')
  await dialog.getByRole('button', { name: 'Save plan' }).click()
  await expect(row).toContainText('€179')
})

asOwner('the platform admin sets disk quotas of sites, by type and by organization', async ({ page }) => {
  await page.goto('/web/platform#plans')
  const wordpress = page.getByRole('list', { name: 'Site quotas' }).getByRole('listitem').first()
  await expect(wordpress).toContainText('WordPress')
  await wordpress.getByRole('button', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog')
  const disk = dialog.getByLabel('Disk space')
  const former = await disk.inputValue()
  await disk.fill('plenty')
  await dialog.getByRole('button', { name: 'Save quotas' }).click()
  await expect(dialog.getByText('Disk space must be a number.')).toBeVisible()
  await expectValidLayout(page)
  await disk.fill('3072')
  await dialog.getByRole('button', { name: 'Save quotas' }).click()
  await expect(dialog).toBeHidden()
  await expect(wordpress).toContainText('3 GB')
  await wordpress.getByRole('button', { name: 'Edit' }).click()
  await disk.fill(former)
  await dialog.getByRole('button', { name: 'Save quotas' }).click()
  await expect(dialog).toBeHidden()

  await page.goto(`/web/platform?organizations.q=${organization.slug}`)
  await page.getByRole('row', { name: organization.title }).getByRole('button').first().click()
  const granted = page.getByRole('dialog').getByRole('form', { name: 'Granted site quotas' })
  await granted.getByLabel('Files').fill('-1')
  await granted.getByRole('button', { name: 'Save quotas', exact: true }).click()
  await expect(granted.getByText('Files must be at least 0.')).toBeVisible()
  await granted.getByLabel('Files').fill('123456')
  await granted.getByRole('button', { name: 'Save quotas', exact: true }).click()
  await expect(page.getByText('Quotas saved', { exact: true })).toBeVisible()
  // The drawer is part of the URL.
  await page.reload()
  await expect(granted.getByLabel('Files')).toHaveValue('123456')
  await granted.getByLabel('Files').fill('')
  await granted.getByRole('button', { name: 'Save quotas', exact: true }).click()
  await expect(page.getByText('Quotas saved', { exact: true })).toBeVisible()
})

asOwner('the platform admin reads a stored email and checks jobs and health', async ({ page, problems }) => {
  await page.goto('/web/platform#outbox')
  await page
    .getByRole('row', { name: new RegExp(cleo.email) })
    .getByRole('button')
    .first()
    .click()
  const dialog = page.getByRole('dialog')
  // Styled by our own rules and fully sandboxed: the page's CSP applies inside and reports nothing.
  const button = dialog.frameLocator('iframe').getByText('Verify', { exact: false }).last()
  await expect(button).toBeVisible()
  await expect(dialog.locator('iframe')).toHaveAttribute('sandbox', '')
  await expect(dialog.frameLocator('iframe').locator('[data-href]').first()).toHaveCSS(
    'background-color',
    'rgb(79, 70, 229)',
  )
  await dialog.getByRole('tab', { name: 'Text with links' }).click()
  await expect(dialog.getByText('/web/verify-email?token=')).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  // What the browser logs about this test's own scripts, which inspect a frame that can't run any.
  ignoreConsoleErrors(problems, /Blocked script execution in 'about:srcdoc' because the document's frame is sandboxed/)

  await page.getByRole('tab', { name: 'Jobs' }).click()
  await expect(page.getByLabel('Status')).toBeVisible()
  await page.getByRole('tab', { name: 'Health' }).click()
  await expect(page.getByRole('heading', { level: 2, name: 'Health', exact: true })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Database' })).toBeVisible()
  await expectValidLayout(page)
})
