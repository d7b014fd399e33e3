/** An organization requires two-factor authentication: a member is stopped, sets it up, and goes on. */
import { AxeBuilder } from '@axe-core/playwright'
import { earlyCode } from '#tests/support/totp.ts'
import { expect, organization, ownTest as test } from './support/harness-test.ts'
import { passwords } from './support/leak-markers.ts'
import { call, type Person } from './support/person.ts'
import { tooSmall, tooWide } from './support/screen-sizes.ts'
import { secondMember } from './support/second-member.ts'

const vera: Person = { firstName: 'Vera', lastName: 'Holm', email: 'vera@harbour.example', password: passwords.second }

test('members set up the two-factor authentication that their organization requires', async ({
  browser,
  product,
  owner,
  recording,
}) => {
  const people = await secondMember({ browser, product, owner, recording }, vera)
  const { office, page } = people
  await office.goto('/web/organization')
  await expect(office.getByText('Your own account needs it first.')).toBeVisible()
  await expect(office.getByRole('switch', { name: 'Require two-factor authentication' })).toBeDisabled()
  const { secret } = await call<{ secret: string }>(office, 'easydash.api.two_factor.begin')
  await call(office, 'easydash.api.two_factor.confirm', { otp: earlyCode(secret) })
  await page.goto('/web/site')
  await expect(page.getByRole('heading', { name: 'Sites', level: 1 })).toBeVisible()

  await office.reload()
  await expect(office.getByText('1 member has no two-factor authentication.')).toBeVisible()
  await office.getByRole('switch', { name: 'Require two-factor authentication' }).click()
  const question = office.getByRole('alertdialog')
  await expect(question).toContainText('1 member has not set it up and loses access until then.')
  await question.getByRole('button', { name: 'Require', exact: true }).click()
  await expect(office.getByRole('switch', { name: 'Require two-factor authentication' })).toBeChecked()

  // Without a reload: the member's tab learns it.
  const title = `${organization.title} requires two-factor authentication`
  await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([])
  await page.setViewportSize({ width: 320, height: 640 })
  expect(await tooWide(page)).toEqual([])
  await page.setViewportSize({ width: 1440, height: 900 })
  const phone = await browser.newContext({
    baseURL: product.url,
    storageState: await page.context().storageState(),
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  })
  const small = await phone.newPage()
  await small.goto('/web/two-factor')
  await expect(small.getByRole('heading', { level: 1, name: title })).toBeVisible()
  await expect(small.getByRole('button', { name: 'Set up' })).toBeVisible()
  expect(await tooSmall(small)).toEqual([])
  await phone.close()
  await page.goto('/web/site')
  await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
  await page.getByRole('button', { name: `Leave ${organization.title}` }).click()
  const leaving = page.getByRole('alertdialog', { name: `Leave ${organization.title}?` })
  await leaving.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Set up' }).click()
  const setup = page.getByRole('dialog', { name: 'Set up two-factor authentication' })
  const own = (await setup.getByTitle(/^[A-Z2-7 ]{20,}$/).textContent())?.replaceAll(' ', '') ?? ''
  await setup.getByLabel('Code from the app').fill(earlyCode(own))
  await setup.getByRole('button', { name: 'Turn on' }).click()
  const codes = page.getByRole('dialog', { name: 'Recovery codes' })
  await codes.getByLabel('I have kept them somewhere safe').check()
  await codes.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByRole('button', { name: 'Turn off…' })).toBeHidden()
  await page.getByRole('button', { name: `Continue to ${organization.title}` }).click()
  await page.goto('/web/site')
  await expect(page.getByRole('heading', { name: 'Sites', level: 1 })).toBeVisible()

  await page.goto(`/web/user/${encodeURIComponent(vera.email)}#settings`)
  await page.getByRole('button', { name: 'Turn off…' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Turn off' }).click()
  await expect(page.getByText(`${organization.title} requires two-factor authentication of its members.`)).toBeVisible()
  await people.close()
})
