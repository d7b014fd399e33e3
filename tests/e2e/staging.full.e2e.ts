/** A staging site is made, changed on both sides, compared, pushed with a decision, and the push is rolled back. */
import { asOwner, blog, expect } from './support/harness-test.ts'
import { call, siteStatus, siteTimeout } from './support/person.ts'

asOwner.describe.configure({ timeout: 5 * siteTimeout })

asOwner('changes of a staging site come to the live site after a plan, and go back', async ({ page, site }) => {
  const live = site.split('/').at(-1) ?? ''
  const doc = <T>(dn: string, method: string, args: Record<string, unknown> = {}) =>
    call<T>(page, 'run_doc_method', { dt: 'Site', dn, method, args })
  const tagline = async (dn: string) =>
    (await doc<{ values: { tagline: string } }>(dn, 'read_wordpress_settings')).values.tagline
  const setTagline = async (dn: string, to: string) =>
    doc(dn, 'save_wordpress_settings', { changes: { tagline: to }, expected: { tagline: await tagline(dn) } })
  const jobEnds = async () => {
    const drawer = page.getByRole('dialog')
    await expect(drawer.getByText('Done', { exact: true })).toBeVisible({ timeout: siteTimeout })
    await drawer.getByRole('button', { name: 'Close' }).last().click()
    await expect(drawer).toBeHidden()
  }

  await page.goto(site)
  await page.getByRole('button', { name: 'More actions' }).first().click()
  await page.getByRole('menuitem', { name: 'Create staging site…' }).click()
  const create = page.getByRole('dialog', { name: `Create a staging site of ${blog.title}` })
  await expect(create.getByLabel(/^Name/)).toHaveValue(`${blog.name}-staging`)
  await create.getByRole('button', { name: 'Create staging site' }).click()
  await page.waitForURL(/\/site\/(?!new)[a-z0-9]{10}/)
  await jobEnds()
  await expect(siteStatus(page, 'Live')).toBeVisible()
  await expect(page.getByText(`Staging of ${blog.title}`, { exact: true })).toBeVisible()
  const staging = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  expect(staging).not.toBe(live)

  const before = await tagline(live)
  await setTagline(staging, 'Of staging')
  await setTagline(live, 'Of live')
  await doc(staging, 'write_file', { path: 'from-staging.txt', content: 'pushed', version: null })

  await page.getByRole('tab', { name: 'Staging' }).click()
  await page.getByRole('button', { name: 'Compare' }).click()
  await jobEnds()
  await page.getByText('Examples').first().click()
  await expect(page.getByText('from-staging.txt')).toBeVisible()
  const options = page.getByRole('region', { name: 'Options' })
  const clash = options.getByRole('group', { name: 'blogdescription' })
  await expect(clash.getByText('Of live')).toBeVisible()
  await expect(clash.getByRole('radio', { name: `Keep ${blog.title}` })).toBeChecked()
  await clash.getByRole('radio', { name: /Take staging/ }).check()
  await page.getByRole('button', { name: `Push to ${blog.title}…` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Push', exact: true }).click()
  await jobEnds()

  await page.goto(`${site}#staging`)
  await expect(siteStatus(page, 'Live')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Staging sites' }).getByText(`${blog.name}-staging`)).toBeVisible()
  expect(await tagline(live)).toBe('Of staging')
  expect((await doc<{ content: string }>(live, 'read_file', { path: 'from-staging.txt' })).content).toBe('pushed')

  await doc(live, 'write_file', { path: 'since-the-push.txt', content: 'new', version: null })
  await page.getByRole('button', { name: 'Roll back the push' }).click()
  // What would be lost is named first.
  await expect(page.getByRole('alertdialog').getByText('Files: 1 added')).toBeVisible({ timeout: siteTimeout })
  await expect(page.getByRole('alertdialog').getByText('since-the-push.txt')).toBeAttached()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Roll back the push' }).click()
  await jobEnds()
  await expect(page.getByRole('button', { name: 'Roll back the push' })).toBeHidden()
  expect(await tagline(live)).toBe('Of live')
  await setTagline(live, before)
})
