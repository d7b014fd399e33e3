/** The guided tours, replayed from the help dialog. */
import type { Locator, Page } from '@playwright/test'
import { passwords } from './support/leak-markers.ts'
import { asOwner, expect, test, withMotion } from './support/harness-test.ts'
import { expectValidLayout } from './support/looks.ts'
import { secondMember } from './support/second-member.ts'
import { untilTarget } from './support/tour-target.ts'
import {
  call,
  grantThisMachine,
  logIn,
  newAccount,
  siteStatus,
  siteTimeout,
  tabTo,
  type Person,
} from './support/person.ts'

asOwner.use(withMotion)
test.use(withMotion)
test.beforeEach(({ context }) => context.addInitScript(untilTarget))

const nia: Person = { firstName: 'Nia', lastName: 'Moss', email: 'nia@moss.example', password: passwords.second }

const tess: Person = { firstName: 'Tess', lastName: 'Moor', email: 'tess@moor.example', password: passwords.second }
const settings = ['Backup storage', 'GitHub', 'SSH keys', 'Access token']
const [first, login] = ['Actions from anywhere', 'One key to wp-admin']
const about = ['Views of a list', 'Backups', 'Jobs']
const graphs = 'Server graphs'
/** Titles of all steps, by role and tour. */
const stepsOf = {
  owner: {
    'Product tour': ['Find anything', 'Create a site', 'Add a server', 'Users', 'Your profile', 'Billing', 'Help'],
    'Power features': [first, login, ...about, graphs, ...settings],
    'Short tour': [
      'Your organizations',
      'Sites',
      'Create a site',
      'Add a server',
      'Cloud providers',
      'Users',
      'Billing',
    ],
  },
  'Organization Admin': {
    'Product tour': ['Find anything', 'Create a site', 'Add a server', 'Users', 'Your profile', 'Help'],
    'Power features': [first, login, ...about, graphs, ...settings],
    'Short tour': ['Your organizations', 'Sites', 'Create a site', 'Add a server', 'Cloud providers', 'Users'],
  },
  'Organization Manager': {
    'Product tour': ['Find anything', 'Create a site', 'Users', 'Your profile', 'Help'],
    'Power features': [first, login, ...about, graphs],
    'Short tour': ['Your organizations', 'Sites', 'Create a site', 'Users'],
  },
  // A member sees no site before one is shared.
  'Organization User': {
    'Product tour': ['Find anything', 'Create a site', 'Help'],
    'Power features': [first, ...about],
    'Short tour': ['Your organizations', 'Sites', 'Create a site'],
  },
} as const

/** Takes a tour to its end: each step has its number of all, and its target in the page. */
async function takeTour(page: Page, name: string, titles: readonly string[]): Promise<void> {
  await page.goto('/web/server')
  await expect(page.getByRole('heading', { name: 'Servers', level: 1 })).toBeVisible()
  await page.keyboard.press('?')
  await page.getByRole('button', { name, exact: true }).click()
  for (const [index, title] of titles.entries()) {
    const step = page.getByRole('dialog', { name: title, exact: true })
    await expect(step).toBeVisible()
    await expect(step).toContainText(`${index + 1} of ${titles.length}`)
    const target = page.locator('[data-tour-target]')
    await expect(target).toBeVisible()
    await expect(target).toHaveCSS('outline-style', 'solid')
    await readyForKeys(page)
    await page.keyboard.press('Enter')
  }
  await expect(page.locator('.driver-popover')).toBeHidden()
}

/** Waits until keys lead on: the library ignores them until the frame after it has rendered a step. */
async function readyForKeys(page: Page): Promise<void> {
  await expect(page.locator('.driver-popover-next-btn')).toBeFocused()
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))')
}

