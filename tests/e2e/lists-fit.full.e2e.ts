/** Lists with the longest reasons and names: no table is wider than its card, at any width, and the menu of a row can be reached. */
import { asOwner, expect } from './support/harness-test.ts'
import { lists, longestReason, tablesTooWide, withLongestTexts } from './support/long-reasons.ts'
import { settled } from './support/looks.ts'

for (const [what, path] of Object.entries(lists))
  asOwner(`${what} fit at 768, 1280 and 1440 px`, async ({ page, site }) => {
    expect(site).toBeTruthy()
    await withLongestTexts(page)
    for (const width of [768, 1280, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      await page.goto(path)
      await expect(page.locator('main tbody tr').first()).toBeVisible()
      await settled(page)
      expect(await tablesTooWide(page), `${what} at ${width}`).toEqual([])
      if (what.startsWith('activities')) await expect(page.getByRole('columnheader', { name: 'Action' })).toBeVisible()
    }
  })

asOwner('a reason is whole in its tooltip and while its row has the focus', async ({ page, site }) => {
  expect(site).toBeTruthy()
  await withLongestTexts(page)
  await page.goto('/web/site')
  const reason = page.getByRole('row').getByText(longestReason).first()
  await expect(reason).toHaveAttribute('title', longestReason)
  const isCut = () =>
    reason.evaluate((node) => {
      const { scrollHeight, clientHeight } = node as unknown as Record<'scrollHeight' | 'clientHeight', number>
      return scrollHeight > clientHeight + 1
    })
  expect(await isCut()).toBe(true)
  await page.keyboard.press('j')
  await expect.poll(isCut).toBe(false)
})
