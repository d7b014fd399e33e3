/** The ring of a tour, as drawn: dark pages hide what only darkens, and parents that scroll cut off what is around a target. */
import type { Page } from '@playwright/test'
import { asOwner, expect } from './support/harness-test.ts'
import { settled, useTheme } from './support/looks.ts'
import { untilTarget } from './support/tour-target.ts'

asOwner.beforeEach(({ context }) => context.addInitScript(untilTarget))

/** The least contrast of what isn't text with what is around it: WCAG 2.2, 1.4.11. */
const least = 3

/**
 * The middle of each side of the ring around the target, and what takes the ring away and puts it back. As strings, because the
 * tests are type-checked without DOM types.
 */
const sidesOfRing = `(() => {
  const target = document.querySelector('[data-tour-target]')
  const { left, top, right, bottom } = target.getBoundingClientRect()
  const { outlineOffset, outlineWidth } = getComputedStyle(target)
  const away = parseFloat(outlineOffset) + parseFloat(outlineWidth) / 2
  const [x, y] = [(left + right) / 2, (top + bottom) / 2]
  return [
    { side: 'top', x, y: top - away },
    { side: 'right', x: right + away, y },
    { side: 'bottom', x, y: bottom + away },
    { side: 'left', x: left - away, y },
  ]
})()`
const withoutRing = `document.querySelector('[data-tour-target]').style.setProperty('outline-color', 'transparent', 'important')`
const withRing = `document.querySelector('[data-tour-target]').style.removeProperty('outline-color')`

/**
 * The contrast of two pictures of the page at a side, by WCAG's formula: the highest of the pixels around its middle, because
 * a ring between two pixels is drawn on both.
 */
const contrastsOf = `async ([before, after, sides]) => {
  const pixels = async (picture) => {
    const image = await createImageBitmap(new Blob([Uint8Array.fromBase64(picture)]))
    const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d', { willReadFrequently: true })
    canvas.drawImage(image, 0, 0)
    return (x, y) => [...canvas.getImageData(x, y, 1, 1).data].slice(0, 3)
  }
  const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
  const luminance = (color) => {
    const [red, green, blue] = color.map((part) => linear(part / 255))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const [one, other] = [await pixels(before), await pixels(after)]
  const contrast = (x, y) => {
    const [dim, bright] = [luminance(one(x, y)), luminance(other(x, y))].sort((a, b) => a - b)
    return (bright + 0.05) / (dim + 0.05)
  }
  const near = [-1, 0, 1]
  return sides.map(({ side, x, y }) => ({
    side,
    contrast: Math.max(...near.flatMap((right) => near.map((down) => contrast(Math.floor(x) + right, Math.floor(y) + down)))),
  }))
}`

/** Sides of the ring that can't be seen: they differ too little from the same page without it. */
async function hiddenSides(page: Page): Promise<string[]> {
  const picture = async () => (await page.screenshot({ animations: 'disabled' })).toString('base64')
  await settled(page)
  const sides = await page.evaluate(sidesOfRing)
  const ringed = await picture()
  await page.evaluate(withoutRing)
  const plain = await picture()
  await page.evaluate(withRing)
  const contrasts = await page.evaluate<{ side: string; contrast: number }[]>(
    `(${contrastsOf})(${JSON.stringify([ringed, plain, sides])})`,
  )
  return contrasts.flatMap(({ side, contrast }) => (contrast < least ? [`${side}: ${contrast.toFixed(2)}`] : []))
}

for (const [theme, width] of [
  ['dark', 1440],
  ['dark', 390],
  ['light', 1440],
] as const)
  asOwner(`each target of each tour has a ring that is seen: ${theme}, ${width} px wide`, async ({ page, site }) => {
    expect(site, 'there is a site').toBeTruthy()
    await page.setViewportSize({ width, height: 900 })
    const card = page.locator('.driver-popover')
    const hidden: string[] = []
    for (const tour of ['Product tour', 'Power features', 'Short tour']) {
      await page.goto('/web/server')
      await expect(page.getByRole('heading', { name: 'Servers', level: 1 })).toBeVisible()
      await useTheme(page, theme)
      await page.keyboard.press('?')
      await page.getByRole('button', { name: tour, exact: true }).click()
      for (let step = 1, steps = 1; step <= steps; step += 1) {
        await expect(card).toContainText(new RegExp(`${step} of \\d+`))
        const [, last] = /\d of (\d+)/.exec(await card.innerText()) ?? []
        steps = Number(last)
        await expect(page.locator('[data-tour-target]')).toBeVisible()
        const title = await card.locator('.driver-popover-title').innerText()
        hidden.push(...(await hiddenSides(page)).map((side) => `${tour}, ${title}: ${side}`))
        await card.locator('.driver-popover-next-btn').click()
      }
      await expect(card).toBeHidden()
    }
    expect(hidden).toEqual([])
  })
