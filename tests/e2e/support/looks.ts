/** Checks of a page's accessibility, themes and widths. */
import { AxeBuilder } from '@axe-core/playwright'
import { expect, type Page } from '@playwright/test'

/** axe rule sets: WCAG 2.2, A and AA. */
export const accessibilityRules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
const full = process.env['EASYDASH_TEST_FULL'] === '1'
/** What axe looks at: in the gate the view that goes wrong most often, otherwise both themes at every width. */
const axeViews = ((): readonly [number, Theme][] => {
  const widths = process.env['EASYDASH_TEST_LONG'] === '1' ? [360, 390, 768, 1440] : [390, 1440]
  const all = widths.flatMap((width) => (['light', 'dark'] as const).map((theme): [number, Theme] => [width, theme]))
  return full ? all : [[390, 'dark']]
})()
const scrollWidths = full ? [360, 768, 1440] : [360, 1440]
const height = 900

/** The system's color scheme as reported by the browser. */
export type Theme = 'light' | 'dark'

/** Changes the theme like the operating system, and waits until every color has updated. */
export async function useTheme(page: Page, theme: Theme): Promise<void> {
  // A page that starts in the wanted scheme gets no change event.
  await page.emulateMedia({ colorScheme: theme === 'dark' ? 'light' : 'dark', reducedMotion: 'reduce' })
  // The event fires on rendering, so two changes before one frame would cancel out.
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
  await expect(page.locator('html')).toHaveClass(theme === 'dark' ? /(?:^|\s)dark(?:\s|$)/ : /^(?!.*\bdark\b)/)
  await settled(page)
}

/** Resolves when everything on the page has loaded and all animations have ended, except endless ones. */
export async function settled(page: Page): Promise<void> {
  await expect(page.locator('.sk')).toHaveCount(0)
  // Waits for the effects of a new width or theme: rendering by script, then layout and paint. With a limit, because the
  // browser may delay its idle callback for minutes although nothing runs (seen with Chromium 147 after a change of the
  // color scheme).
  await page.evaluate(`new Promise((done) =>
    requestAnimationFrame(() => requestAnimationFrame(() => requestIdleCallback(done, { timeout: 1000 }))))`)
  // As a string, because the tests are type-checked without DOM types. Animations removed meanwhile count as ended.
  await page.evaluate(`Promise.allSettled(
    document.getAnimations()
      .filter((animation) => animation.effect.getComputedTiming().endTime !== Infinity)
      .map((animation) => animation.finished)
  ).then(() => undefined)`)
}

/**
 * Expects no violation of WCAG 2.2 A and AA (see `axeViews`), and no horizontal scrolling. The viewport is 1440 x 900
 * afterwards.
 */
export async function expectValidLayout(page: Page): Promise<void> {
  for (const [width, theme] of axeViews) {
    await page.setViewportSize({ width, height })
    await useTheme(page, theme)
    const { violations } = await new AxeBuilder({ page }).withTags(accessibilityRules).analyze()
    const found = violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join('\n  ')}`,
    )
    expect(found, `accessibility of ${page.url()}, ${theme}, ${width} px wide`).toEqual([])
  }
  await useTheme(page, 'light')
  for (const width of scrollWidths) {
    await page.setViewportSize({ width, height })
    await settled(page)
    const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
    expect(overflow, `sideways scroll of ${page.url()}, ${width} px wide`).toBe(0)
  }
}
