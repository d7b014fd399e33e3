/** The main workflow by keyboard alone: from signup to a WordPress with its admin open, and logout. */
import { passwords } from './support/leak-markers.ts'
import { expect, test } from './support/harness-test.ts'
import {
  grantThisMachine,
  inNewTab,
  mailLink,
  pressPair,
  siteStatus,
  siteTimeout,
  tabTo,
  type Person,
} from './support/person.ts'

const kay: Person = { firstName: 'Kay', lastName: 'Finch', email: 'kay@keys.example', password: passwords.second }

test('signing up, creating a site and opening its admin work with the keyboard alone', async ({
  page,
  browser,
  owner,
  product,
}) => {
  const { keyboard } = page
  await page.goto('/web/signup')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  for (const [label, text] of [
    [/^First name/, kay.firstName],
    [/^Last name/, kay.lastName],
    [/^Email/, kay.email],
    [/^Password/, kay.password],
  ] as const) {
    await tabTo(page, 'textbox', label)
    await keyboard.type(text)
  }
  await tabTo(page, 'checkbox', /terms/)
  await keyboard.press('Space')
  const from = product.output().length
  await tabTo(page, 'button', /^Create account/)
  await keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Confirm your email' })).toBeVisible()
  await page.goto(await mailLink(product, kay.email, 'Verify', from))
  await expect(page.getByRole('heading', { name: 'Your email is confirmed' })).toBeVisible()

  await tabTo(page, 'link', /^Log in/)
  await keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
  await tabTo(page, 'textbox', /^Email/)
  await keyboard.type(kay.email)
  await tabTo(page, 'textbox', /^Password/)
  await keyboard.type(kay.password)
  await keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Create an organization' })).toBeVisible()

  await tabTo(page, 'textbox', /^Name/)
  await keyboard.type('Finch Keys')
  await expect(page.getByText('Available', { exact: true })).toBeVisible()
  await keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Welcome to Finch Keys' })).toBeVisible()
  // The tour is offered; it doesn't cover the welcome.
  const tour = page.getByRole('dialog', { name: 'Your organizations' })
  await expect(tour).toBeHidden()
  await tabTo(page, 'button', /^Start the tour/)
  await keyboard.press('Enter')
  await expect(tour.getByRole('button', { name: 'Next' })).toBeFocused()
  await keyboard.press('Escape')
  await expect(tour).toBeHidden()
  const office = await browser.newPage({ baseURL: product.url, storageState: owner })
  await office.goto('/web/terms')
  await grantThisMachine(office, 'finch-keys')
  await office.close()

  await pressPair(page, 'c', 's')
  await expect(page.getByRole('radio', { checked: true, name: /development/i })).toBeAttached()
  await tabTo(page, 'textbox', /^Name/)
  await keyboard.type('finch')
  await tabTo(page, 'textbox', /^Site title/)
  await keyboard.type('Finch Journal')
  await keyboard.press('Control+Enter')
  const drawer = page.getByRole('dialog', { name: 'Create Finch Journal' })
  await expect(drawer.getByText('Done', { exact: true })).toBeVisible({ timeout: siteTimeout })
  await keyboard.press('Escape')
  await expect(drawer).toBeHidden()
  await expect(siteStatus(page, 'Live')).toBeVisible()

  await tabTo(page, 'button', /^Open admin/)
  const admin = await inNewTab(page, () => keyboard.press('Enter'))
  await expect(admin.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible()
  await admin.close()

  // Back to the list, into the row and its menu, and log out.
  await pressPair(page, 'g', 's')
  await expect(page.getByRole('heading', { level: 1, name: 'Sites' })).toBeFocused()
  const row = page.getByRole('row').filter({ hasText: 'finch' })
  await expect(row).toBeVisible()
  await keyboard.press('j')
  await expect(row.getByRole('link').first()).toBeFocused()
  await keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'finch' })).toBeFocused()
  await keyboard.press(']')
  await expect(page.getByRole('tab', { name: 'Configurations' })).toHaveAttribute('aria-selected', 'true')
  await keyboard.press('Control+k')
  // Wait for the field: keys typed before it has the focus are lost.
  await expect(page.locator('[role=combobox]:focus')).toBeVisible()
  await keyboard.type('open admin of finch')
  await expect(page.getByRole('listbox').getByRole('option', { selected: true })).toHaveText(
    'Open admin of Finch Journal',
  )
  await keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toBeHidden()
  await keyboard.press('Shift+Tab')
  await tabTo(page, 'button', /^User menu/)
  await keyboard.press('Enter')
  await expect(page.getByRole('menuitem', { name: 'Profile' })).toBeFocused()
  await keyboard.press('End')
  await expect(page.getByRole('menuitem', { name: 'Logout' })).toBeFocused()
  await keyboard.press('Enter')
  await page.waitForURL('**/web/login')
})
