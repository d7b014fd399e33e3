/** Members of an organization: bulk invitations, roles, sharing, removal; and the user's own account. */
import type { Page } from '@playwright/test'
import { earlyCode } from '#tests/support/totp.ts'
import { passwords } from './support/leak-markers.ts'
import { asOwner, blog, expect, organization, test } from './support/harness-test.ts'
import { expectValidLayout, settled } from './support/looks.ts'
import { call, logIn, mailLink, newAccount, type Person } from './support/person.ts'

test.describe.configure({ mode: 'serial' })

const uma: Person = { firstName: 'Uma', lastName: 'Lind', email: 'uma@harbour.example', password: passwords.second }
const publicKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f uma@laptop'

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })

asOwner('several people are invited at once, each with its own result', async ({ page, product }) => {
  await page.goto('/web/user?invite=1')
  const dialog = page.getByRole('dialog', { name: 'Invite members' })
  const box = dialog.getByRole('combobox', { name: 'Email addresses' })
  await expect(box).toBeFocused()
  await box.pressSequentially(`${uma.email}, sam@harbour `)
  await expect(dialog.getByText('sam@harbour isn’t a valid email address')).toBeVisible()
  await box.pressSequentially('ada@')
  await expect(dialog.getByRole('option', { name: /ada@.*Already a member/ })).toBeVisible()
  // Escape closes the suggestions first; the dialog stays open.
  await box.press('Escape')
  await expect(dialog.getByRole('listbox')).toBeHidden()
  await box.fill('')
  await expect(dialog.getByRole('radio', { name: /^Member/ })).toBeChecked()
  await expectValidLayout(page)

  await dialog.getByRole('button', { name: 'Remove sam@harbour' }).click()
  await box.fill('ada@fernhill.example otto@harbour.example')
  const from = product.output().length
  await dialog.getByRole('button', { name: 'Create 3 invitation links' }).click()
  await expect(dialog.getByText('2 invitations created, 1 address was not invited')).toBeVisible()
  await expect(dialog.getByText('This is your own address.')).toBeVisible()
  expect(await mailLink(product, 'otto@harbour.example', 'Invitation', from)).toContain('/web/invitation?token=')
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await expect(page).toHaveURL(/\/web\/user$/)

  await expect(rowOf(page, uma.email).getByText('Pending')).toBeVisible()
  // This product has no mail server, so nothing is reported as sent.
  await rowOf(page, uma.email)
    .getByRole('button', { name: `Actions for ${uma.email}` })
    .click()
  await page.getByRole('menuitem', { name: 'Create a new link' }).click()
  await expect(page.getByText(`There is a new link for ${uma.email}`, { exact: true })).toBeVisible()
  await page.getByRole('button', { name: /^Invitations/ }).click()
  await expect(rowOf(page, 'Ada Berg')).toBeHidden()
  await rowOf(page, 'otto@harbour.example').getByRole('button', { name: 'Copy link' }).click()
  await expect(page.getByText('Link copied', { exact: true })).toBeVisible()
  const revoke = async () => {
    await rowOf(page, 'otto@harbour.example').getByRole('button', { name: 'Actions for otto@harbour.example' }).click()
    await page.getByRole('menuitem', { name: 'Revoke' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click()
    await expect(rowOf(page, 'otto@harbour.example')).toBeHidden()
  }
  await revoke()
  // Revoking an invitation can't be undone, but inviting again is possible.
  await page.getByRole('button', { name: 'Invite again' }).click()
  await expect(rowOf(page, 'otto@harbour.example').getByText('Pending')).toBeVisible()
  await revoke()
})

test('the invited person joins', async ({ browser, owner, page, product }) => {
  const office = await browser.newPage({ baseURL: product.url, storageState: owner })
  await office.goto('/web/user')
  const invitations = await call<{ name: string; user: string }[]>(office, 'run_doc_method', {
    dt: 'Organization',
    dn: organization.slug,
    method: 'list_invitations',
  })
  const name = invitations.find(({ user }) => user === uma.email)?.name
  const members = office.getByRole('button', { name: /^Members: \d/ })
  const before = Number(/\d+/.exec((await members.getAttribute('aria-label')) ?? '')?.[0])
  const { link } = await call<{ link: string }>(office, 'run_doc_method', {
    dt: 'Member Invite',
    dn: name,
    method: 'copy_link',
  })
  await newAccount(page, product, uma, new URL(link).searchParams.get('token'))
  // The open list updates, and so do the counts of the shell.
  await expect(rowOf(office, 'Uma Lind').getByText('Joined')).toBeVisible()
  await expect(members).toHaveAccessibleName(`Members: ${before + 1} people`)
  await expect(office.getByRole('link', { name: /^Users/ })).toContainText(String(before + 1))
  await office.close()
})

asOwner('people are filtered by role, and the filter is saved as a view', async ({ page }) => {
  await page.goto('/web/user')
  const admins = rowOf(page, 'Ada Berg')
  await expect(admins.getByRole('cell', { name: 'Admin' })).toBeVisible()
  await expect(rowOf(page, 'Uma Lind').getByRole('cell', { name: 'Member' })).toBeVisible()
  await page.goto('/web/user?organization_role=["=","Organization Admin"]')
  await expect(admins).toBeVisible()
  await expect(rowOf(page, 'Uma Lind')).toBeHidden()
  await expect(page.getByRole('button', { name: /Change filter Role equals Admin/ })).toBeVisible()
  await page.getByRole('button', { name: 'Save view' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save this view' })
  await dialog.getByLabel('Name').fill('Who decides')
  await page.keyboard.press('Enter')
  await expect(dialog).toBeHidden()
  const view = page.getByRole('button', { name: /^Who decides \d/ })
  await expect(view).toHaveAttribute('aria-pressed', 'true')
  await page.getByRole('button', { name: /^All \d/ }).click()
  await expect(rowOf(page, 'Uma Lind')).toBeVisible()
  await expectValidLayout(page)
  await view.click()
  await expect(rowOf(page, 'Uma Lind')).toBeHidden()
  await page.getByRole('button', { name: 'Actions for the view Who decides' }).click()
  await page.getByRole('menuitem', { name: 'Delete view' }).click()
  await expect(view).toHaveCount(0)
})

asOwner('on phones the list of users begins in the upper third', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/web/user')
  const first = page.getByRole('main').getByRole('link', { name: 'Ada Berg' })
  await expect(first).toBeVisible()
  await settled(page)
  expect((await first.boundingBox())?.y).toBeLessThan(300)
})

asOwner('the own account is not shown as a part of the users', async ({ page }) => {
  await page.goto('/web/user')
  const entry = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Users' })
  await expect(entry).toHaveAttribute('aria-current', 'page')
  await page.getByRole('button', { name: 'User menu' }).click()
  await page.getByRole('menuitem', { name: 'Profile' }).click()
  await expect(page.getByRole('heading', { name: 'Ada Berg', level: 1 })).toBeVisible()
  await expect(entry).not.toHaveAttribute('aria-current')
  await expect(page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Users' })).toHaveCount(0)
})

asOwner('roles and shares are set in the list and on a member’s page', async ({ page, site }) => {
  expect(site).toBeTruthy()
  await page.goto('/web/user')
  const row = rowOf(page, 'Uma Lind')
  await row.getByRole('button', { name: 'Actions for Uma Lind' }).click()
  await page.getByRole('menuitem', { name: 'Make Manager' }).click()
  await expect(row.getByText('Manager', { exact: true })).toBeVisible()
  const notice = page.getByRole('listitem').filter({ hasText: 'Uma Lind is now Manager' })
  await notice.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('Uma Lind is now Member', { exact: true })).toBeVisible()
  await expect(row.getByText('Member', { exact: true })).toBeVisible()
  await row.getByRole('button', { name: 'Actions for Uma Lind' }).click()
  await page.getByRole('menuitem', { name: 'Make Manager' }).click()
  await expect(row.getByText('Manager', { exact: true })).toBeVisible()
  await row.getByRole('link', { name: 'Uma Lind' }).click()

  await expect(page.getByRole('heading', { name: 'Uma Lind', level: 1 })).toBeVisible()
  await expect(page.getByRole('tab', { name: 'Settings' })).toBeHidden()
  await page.getByRole('tab', { name: 'Role and permission' }).click()
  await expect(page.getByText('Managers can manage every site')).toBeVisible()
  await page.getByRole('radio', { name: /^Member/ }).check()
  await page.getByRole('combobox', { name: 'Share a site' }).fill(blog.title)
  await page
    .getByRole('option', { name: new RegExp(blog.name) })
    .first()
    .click()
  const access = page.getByRole('combobox', { name: new RegExp(`^Access to ${blog.title}`) })
  await expect(access).toHaveValue('read')
  const saved = page.waitForResponse((response) => response.url().includes('run_doc_method'))
  await access.selectOption('Can manage')
  await expect(access).toHaveValue('share')
  // It is shown before it is saved, and a reload would cut that off.
  await saved
  await expectValidLayout(page)
  await page.reload()
  await expect(access).toHaveValue('share')
  await page.getByRole('button', { name: new RegExp(`^Remove access to ${blog.title}`) }).click()
  await expect(access).toHaveCount(0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(access).toHaveValue('share')
})

test('users manage their own account: profile, password, sessions', async ({ page, browser, product }) => {
  const phone = await browser.newPage({ baseURL: product.url })
  await logIn(phone, uma)
  await logIn(page, uma)
  // Members have no user list, but can open their own page.
  await page.goto('/web/user')
  await expect(page).toHaveURL(/\/web\/site$/)
  await page.goto(`/web/user/${encodeURIComponent(uma.email)}`)
  await expect(page.getByRole('tab', { name: 'Role and permission' })).toBeHidden()
  const trail = page.getByRole('navigation', { name: 'Breadcrumb' })
  await expect(trail.getByText(`${uma.firstName} ${uma.lastName}`)).toBeVisible()
  await expect(trail.getByRole('link')).toHaveCount(1)
  await expect(page.getByLabel('Gender')).toBeHidden()
  await page.getByRole('heading', { name: 'About you' }).click()
  await expect(page.getByLabel('Gender')).toBeVisible()
  await page.getByLabel('Location').fill('Harbour')
  await expect(page.getByText('1 unsaved change')).toBeVisible()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Profile saved', { exact: true })).toBeVisible()

  await page.getByRole('tab', { name: 'Settings' }).click()
  await expect(page.getByText('This session')).toBeVisible()
  await expectValidLayout(page)
  const passwordForm = page.getByRole('form', { name: 'Password' })
  await passwordForm.getByRole('textbox', { name: 'Current password' }).fill(uma.password)
  await passwordForm.getByRole('textbox', { name: 'New password' }).fill(passwords.secondNew)
  await expect(passwordForm.getByText('Excellent')).toBeVisible()
  await passwordForm.getByRole('button', { name: 'Change password' }).click()
  await expect(page.getByText('Password changed', { exact: true })).toBeVisible()
  await phone.reload()
  await expect(phone).toHaveURL(/\/web\/login/)
  await phone.close()
})

test('two-factor codes, a key and a token are created, shown once and revoked', async ({ page }) => {
  await logIn(page, { ...uma, password: passwords.secondNew })
  await page.goto(`/web/user/${encodeURIComponent(uma.email)}#settings`)
  await page.getByRole('button', { name: 'Set up' }).click()
  const setup = page.getByRole('dialog', { name: 'Set up two-factor authentication' })
  await expect(setup.getByRole('img', { name: /^QR code/ })).toBeVisible()
  const secret = (await setup.getByTitle(/^[A-Z2-7 ]{20,}$/).textContent())?.replaceAll(' ', '') ?? ''
  await setup.getByLabel('Code from the app').fill(earlyCode(secret))
  await setup.getByRole('button', { name: 'Turn on' }).click()
  const codes = page.getByRole('dialog', { name: 'Recovery codes' })
  await expect(codes.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')).toHaveCount(10)
  await codes.getByRole('button', { name: 'Done' }).click()
  await expect(codes.getByText('they cannot be shown again')).toBeVisible()
  await codes.getByLabel('I have kept them somewhere safe').check()
  await codes.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByText('10 recovery codes left')).toBeVisible()

  await page.getByRole('button', { name: 'Add a key' }).click()
  await page.getByLabel('Public key').fill(publicKey)
  await page.getByRole('dialog').getByRole('button', { name: 'Add a key' }).click()
  const keys = page.getByRole('list', { name: 'SSH keys' })
  await expect(keys.getByText('SHA256:')).toBeVisible()
  await keys.getByRole('button', { name: 'Remove uma@laptop' }).click()
  await expect(keys).toBeHidden()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(keys.getByText('uma@laptop')).toBeVisible()

  await page.getByRole('button', { name: 'Create a token' }).click()
  const making = page.getByRole('dialog', { name: 'Create an API token' })
  await expect(making.getByLabel('Title')).toBeFocused()
  await making.getByLabel('Title').fill('Nightly report')
  await making.getByRole('button', { name: 'Create token' }).click()
  const made = page.getByRole('dialog', { name: 'Copy the token now' })
  const token = (await made.getByTitle(/^[0-9a-f]{20}:/).textContent()) ?? ''
  const response = await page.request.get('/api/method/frappe.auth.get_logged_user', {
    headers: { Authorization: `token ${token}` },
  })
  expect(await response.json()).toEqual({ message: uma.email })
  await made.getByRole('button', { name: 'Done' }).click()
  await expect(made).toBeHidden()
  await expect(page.getByText(token)).toHaveCount(0)
  await page.getByRole('button', { name: 'Revoke Nightly report' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click()
  await expect(page.getByText('No token yet.')).toBeVisible()
})

asOwner('a member is removed after typing the address and disappears from the list', async ({ page }) => {
  await page.goto('/web/user')
  await rowOf(page, 'Uma Lind').getByRole('button', { name: 'Actions for Uma Lind' }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  const dialog = page.getByRole('alertdialog')
  await expect(dialog.getByText('Access to 1 shared site ends.')).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Remove' })).toBeDisabled()
  await dialog.getByRole('textbox').fill(uma.email)
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByText('Uma Lind was removed', { exact: true })).toBeVisible()
  await expect(rowOf(page, 'Uma Lind')).toBeHidden()
})
