/** The database of a site, on a real site. */
import { asOwner, blog, expect } from './support/harness-test.ts'
import { siteTimeout } from './support/person.ts'

asOwner('tables, rows and values of the database are shown, and secrets are not', async ({ page, site }) => {
  await page.goto(`${site}#database`)
  const tables = page.getByRole('region', { name: 'Tables' })
  await tables.getByRole('button', { name: /^wp_posts/ }).click({ timeout: siteTimeout })
  const rows = page.getByRole('table', { name: 'Rows of wp_posts' })
  await expect(rows.getByText('Hello world!')).toBeVisible()

  const filter = page.getByRole('form', { name: 'Filter rows' })
  await filter.getByLabel('Column').selectOption('post_title')
  await filter.getByLabel('Comparison').selectOption('starts with')
  await filter.getByLabel('Value').fill('hello')
  await filter.getByRole('button', { name: 'Filter', exact: true }).click()
  await expect(page.getByText('1–1 of 1')).toBeVisible()
  await expect(rows.getByText('Sample Page')).toHaveCount(0)

  // The address keeps what is shown.
  await page.reload()
  await expect(rows.getByText('Hello world!')).toBeVisible({ timeout: siteTimeout })
  await rows.getByRole('button', { name: 'Open row 1' }).press('Enter')
  const row = page.getByRole('dialog', { name: 'Row 1 of wp_posts' })
  await expect(row.getByText('Welcome to WordPress. This is your first post.')).toBeVisible()
  await page.keyboard.press('Escape')
  await filter.getByRole('button', { name: 'Clear filter' }).click()
  await expect(rows.getByText('Sample Page')).toBeVisible()

  await tables.getByRole('searchbox').fill('users')
  await tables.getByRole('button', { name: /^wp_users/ }).click()
  await expect(page.getByRole('table', { name: 'Rows of wp_users' }).getByText('Hidden').first()).toBeVisible()
  await expect(page.getByText(/\$(?:P|wp|2y)\$/)).toHaveCount(0)
})

asOwner('SQL that changes the site is confirmed and undone, and PHP runs within WordPress', async ({ page, site }) => {
  await page.goto(`${site}?tool=sql#database`)
  const sql = page.getByLabel('SQL statement')
  const title = "SELECT post_title FROM wp_posts WHERE post_name = 'sample-page'"
  const result = page.getByRole('table', { name: 'Result' })
  await sql.fill(title)
  await sql.press('Control+Enter')
  await expect(result.getByText('Sample Page')).toBeVisible({ timeout: siteTimeout })

  await sql.fill("UPDATE wp_posts SET post_title = 'Written by SQL' WHERE post_name = 'sample-page'")
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  const confirmation = page.getByRole('alertdialog')
  await expect(confirmation.getByText("SET post_title = 'Written by SQL'")).toBeVisible()
  await confirmation.getByRole('button', { name: 'Run statement' }).click()
  await expect(page.getByText(/^1 row changed/)).toBeVisible({ timeout: siteTimeout })
  await sql.fill(title)
  await sql.press('Control+Enter')
  await expect(result.getByText('Written by SQL')).toBeVisible({ timeout: siteTimeout })

  await page.getByRole('button', { name: 'Undo last change' }).click()
  // A visit or a scheduled event may have written to the database meanwhile.
  const anyway = page.getByRole('button', { name: 'Undo all of them' })
  const undone = page.getByText('The database is as it was before.')
  await expect(undone.or(anyway)).toBeVisible({ timeout: siteTimeout })
  if (await anyway.isVisible()) await anyway.click()
  await expect(undone).toBeVisible({ timeout: siteTimeout })
  await sql.press('Control+Enter')
  await expect(result.getByText('Sample Page')).toBeVisible({ timeout: siteTimeout })

  await page.getByRole('group', { name: 'Tools' }).getByRole('button', { name: 'PHP' }).click()
  await page.getByLabel('PHP code').fill("echo get_bloginfo( 'name' );\nreturn 6 * 7;")
  await page.getByRole('button', { name: 'Run…' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Run code' }).click()
  const ran = page.getByRole('region', { name: 'Result' })
  await expect(ran.getByLabel('Output')).toHaveText(blog.title, { timeout: siteTimeout })
  await expect(ran.getByLabel('Returned value')).toHaveText('42')

  const earlier = page.getByRole('region', { name: 'Earlier runs' })
  await earlier.getByRole('button', { name: 'Show' }).click()
  await expect(earlier.getByText("echo get_bloginfo( 'name' );").first()).toBeVisible()
  await page.goto(`${site}#activities`)
  await expect(page.getByText(/ran PHP code on the site/).first()).toBeVisible()
})
