/** The search: nothing typed is lost while it opens, and every command leads somewhere. */
import type { Page } from '@playwright/test'
import { ada, asOwner, blog, expect, test } from './support/harness-test.ts'
import { inNewTab, logIn } from './support/person.ts'

/** Loads after each of which the person types at once, the tabs that load side by side, and openings within one page. */
const loads = 20
const tabs = 2
const openings = 6

const field = (page: Page) => page.getByRole('combobox', { name: 'Search' })

asOwner('letters typed while the search is opening are kept', async ({ page, site }) => {
  expect(site, 'there is a site').toBeTruthy()
  const keys = ['/', 'Control+k'] as const
  const text = `${blog.name} gs/`
  const others = await Promise.all(Array.from({ length: tabs - 1 }, () => page.context().newPage()))
  const typeAfterLoad = async (tab: Page, load: number): Promise<void> => {
    await tab.goto('/web', { waitUntil: load % 2 === 0 ? 'load' : 'domcontentloaded' })
    await tab.keyboard.press(keys[load % 3 === 0 ? 1 : 0])
    await tab.keyboard.type(text)
    await expect(field(tab), `load ${load}`).toHaveValue(text)
    await expect(field(tab)).toBeFocused()
  }
  await Promise.all(
    [page, ...others].map(async (tab, at) => {
      for (let load = at; load < loads; load += tabs) await typeAfterLoad(tab, load)
    }),
  )
  await Promise.all(others.map((tab) => tab.close()))
  await page.keyboard.press('Escape')
  for (let opening = 0; opening < openings; opening++) {
    await expect(page.getByRole('dialog')).toBeHidden()
    if (opening % 3 === 2) await page.getByRole('button', { name: 'Type / to search' }).click()
    else await page.keyboard.press(keys[opening % 3 === 0 ? 0 : 1])
    await page.keyboard.type(text)
    await expect(field(page), `opening ${opening}`).toHaveValue(text)
    await page.keyboard.press('Escape')
  }
  await expect(page.getByRole('dialog')).toBeHidden()
  expect(new URL(page.url()).pathname).toBe('/web')

  // Enter right behind the name of a site opens the site, not a page.
  await page.keyboard.press('/')
  await page.keyboard.type(blog.name)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`${site}$`))
})

asOwner('what can be done anywhere is a command', async ({ page, site }) => {
  await page.goto('/web')
  const run = async (text: string, title: string): Promise<void> => {
    await expect(page.getByRole('dialog')).toBeHidden()
    await page.keyboard.press('Control+k')
    await page.keyboard.type(text)
    await expect(page.getByRole('group', { name: 'Actions' }).getByRole('option').first()).toHaveText(title)
    await page.keyboard.press('Enter')
    await expect(field(page)).toBeHidden()
  }
  await run('invite', 'Invite people')
  await expect(page.getByRole('dialog', { name: /invit/i })).toBeVisible()
  await page.keyboard.press('Escape')
  const html = page.locator('html')
  const before = await html.getAttribute('class')
  await run('dark', 'Toggle Theme')
  await expect(html).not.toHaveAttribute('class', before ?? '')
  await run('theme', 'Toggle Theme')
  await run('shortcuts', 'Help and shortcuts')
  await expect(page.getByRole('dialog', { name: 'Help and shortcuts' })).toBeVisible()
  await page.keyboard.press('Escape')
  await run('new token', 'Create API token')
  await expect(page.getByRole('dialog', { name: /token/i })).toBeVisible()
  await page.keyboard.press('Escape')
  await run('2fa', 'Two-factor authentication (2FA)')
  await expect(page.getByRole('heading', { name: 'Two-factor authentication' })).toBeFocused()
  await run('slack', 'Organization settings: Slack')
  await expect(page.getByRole('tab', { name: 'Slack' })).toHaveAttribute('aria-selected', 'true')
  await run('plan', 'Change plan')
  await expect(page.getByRole('tab', { name: 'Plans' })).toHaveAttribute('aria-selected', 'true')
  expect(site, 'there is a site').toBeTruthy()
  const admin = await inNewTab(page, () => run(`open admin of ${blog.title}`, `Open admin of ${blog.title}`))
  await expect(admin.getByRole('heading', { name: 'Dashboard' })).toBeVisible()
})

test('logging out is a command', async ({ page, owner }) => {
  expect(owner, 'there is an account').toBeTruthy()
  await logIn(page, ada)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('sign out')
  await expect(page.getByRole('group', { name: 'Actions' }).getByRole('option').first()).toHaveText('Logout')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible()
})
