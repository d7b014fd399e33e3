/** The guided tours, replayed from the help. */
import { asOwner, expect } from './harness-test.ts'
import { expectGoodLook } from './looks.ts'

asOwner('a tour leads over the screens by keyboard, goes on after a reload and ends', async ({ page, site }) => {
  expect(site, 'the short tour is behind this person').toBeTruthy()
  await page.goto('/web/server')
  await expect(page.getByRole('heading', { name: 'Servers', level: 1 })).toBeVisible()
  await page.keyboard.press('?')
  await page.getByRole('button', { name: 'Getting to know it' }).click()

  const tour = page.locator('.driver-popover')
  await expect(tour).toContainText('Your organizations')
  await expect(tour.getByRole('button', { name: 'Next' })).toBeFocused()
  const [, steps = ''] = /1 of (\d+)/.exec(await tour.innerText()) ?? []
  expect(Number(steps)).toBeGreaterThan(10)
  for (const title of ['Find anything', 'Sites', 'Create a site']) {
    await page.keyboard.press('Enter')
    await expect(page.getByRole('dialog', { name: title })).toBeVisible()
  }
  await expect(page).toHaveURL(/\/web\/site$/)
  await expectGoodLook(page)

  await page.reload()
  await expect(page.getByRole('dialog', { name: 'Create a site' })).toContainText(`4 of ${steps}`)
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('dialog', { name: 'Cloud providers' })).toBeVisible()
  await expect(page).toHaveURL(/\/web\/organization#cloud_providers$/)
  await page.keyboard.press('ArrowLeft')
  await expect(page.getByRole('dialog', { name: 'Create a site' })).toBeVisible()

  // The page stays usable: going somewhere else ends it.
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Servers' }).click()
  await expect(tour).toBeHidden()
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Servers', level: 1 })).toBeVisible()
  await expect(tour).toBeHidden()
})
