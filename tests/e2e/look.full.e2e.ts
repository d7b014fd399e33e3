/**
 * A sample of the screens in both themes; all of them are in `look-all.full.e2e.ts`. The first story checks the empty dashboard,
 * while it is still empty.
 */
import { asOwner, blog, creationIn, expect, test } from './support/harness-test.ts'
import { expectValidLayout } from './support/looks.ts'

const long = process.env['EASYDASH_TEST_LONG'] === '1'

const publicPages = [
  ['/web/login', 'Log in'],
  ['/web/signup', 'Create an account'],
] as const
const morePublicPages = [
  ['/web/forgot-password', 'Forgot password?'],
  ['/web/reset-password', 'This link does not work'],
  ['/web/reset-password?key=old', 'This link does not work'],
  ['/web/verify-email?token=old', 'This link does not work'],
  ['/web/terms', 'Terms'],
] as const

for (const [path, heading] of long ? [...publicPages, ...morePublicPages] : publicPages) {
  test(`${path} looks right and is accessible`, async ({ page, owner }) => {
    expect(owner, 'there is an account').toBeTruthy()
    await page.goto(path)
    await expect(page.getByRole('heading', { name: heading })).toBeVisible()
    await expectValidLayout(page)
  })
}

for (const [path, heading] of [
  ['/web', 'Dashboard'],
  ['/web/site', 'Sites'],
  ['/web/site/create', 'Create Site'],
  ['/web/server', 'Servers'],
  ['/web/server/create', 'Create Server'],
  ['/web/organization/create', 'Create an organization'],
] as const) {
  asOwner(`${path} looks right and is accessible`, async ({ page, site }) => {
    expect(site, 'there is a site').toBeTruthy()
    await page.goto(path)
    await expect(page.getByRole('heading', { name: heading, level: 1 })).toBeVisible()
    await expectValidLayout(page)
  })
}

asOwner('the pages of a site, its activity and its job look right and are accessible', async ({ page, site }) => {
  await page.goto(site)
  await expect(page.getByRole('heading', { name: blog.title, level: 1 })).toBeVisible()
  await expectValidLayout(page)
  await page.goto(creationIn(site))
  await page.getByRole('link', { name: 'created the site' }).first().click()
  await expect(page.getByRole('dialog').getByText('Done', { exact: true })).toBeVisible()
  await expectValidLayout(page)
})

asOwner('the page of a server looks right and is accessible', async ({ page, owner }) => {
  expect(owner, 'there is a server').toBeTruthy()
  await page.goto('/web/server')
  await page.getByRole('main').getByRole('table').getByRole('link').first().click()
  await expect(page.getByRole('heading', { name: 'Machine' })).toBeVisible()
  await expectValidLayout(page)
})
