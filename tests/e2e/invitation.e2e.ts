/** A user is invited, signs up with the link, and joins the organization. */
import type { Page } from '@playwright/test'
import { passwords } from './support/leak-markers.ts'
import type { Product } from './support/harness.ts'
import { expect, organization, test } from './support/harness-test.ts'
import { expectValidLayout } from './support/looks.ts'
import { call, mailLink } from './support/person.ts'

test.describe.configure({ mode: 'serial' })

const nia = { firstName: 'Nia', lastName: 'Holm', email: 'nia@harbour.example', password: passwords.second }

async function inviteNia(page: Page, product: Product): Promise<string> {
  const from = product.output().length
  expect(await call(page, 'easydash.api.organization.invite_members', { users: [nia.email] })).toMatchObject([
    { status: 'pending' },
  ])
  return mailLink(product, nia.email, 'Invitation', from)
}

test.describe('an invitation', () => {
  let link = ''

  test('a new user signs up with the link and joins the organization', async ({ browser, owner, page, product }) => {
    const office = await browser.newPage({ baseURL: product.url, storageState: owner })
    await office.goto('/web/site')
    const old = await inviteNia(office, product)
    const listed = await call<{ name: string }[]>(office, 'run_doc_method', {
      dt: 'Organization',
      dn: organization.slug,
      method: 'list_invitations',
    })
    const from = product.output().length
    await call(office, 'run_doc_method', { dt: 'Member Invite', dn: listed[0]?.name, method: 'resend' })
    link = await mailLink(product, nia.email, 'Invitation', from)

    // A member has nothing to accept.
    await office.goto(link)
    await expect(office.getByText(`You are in ${organization.title} already`)).toBeVisible()

    await page.goto(old)
    await expect(page.getByRole('heading', { name: 'This invitation does not work' })).toBeVisible()
    await page.goto(link)
    await expect(page.getByRole('heading', { name: `Join ${organization.title}` })).toBeVisible()
    await expect(page.getByText('Member', { exact: true })).toBeVisible()
    await expect(page.getByText(nia.email)).toBeVisible()
    await expectValidLayout(page)
    await page.getByRole('link', { name: 'Create an account' }).click()
    await expect(page.getByText(`to join ${organization.title}`)).toBeVisible()
    const email = page.getByLabel('Email')
    await expect(email).toHaveValue(nia.email)
    await expect(email).not.toBeEditable()
    await expectValidLayout(page)
    await page.getByLabel('First name').fill(nia.firstName)
    await page.getByLabel('Last name').fill(nia.lastName)
    await page.getByRole('textbox', { name: 'Password' }).fill(nia.password)
    await page.getByLabel('I accept the terms').check()
    await page.getByRole('button', { name: 'Create account' }).click()

    // Without a mail server, the people who sent the invitation confirm the account, which is logged in and waits.
    await expect(page.getByRole('heading', { name: 'Waiting for confirmation' })).toBeVisible()
    await expectValidLayout(page)
    await page.goto(link)
    await expect(
      page.getByText(`an admin of ${organization.title} needs to confirm your account: ${nia.email}`),
    ).toBeVisible()

    // A newer link replaces the one of the sign-up; the account goes on with it.
    const renewed = product.output().length
    await call(office, 'run_doc_method', { dt: 'Member Invite', dn: listed[0]?.name, method: 'resend' })
    link = await mailLink(product, nia.email, 'Invitation', renewed)
    await page.reload()
    await expect(page.getByRole('heading', { name: 'Ask for a new link' })).toBeVisible()
    await expect(page.getByText(`an admin of ${organization.title} can copy a new one for ${nia.email}`)).toBeVisible()
    await expectValidLayout(page)
    await page.goto(link)
    await expect(
      page.getByText(`an admin of ${organization.title} needs to confirm your account: ${nia.email}`),
    ).toBeVisible()

    await office.goto('/web/user')
    const row = office.getByRole('row').filter({ hasText: nia.email })
    await expect(row.getByText('Waiting for confirmation')).toBeVisible()
    await row.getByRole('button', { name: `Confirm ${nia.email}` }).click()
    await expect(office.getByText(`${nia.email} is a member now`, { exact: true })).toBeVisible()
    await expect(office.getByRole('row').filter({ hasText: nia.firstName }).getByText('Joined')).toBeVisible()
    await office.close()
    // The page that waits continues by itself.
    await expect(page).not.toHaveURL(/verify-email/)
    await expect(page.getByRole('button', { name: new RegExp(organization.title) }).first()).toBeVisible()
    await page.goto(link)
    await expect(page.getByRole('heading', { name: `You are in ${organization.title} already` })).toBeVisible()
  })

  test('a used invitation says so to signed-out users', async ({ page }) => {
    await page.goto(link)
    await expect(page.getByRole('heading', { name: 'This invitation was used already' })).toBeVisible()
    await page.getByRole('link', { name: 'Log in' }).click()
    await expect(page).toHaveURL(/\/web\/login$/)
  })

  test('an existing user logs in from the link and accepts', async ({ browser, owner, page, product }) => {
    const office = await browser.newPage({ baseURL: product.url, storageState: owner })
    await office.goto('/web/site')
    const rows = await call<{ name: string }[]>(office, 'frappe.client.get_list', {
      doctype: 'Organization Member',
      filters: { user: nia.email },
    })
    await call(office, 'frappe.client.delete', { doctype: 'Organization Member', name: rows[0]?.name })
    link = await inviteNia(office, product)
    await office.close()

    // She is no longer in any organization; the invitation still works.
    await page.goto(link)
    await page.getByRole('link', { name: 'Log in', exact: true }).click()
    await page.getByLabel('Email').fill(nia.email)
    await page.getByRole('textbox', { name: 'Password' }).fill(nia.password)
    await page.getByRole('button', { name: 'Log in' }).click()
    await expect(page.getByRole('heading', { name: `Join ${organization.title}` })).toBeVisible()
    await expectValidLayout(page)
    await page.getByRole('button', { name: 'Accept' }).click()
    await expect(page).toHaveURL(/\/web\/?$/)
    await expect(page.getByRole('button', { name: new RegExp(organization.title) }).first()).toBeVisible()
  })

  test('a truncated link explains how to fix it', async ({ page }) => {
    await page.goto('/web/invitation')
    await expect(page.getByText('The link is not complete.')).toBeVisible()
  })
})
