/** The job list: finds past jobs with user and duration, and opens their drawer. */
import { AxeBuilder } from '@axe-core/playwright'
import { ada, asOwner, blog, expect } from './support/harness-test.ts'

asOwner('past jobs are found in the list of jobs', async ({ page, site }) => {
  expect(site, 'there is a site').toBeTruthy()
  await page.goto('/web')
  await page.getByRole('button', { name: /^Jobs/ }).click()
  await page.getByRole('link', { name: 'All jobs' }).click()
  await expect(page).toHaveURL(/\/web\/job$/)
  await expect(page.getByRole('heading', { level: 1, name: 'Jobs' })).toBeFocused()
  await page.getByRole('searchbox').fill(`Create ${blog.title}`)
  const row = page.getByRole('row').filter({ hasText: `Create ${blog.title}` })
  await expect(row.getByText('Done', { exact: true })).toBeVisible()
  await expect(row).toContainText(ada.email)
  const { violations } = await new AxeBuilder({ page }).analyze()
  expect(violations.map(({ id }) => id)).toEqual([])

  // A view, a search, and the browser's back button.
  await page.getByRole('button', { name: /^Failed \d/ }).click()
  await expect(row).toHaveCount(0)
  await page.goBack()
  await expect(row).toBeVisible()
  await page.getByRole('searchbox').fill('nothing like this')
  await expect(page.getByText('Nothing matches')).toBeVisible()
  await page.getByRole('searchbox').fill(`Create ${blog.title}`)
  await expect(row).toBeVisible()

  await row.getByRole('link', { name: `Create ${blog.title}` }).click()
  const drawer = page.getByRole('dialog', { name: `Create ${blog.title}` })
  await expect(drawer).toBeVisible()
  await expect(page).toHaveURL(/\/web\/job\?(?=.*job=)(?=.*q=)/)
  await page.keyboard.press('Escape')
  await expect(drawer).toBeHidden()
  await expect(row).toBeVisible()

  await page.setViewportSize({ width: 390, height: 844 })
  await expect(page.getByRole('listitem').filter({ hasText: `Create ${blog.title}` })).toBeVisible()
})
