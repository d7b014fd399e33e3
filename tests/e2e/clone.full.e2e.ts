/** A site is cloned: the copy has its own address everywhere, the original stays as it is. */
import { asOwner, blog, expect } from './support/harness-test.ts'
import { siteStatus, siteTimeout } from './support/person.ts'

asOwner.describe.configure({ timeout: 3 * siteTimeout })

asOwner('a clone shows its posts with its own address, the original keeps its own', async ({ page, site, product }) => {
  const urlOf = (name: string) => `http://${name}.localhost:${product.port}`
  const pageOf = async (name: string) => {
    const response = await page.request.get(`http://127.0.0.1:${product.port}/`, {
      headers: { host: `${name}.localhost:${product.port}` },
    })
    return { status: response.status(), text: await response.text() }
  }
  await page.goto(site)
  const before = await pageOf(blog.name)
  expect(before.text).toContain(`${urlOf(blog.name)}/`)

  await page.getByRole('button', { name: 'More actions' }).first().click()
  await page.getByRole('menuitem', { name: 'Clone…' }).click()
  const dialog = page.getByRole('dialog', { name: `Clone ${blog.title}` })
  await dialog.getByLabel(/^Name/).fill(blog.name)
  await expect(dialog.getByText('You already have a site with this name.')).toBeVisible()
  await dialog.getByRole('button', { name: 'Clone site' }).click()
  await expect(dialog.getByText(/already the name of a site/)).toBeVisible()
  await dialog.getByLabel(/^Name/).fill('the-copy')
  await expect(dialog.getByText('Available')).toBeVisible()
  await dialog.getByLabel('Site title').fill('A second journal')
  await dialog.getByRole('button', { name: 'Clone site' }).click()

  const drawer = page.getByRole('dialog')
  await expect(drawer.getByText('Done', { exact: true })).toBeVisible({ timeout: siteTimeout })
  await drawer.getByRole('button', { name: 'Close' }).last().click()
  await expect(siteStatus(page, 'Live')).toBeVisible()
  await expect(page.getByRole('heading', { level: 1, name: 'A second journal' })).toBeVisible()
  await expect(page.getByRole('link', { name: blog.title, exact: true })).toBeVisible()

  const copy = await pageOf('the-copy')
  expect(copy.status).toBe(200)
  expect(copy.text).toContain('A second journal')
  expect(copy.text).toContain(`${urlOf('the-copy')}/`)
  expect(copy.text).not.toContain(urlOf(blog.name))
  const after = await pageOf(blog.name)
  expect(after.text).toContain(blog.title)
  expect(after.text).not.toContain('the-copy')

  await page.goto(`${site}#activities`)
  await expect(page.getByText(/cloned the site to/).first()).toBeVisible()
})