/** Distance between the popover and its target, on any side; 0 if they touch. */
async function gap(card: Locator, target: Locator): Promise<number> {
  const [a, b] = [await card.boundingBox(), await target.boundingBox()]
  if (!a || !b) return Infinity
  const between = (from: number, size: number, other: number, otherSize: number) =>
    Math.max(0, other - from - size, from - other - otherSize)
  return between(a.x, a.width, b.x, b.width) + between(a.y, a.height, b.y, b.height)
}

asOwner('a tour is completed by keyboard and continues after a reload', async ({ page, site }) => {
  expect(site, 'the short tour is behind this person').toBeTruthy()
  await page.goto('/web/server')
  await expect(page.getByRole('heading', { name: 'Servers', level: 1 })).toBeVisible()
  await page.keyboard.press('?')
  await page.getByRole('button', { name: 'Product tour' }).click()

  const tour = page.locator('.driver-popover')
  await expect(tour).toContainText('Find anything')
  await expect(tour).toContainText('1 of 7')
  await expect(tour.getByRole('button', { name: 'Next' })).toBeFocused()
  for (const [title, path] of [
    ['Create a site', /\/web\/site$/],
    ['Add a server', /\/web\/server$/],
    ['Users', /\/web\/server$/],
  ] as const) {
    await page.keyboard.press('Enter')
    await expect(page.getByRole('dialog', { name: title })).toBeVisible()
    await expect(page).toHaveURL(path)
    await readyForKeys(page)
  }
  // In narrow windows its target is behind the menu button: the popover moves there, and back.
  await page.setViewportSize({ width: 600, height: 900 })
  await expect.poll(() => gap(tour, page.locator('.tour-menu'))).toBeLessThan(24)
  await page.setViewportSize({ width: 1440, height: 900 })
  const entry = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Users' })
  await expect.poll(() => gap(tour, entry)).toBeLessThan(24)
  await expect(tour.getByRole('button', { name: 'Next' })).toBeFocused()
  await expectValidLayout(page)

  await page.reload()
  await expect(page.getByRole('dialog', { name: 'Users' })).toContainText('4 of 7')
  await readyForKeys(page)
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('dialog', { name: 'Your profile' })).toBeVisible()
  await readyForKeys(page)
  await page.keyboard.press('ArrowLeft')
  await expect(page.getByRole('dialog', { name: 'Users' })).toBeVisible()

  // The page stays usable: navigating elsewhere ends the tour.
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Sites' }).click()
  await expect(tour).toBeHidden()
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Sites', level: 1 })).toBeVisible()
  await expect(tour).toBeHidden()
})

test('every step of every tour has its target, for each role', async ({ browser, product, owner, recording, site }) => {
  expect(site, 'there is a site').toBeTruthy()
  const people = await secondMember({ browser, product, owner, recording }, tess, 'Organization Admin')
  const { office, page, member } = people
  for (const one of [office, page]) await one.addInitScript(untilTarget)
  for (const [role, tours] of Object.entries(stepsOf)) {
    if (role !== 'owner')
      await call(office, 'frappe.client.set_value', {
        doctype: 'Organization Member',
        name: member,
        fieldname: 'organization_role',
        value: role,
      })
    for (const [name, titles] of Object.entries(tours)) await takeTour(role === 'owner' ? office : page, name, titles)
  }
  await people.close()
})

