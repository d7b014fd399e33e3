/** A list by keyboard alone, and its popups by pointer: menus and filters whose code loads when they open. */
import { asOwner, blog, expect, withMotion } from './support/harness-test.ts'

asOwner.use(withMotion)

asOwner(
  'rows, their menu and a filter are reachable by keyboard, and the focus is restored',
  async ({ page, site }) => {
    expect(site, 'there is a site').toBeTruthy()
    await page.goto('/web/site')
    const row = page.getByRole('row').filter({ hasText: blog.name })
    await expect(row).toBeVisible()
    // The first and second press on a fresh page: the menu's code is fetched once.
    for (const round of [1, 2]) {
      await row.getByRole('link').first().focus()
      await page.keyboard.press('.')
      const first = page.getByRole('menuitem').first()
      await expect(first, `round ${round}`).toBeFocused()
      await page.keyboard.press('Escape')
      await expect(page.getByRole('menu')).toBeHidden()
      await expect(row.getByRole('button', { name: /actions/i })).toBeFocused()
    }
    await row.getByRole('link').first().focus()
    await page.keyboard.press('f')
    const editor = page.getByRole('dialog')
    await expect(editor.getByRole('combobox').first()).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(editor).toBeHidden()
    await expect(page.getByRole('button', { name: 'Filter', exact: true })).toBeFocused()
  },
)

asOwner('keys move through a list, open a row, switch tabs and open the admin', async ({ page, site }) => {
  await page.goto('/web/site')
  const link = page.getByRole('row').filter({ hasText: blog.name }).getByRole('link').first()
  await expect(link).toBeVisible()
  await page.keyboard.press('k')
  await page.keyboard.press('j')
  await link.focus()
  await page.keyboard.press('Shift+X')
  const bar = page.getByRole('region', { name: 'Selected rows' })
  await expect(bar.getByText('1 selected')).toBeVisible()
  // The first Escape closes the hover card of the focused name, if it is open.
  await expect
    .poll(async () => {
      await page.keyboard.press('Escape')
      return bar.isVisible()
    })
    .toBe(false)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`${site}$`))
  const open = page.getByRole('tab', { selected: true })
  await expect(open).toHaveText('Overview')
  await page.keyboard.press(']')
  await expect(open).toHaveText('Configurations')
  await page.keyboard.press('[')
  await expect(open).toHaveText('Overview')
  const opened = page.waitForEvent('popup')
  await page.keyboard.press('l')
  await (await opened).close()
})

asOwner(
  'columns are selected in a popover, and the row menu opens with a click and closes with one outside',
  async ({ page, site }) => {
    expect(site, 'there is a site').toBeTruthy()
    await page.goto('/web/site')
    await page.getByRole('button', { name: 'Columns' }).click()
    const choices = page.getByRole('dialog', { name: 'Columns' })
    await choices.getByLabel('PHP').uncheck()
    await expect(page.getByRole('columnheader', { name: 'PHP' })).toHaveCount(0)
    await choices.getByRole('button', { name: 'Reset to default' }).click()
    await expect(page.getByRole('columnheader', { name: 'PHP' })).toHaveCount(1)
    await page.keyboard.press('Escape')
    const row = page.getByRole('row').filter({ hasText: blog.name })
    await row.getByRole('button', { name: /actions/i }).click()
    await expect(page.getByRole('menuitem').first()).toBeVisible()
    await page.mouse.click(5, 5)
    await expect(page.getByRole('menu')).toBeHidden()
  },
)
