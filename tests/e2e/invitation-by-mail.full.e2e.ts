/** From an empty start to the second member, where emails are delivered: both people use only what is in their mailbox. */
import { linkIn, startMailServer } from '#tests/support/mail-server.ts'
import { ada, expect, organization } from './support/harness-test.ts'
import { watchedTest as test } from './support/console-watch.ts'
import { startProduct } from './support/harness.ts'
import { passwords } from './support/leak-markers.ts'
import { createFirstAccount, createOrganization, logIn, type Person } from './support/person.ts'

const nia: Person = { firstName: 'Nia', lastName: 'Holm', email: 'nia@harbour.example', password: passwords.second }

test('with a mail server, an invited person joins with the links of two emails', async ({ page, browser }) => {
  const mailServer = await startMailServer()
  const product = await startProduct({
    env: { SMTP_URL: mailServer.url, MAIL_FROM: 'Easydash <dash@fernhill.example>', EASYDASH_SIGNUP: 'invite' },
  })
  try {
    await createFirstAccount(page, product.setupLink ?? '', ada)
    await createOrganization(page, organization.title)
    await page.goto(`${product.url}/web/user?invite=1`)
    const dialog = page.getByRole('dialog', { name: 'Invite members' })
    await dialog.getByRole('combobox', { name: 'Email addresses' }).fill(nia.email)
    await dialog.getByRole('button', { name: 'Send invitation' }).click()
    await expect(page.getByText('1 invitation sent', { exact: true })).toBeVisible()
    const row = page.getByRole('row').filter({ hasText: nia.email })
    await expect(row).toContainText(/Sent /)
    await expect(row.getByRole('button', { name: `Send again ${nia.email}` })).toBeVisible()

    const invited = await (await browser.newContext({ baseURL: product.url })).newPage()
    await invited.goto(linkIn(await mailServer.received(nia.email, /invit/i)))
    await expect(invited.getByRole('heading', { name: `Join ${organization.title}` })).toBeVisible()
    await invited.getByRole('link', { name: 'Create an account' }).click()
    await invited.getByLabel('First name').fill(nia.firstName)
    await invited.getByLabel('Last name').fill(nia.lastName)
    await invited.getByRole('textbox', { name: 'Password' }).fill(nia.password)
    await invited.getByLabel('I accept the terms').check()
    await invited.getByRole('button', { name: 'Create account' }).click()
    await expect(invited.getByText(`We sent a link to ${nia.email}.`)).toBeVisible()
    await expect(invited.getByText(/operator|needs to confirm/i)).toHaveCount(0)

    await invited.goto(linkIn(await mailServer.received(nia.email, /verify/i)))
    await expect(invited.getByRole('heading', { name: 'Your email is confirmed' })).toBeVisible()
    await logIn(invited, nia)
    await expect(invited.getByRole('button', { name: new RegExp(organization.title) }).first()).toBeVisible()
    await expect(page.getByRole('row').filter({ hasText: nia.firstName }).getByText('Joined')).toBeVisible()
    // Open pages would report that the server is gone.
    await invited.context().close()
    await page.close()
  } finally {
    await product.close()
    mailServer.close()
  }
})
