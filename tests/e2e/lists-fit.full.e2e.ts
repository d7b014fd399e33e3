/** Lists with the longest reasons and names: no table is wider than its card, at any width, and the menu of a row can be reached. */
import { asOwner, expect } from './support/harness-test.ts'
import { longestReason, tablesTooWide, withLongestTexts } from './support/long-reasons.ts'
import { settled } from './support/looks.ts'
import { tooWide } from './support/screen-sizes.ts'

const lists = {
  sites: '/web/site',
  servers: '/web/server',
  jobs: '/web/job',
  users: '/web/user',
  'activities of the organization': '/web/organization#activities',
  'activities of billing': '/web/billing#activities',
} as const

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

asOwner(
  'phones: the dashboard and the lists are no wider than the screen, whatever their rows say',
  async ({ page, site }) => {
    expect(site).toBeTruthy()
    await withLongestTexts(page)
    const found: Record<string, string[]> = {}
    for (const width of [320, 390])
      for (const path of ['/web', ...Object.values(lists)]) {
        await page.setViewportSize({ width, height: 844 })
        await page.goto(path)
        await settled(page)
        const wide = await tooWide(page)
        if (wide.length > 0) found[`${path} at ${width}`] = wide
      }
    expect(found).toEqual({})
  },
)
