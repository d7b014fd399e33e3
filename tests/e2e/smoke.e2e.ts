import { expect, test } from './harness-test.ts'

test('a visitor without an account meets the login page', async ({ page }) => {
  await page.goto('/web/login')
  await expect(page).toHaveTitle(/Login/)
  await expect(page.getByRole('button', { name: 'Log in' })).toBeVisible()
})