test('a new owner’s tour leads to the first site, waits for it, and shows it Live', async ({
  page,
  browser,
  owner,
  product,
}) => {
  const { keyboard } = page
  const tour = page.locator('.driver-popover')
  const next = async (title: string) => {
    await readyForKeys(page)
    await keyboard.press('Enter')
    await expect(page.getByRole('dialog', { name: title })).toBeVisible()
    await expect(tour.locator('.driver-popover-next-btn')).toBeFocused()
  }
  await newAccount(page, product, nia)
  await logIn(page, nia)
  await page.getByLabel('Name', { exact: true }).fill('Moss Office')
  await expect(page.getByText('Available', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Create organization' }).click()
  // It is offered beside the welcome, and doesn't start by itself.
  await expect(page.getByRole('heading', { name: 'Welcome to Moss Office' })).toBeVisible()
  await expect(tour).toBeHidden()
  await page.getByRole('button', { name: 'Start the tour' }).click()
  await expect(tour).toContainText('Your organizations')
  const office = await browser.newPage({ baseURL: product.url, storageState: owner })
  await office.goto('/web/terms')
  await grantThisMachine(office, 'moss-office')
  await office.close()
  // The following steps know the server created in the meantime, without a reload.
  await expect(tour).toContainText('Your organizations')
  const [, steps = ''] = /1 of (\d+)/.exec(await tour.innerText()) ?? []

  await next('Sites')
  await next('Create a site')
  await expect(tour).toContainText(`3 of ${steps}`)
  await expect(tour).toContainText('Next opens the form')
  await keyboard.press('Enter')
  await expect(page).toHaveURL(/\/web\/site\/create$/)
  await expect(page.getByRole('radio', { name: /development/i })).toBeFocused()
  await expect(tour).toBeHidden()

  // It stays paused after a reload. Leaving the form returns to the step, and the tour doesn't open the form again.
  await page.reload()
  await expect(page.getByRole('radio', { checked: true, name: /development/i })).toBeAttached()
  await expect(tour).toBeHidden()
  await page.goBack()
  await expect(page.getByRole('dialog', { name: 'Create a site', exact: true })).toContainText(`3 of ${steps}`)
  await expect(tour).not.toContainText('Next opens the form')

  await tabTo(page, 'link', /^Create site/)
  await keyboard.press('Enter')
  await expect(page.getByRole('radio', { checked: true, name: /development/i })).toBeAttached()
  await expect(tour).toBeHidden()
  await tabTo(page, 'textbox', /^Name/)
  await keyboard.type('moss')
  await tabTo(page, 'textbox', /^Site title/)
  await keyboard.type('Moss Notes')
  await keyboard.press('Control+Enter')
  const drawer = page.getByRole('dialog', { name: 'Create Moss Notes' })
  await expect(drawer).toBeVisible()
  await page.reload()
  await expect(drawer.getByText('Done', { exact: true })).toBeVisible({ timeout: siteTimeout })
  await expect(tour).toBeHidden()
  // Keydown and keyup separately: the Escape that closes the drawer must not end the tour.
  await keyboard.down('Escape')
  await expect(page.getByRole('dialog', { name: 'Create a site: here it is' })).toContainText(`3 of ${steps}`)
  await keyboard.up('Escape')
  await expect(tour.getByRole('button', { name: 'Next' })).toBeFocused()
  await expect(siteStatus(page, 'Live')).toBeVisible()
  await expect(page.getByRole('button', { name: /^Open admin/ })).toBeInViewport()
  await expectValidLayout(page)

  await next('Add a server')
  await page.reload()
  await expect(page.getByRole('dialog', { name: 'Add a server' })).toBeVisible()
  await readyForKeys(page)
  await keyboard.press('ArrowLeft')
  await expect(page.getByRole('dialog', { name: 'Create a site: here it is' })).toBeVisible()
  await expect(page).toHaveURL(/\/web\/site\/[a-z0-9]{10}$/)
  await next('Add a server')
  await next('Cloud providers')
  await next('Users')
  await next('Billing')
  await expect(tour).toContainText(`${steps} of ${steps}`)
  const kept = page.waitForResponse((response) => response.request().method() === 'PUT')
  await tour.getByRole('button', { name: 'Finish' }).press('Enter')
  await expect(tour).toBeHidden()
  await kept
  // It ends on the created site, not on the settings page of the last steps.
  await expect(page).toHaveURL(/\/web\/site\/[a-z0-9]{10}$/)
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
  await expect(page.getByRole('button', { name: /^Open admin/ })).toBeInViewport()
  await page.goto('/web')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(tour).toBeHidden()
})
