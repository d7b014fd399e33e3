/** Whether a page can be used by everybody: accessibility rules, themes, widths. */
import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

/** What axe checks: WCAG 2.2, A and AA. */
export const accessibilityRules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
const long = process.env['EASYDASH_TEST_LONG'] === '1'
const axeWidths = long ? [360, 390, 768, 1440] : [390, 1440]
const scrollWidths = [360, 768, 1440]
const height = 900

/** What the browser says the system likes. */
export type Theme = 'light' | 'dark'

/** Changes the theme as the operating system does, and waits until every color has arrived. */
export async function useTheme(page: Page, theme: Theme): Promise<void> {
  // A page that begins in the wanted scheme hears of no change.
  await page.emulateMedia({ colorScheme: theme === 'dark' ? 'light' : 'dark', reducedMotion: 'reduce' })
  // It is told when it draws: two changes before one drawing would be none.
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
  await expect(page.locator('html')).toHaveClass(theme === 'dark' ? /(?:^|\s)dark(?:\s|$)/ : /^(?!.*\bdark\b)/)
  await settled(page)
}

/** Resolves when everything on the page has arrived and nothing moves any more, except what turns for ever. */
export async function settled(page: Page): Promise<void> {
  await expect(page.locator('.sk')).toHaveCount(0)
  // What a new width or theme sets off: a rendering by script, then layout and paint. The browser may put off its idle
  // time for minutes although nothing runs (seen with Chromium 147 after a change of the color scheme), so it has a limit.
  await page.evaluate(`new Promise((done) =>
    requestAnimationFrame(() => requestAnimationFrame(() => requestIdleCallback(done, { timeout: 1000 }))))`)
  // As text, because the tests are checked without the types of a browser. What is taken away while it runs has ended.
  await page.evaluate(`Promise.allSettled(
    document.getAnimations()
      .filter((animation) => animation.effect.getComputedTiming().endTime !== Infinity)
      .map((animation) => animation.finished)
  ).then(() => undefined)`)
}

/** No violation of WCAG 2.2 A and AA in both themes, and no sideways scroll. The size is 1440 x 900 afterwards. */
export async function expectGoodLook(page: Page): Promise<void> {
  for (const width of axeWidths) {
    await page.setViewportSize({ width, height })
    for (const theme of ['light', 'dark'] as const) {
      await useTheme(page, theme)
      const { violations } = await new AxeBuilder({ page }).withTags(accessibilityRules).analyze()
      const found = violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join('\n  ')}`,
      )
      expect(found, `accessibility of ${page.url()}, ${theme}, ${width} px wide`).toEqual([])
    }
  }
  await useTheme(page, 'light')
  for (const width of scrollWidths) {
    await page.setViewportSize({ width, height })
    await settled(page)
    const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    expect(overflow, `sideways scroll of ${page.url()}, ${width} px wide`).toBe(0)
  }
}
