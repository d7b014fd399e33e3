/** 200 % zoom and reduced motion. */
import type { Page } from '@playwright/test'
import { ada, asOwner, blog, expect } from './support/harness-test.ts'
import { settled } from './support/looks.ts'

/** 1440 x 900 at 200 % zoom. */
asOwner.use({ viewport: { width: 720, height: 450 }, deviceScaleFactor: 2 })

/**
 * Finds controls that stay covered at any scroll position, truncated texts without a way to read them in full, and
 * horizontal page overflow. As a string: see `looks.ts`.
 */
const layoutProblems = `(() => {
  const found = []
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth
  if (wide > 0) found.push('scrolls sideways by ' + wide)
  const inScroller = (one) => {
    for (let at = one.parentElement; at; at = at.parentElement)
      if (['auto', 'scroll'].includes(getComputedStyle(at).overflowX) && at.scrollWidth > at.clientWidth) return true
    return false
  }
  const top = document.querySelector('[role=dialog], [role=alertdialog]') ?? document.body
  for (const one of top.querySelectorAll('a[href], button:not([disabled]), input, select, textarea, [role=tab]')) {
    if (!one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) || one.closest('[inert], [aria-hidden=true]')) continue
    const name = (one.getAttribute('aria-label') ?? one.textContent).slice(0, 40) || one.name
    one.scrollIntoView({ block: 'center', inline: 'nearest' })
    const box = one.getBoundingClientRect()
    if (box.width < 3 || box.height < 3) continue
    if ((box.left < -1 || box.right > innerWidth + 1) && !inScroller(one)) found.push(name + ' sticks out')
    const there = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)
    if (!there || !(one.contains(there) || there.contains(one) || there.closest('label')?.contains(one)))
      found.push(name + ' is covered by ' + (there ? there.outerHTML.slice(0, 80) : 'nothing'))
  }
  return found
})()`

async function expectReachable(page: Page): Promise<void> {
  await settled(page)
  expect(await page.evaluate(layoutProblems), page.url()).toEqual([])
}

/** Closes what is open with Escape and waits until it is gone, because it blocks keys and clicks of the page. */
async function closed(page: Page): Promise<void> {
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog').or(page.getByRole('alertdialog'))).toBeHidden()
}

asOwner(
  'at 200 % zoom every screen is usable: no horizontal scrolling, everything reachable',
  async ({ page, site }) => {
    await page.goto('/web')
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    const own = `/web/user/${encodeURIComponent(ada.email)}`
    for (const path of [
      '/web',
      '/web/site',
      '/web/site/create',
      site,
      '/web/server',
      '/web/server/create',
      '/web/user',
      own,
      `${own}#settings`,
      '/web/organization',
      '/web/organization#cloud_providers',
      '/web/billing#plans',
      '/web/platform#health',
      '/web/organization/create',
      '/web/terms',
    ]) {
      // Navigates without a reload, so that the app stays loaded.
      await page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})
      dispatchEvent(new PopStateEvent('popstate', { state: null }))`)
      await expect(page.getByRole('main').getByRole('heading', { level: 1 })).toBeVisible()
      await expectReachable(page)
    }

    await page.goto(site)
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: /^Archive/ }).click()
    const dialog = page.getByRole('alertdialog', { name: `Archive ${blog.title}?` })
    await expect(dialog).toBeVisible()
    await expectReachable(page)
    await closed(page)
    await page.goto('/web/user?invite=1')
    await expect(page.getByRole('dialog', { name: 'Invite members' })).toBeVisible()
    await expectReachable(page)
    await closed(page)
    await page.keyboard.press('Control+k')
    await expect(page.getByRole('combobox', { name: 'Search' })).toBeVisible()
    await expectReachable(page)
  },
)

asOwner('on a phone the first invalid field is visible with its error above the submit button', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/web/site/create')
  const create = page.getByRole('button', { name: 'Create site' }).filter({ visible: true })
  await expect(page.getByRole('radio', { name: /^WordPress/ })).toBeChecked()
  // It is there once the server has said what its sites are named by.
  const name = page.getByRole('textbox', { name: /^Name/ })
  await expect(name).toBeVisible()
  await create.click()
  await expect(name).toBeFocused()
  const reason = page.getByText('Name is required.')
  await expect
    .poll(async () => {
      const [above, below] = [await reason.boundingBox(), await create.boundingBox()]
      return above && below ? above.y + above.height <= below.y : null
    })
    .toBe(true)
})

asOwner('with reduced motion nothing moves: elements fade or appear', async ({ page, site }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  // Records every perceptible animation or transition, except endless ones that fade instead.
  await page.addInitScript(`
    globalThis.moved = []
    for (const event of ['animationstart', 'transitionrun'])
      addEventListener(event, ({ target }) => {
        for (const animation of target.getAnimations()) {
          const { duration } = animation.effect.getComputedTiming()
          const names = animation.effect.getKeyframes().flatMap((frame) => Object.keys(frame))
          if (duration > 20 && names.some((name) => ['transform', 'translate', 'scale', 'rotate', 'left', 'top', 'width', 'height'].includes(name)))
            globalThis.moved.push(target.outerHTML.slice(0, 120) + ' ' + names.join(' '))
        }
      }, true)`)
  await page.goto(site)
  await page
    .getByRole('button', { name: 'Menu', exact: true })
    .or(page.getByRole('button', { name: 'Toggle sidebar' }))
    .first()
    .click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await closed(page)
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: /^Archive/ }).click()
  await expect(page.getByRole('alertdialog')).toBeVisible()
  await closed(page)
  await page.getByRole('tab', { name: 'Activity' }).click()
  await page.getByRole('main').locator('a[href*="activity="]').first().click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await closed(page)
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('combobox', { name: 'Search' })).toBeVisible()
  expect(await page.evaluate('globalThis.moved')).toEqual([])
})
