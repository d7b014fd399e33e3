/**
 * No screen has untranslated English: the whole app in the pseudo-language, in which only catalog texts appear, including
 * the server's error messages.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { ada, asOwner, blog, creationOfBlog, expect, organization, ownLimits, test } from './support/harness-test.ts'
import { settled } from './support/looks.ts'
import {
  expectKnownTexts,
  inMadeUpLanguage,
  look,
  listNames,
  listNamesInSite,
  openAll,
  translated,
} from './support/made-up-language.ts'
import { call } from './support/person.ts'
import { secondMember } from './support/second-member.ts'

const long = process.env['EASYDASH_TEST_LONG'] === '1'

/** For each route, a path of that screen for signed-out users. */
const publicScreens: Readonly<Record<string, readonly string[]>> = {
  '/login': ['/login'],
  '/signup': ['/signup'],
  '/forgot-password': ['/forgot-password'],
  '/reset-password': ['/reset-password', '/reset-password?key=old'],
  '/verify-email': ['/verify-email?token=old'],
  '/invitation': ['/invitation', '/invitation?key=old'],
  '/sso': ['/sso'],
  '/sso/callback': ['/sso/callback?state=old'],
  '/sso/:key': ['/sso/old'],
  '/terms': ['/terms'],
}

/** The same for the owner, who is also the platform admin. `{site}` and `{server}` are filled in. */
const screens: Readonly<Record<string, readonly string[]>> = {
  '/': ['/'],
  // Leads to the dashboard unless an organization requires it (required-two-factor.full.e2e.ts).
  '/two-factor': [],
  '/organization/create': ['/organization/create'],
  '/organization': ['/organization'],
  '/organization/:organization': ['/organization/0'],
  '/site': ['/site'],
  '/site/create': ['/site/create'],
  '/site/backups': ['/site/backups'],
  '/site/wp-cloud': ['/site/wp-cloud'],
  '/site/:site': ['{site}', '/site/0000000000'],
  '/server': ['/server'],
  '/server/create': ['/server/create'],
  '/server/:server': ['{server}', '/server/0000000000'],
  '/job': ['/job'],
  '/notification': ['/notification'],
  '/bulk/:run': ['/bulk/0000000000'],
  '/user': ['/user'],
  '/user/:user': [`/user/${encodeURIComponent(ada.email)}`, '/user/nobody@nowhere.example'],
  '/billing': ['/billing'],
  '/platform': ['/platform'],
  '*': ['/no/such/page'],
}

/** Navigates to another screen without a reload, so that the app stays loaded. */
async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate(`document.querySelector('main h1').dataset.left = ''
    history.pushState(null, '', ${JSON.stringify(`/web${path}`)})
    dispatchEvent(new PopStateEvent('popstate', { state: null }))`)
  await expect(page.locator('main h1:not([data-left])')).toBeVisible()
  await settled(page)
}

/** The first path of each screen, then the second ones, so that no two in a row are of the same screen. */
function inRounds(of: Readonly<Record<string, readonly string[]>>): string[] {
  const all = Object.values(of)
  return [0, 1].flatMap((round) => all.flatMap((addresses) => addresses.slice(round, round + 1)))
}

/** Untranslated texts of a screen, tab by tab, as "path: leftovers"; `and` runs further checks while a tab is open. */
async function walk(
  page: Page,
  path: string,
  data: readonly string[],
  and: (main: Locator, note: (what: string) => Promise<void>) => Promise<void>,
): Promise<string[]> {
  const found: string[] = []
  const note = async (what: string): Promise<void> => {
    found.push(...(await look(page, what, data)))
  }
  await goTo(page, path)
  const tabs = page.getByRole('main').getByRole('tab')
  const count = await tabs.count()
  for (let at = 0; at < Math.max(count, 1); at += 1) {
    if (count > 0) {
      await tabs.nth(at).click()
      await expect(tabs.nth(at)).toHaveAttribute('aria-selected', 'true')
    }
    const where = decodeURIComponent(page.url().replace(/^.*\/web/, '/web'))
    await note(where)
    await and(page.getByRole('main'), (what) => note(`${where}, ${what}`))
  }
  return found
}

const nothingMore = (): Promise<void> => Promise.resolve()

test.afterEach('the catalogs contain every requested text', expectKnownTexts)

test('every screen of the route table is covered', async () => {
  const table = await readFile(join(import.meta.dirname, '..', '..', 'web', 'routes.tsx'), 'utf8')
  const paths = [...table.matchAll(/(?:\broute\(\s*|\bpath: )'([^']+)'/g)].map(([, path]) => path)
  expect([...paths, '*'].toSorted()).toEqual([...Object.keys(publicScreens), ...Object.keys(screens)].toSorted())
})

test('no English text is left for signed-out users', async ({ page, context, owner }) => {
  expect(owner, 'there is an account').toBeTruthy()
  await context.addInitScript(inMadeUpLanguage)
  await page.goto('/web/terms')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  const found: string[] = []
  for (const path of inRounds(publicScreens)) found.push(...(await walk(page, path, [], nothingMore)))
  expect(found).toEqual([])
})

asOwner('no English text is left in the app', async ({ page, context, site }) => {
  asOwner.setTimeout(600_000)
  await context.addInitScript(inMadeUpLanguage)
  await page.goto('/web/server')
  const server = (await page.getByRole('main').locator('tbody a').first().getAttribute('href')) ?? ''
  const data = [...(await listNames(page)), ...(await listNamesInSite(page, site.split('/').at(-1) ?? ''))]
  const filled = { '{site}': site, '{server}': server }
  const found: string[] = []
  for (const address of inRounds(screens)) {
    const path = (filled[address as keyof typeof filled] ?? address).replace(/^\/web/, '')
    const opened = long || ['/site', '{site}'].includes(address)
    found.push(...(await walk(page, path, data, (main, note) => (opened ? openAll(page, main, note) : nothingMore()))))
  }
  expect([...new Set(found)]).toEqual([])
})

for (const role of long ? ['Organization User', 'Organization Manager', 'Organization Admin'] : ['Organization User'])
  test(`no English text is left for the role ${role}`, async ({ browser, product, owner, recording, site }) => {
    const person = { ...ada, firstName: 'Nele', email: `${role.replace(' ', '-').toLowerCase()}@fernhill.example` }
    const { office, page, close } = await secondMember({ browser, product, owner, recording }, person, role)
    const data = [...(await listNames(office)), person.firstName]
    await page.addInitScript(inMadeUpLanguage)
    await page.goto('/web/terms')
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    const found: string[] = []
    const own = `/user/${encodeURIComponent(person.email)}`
    for (const path of [
      '/',
      '/site',
      site.replace('/web', ''),
      '/server',
      '/job',
      '/user',
      own,
      '/organization/0',
      '/billing',
    ])
      found.push(...(await walk(page, path, data, nothingMore)))
    expect([...new Set(found)]).toEqual([])
    await close()
  })

asOwner('no English text is left in the top bar, the search, the help and a job', async ({ page, context, site }) => {
  expect(site, 'there is a site').toBeTruthy()
  await context.addInitScript(inMadeUpLanguage)
  await page.goto('/web/site')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  const data = await listNames(page)
  const found: string[] = []
  const note = async (what: string): Promise<void> => {
    found.push(...(await look(page, what, data)))
  }
  await openAll(page, page.locator('header, nav'), note)
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog')).toBeVisible()
  await note('help')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await page.keyboard.type(blog.name)
  await expect(page.getByRole('option').first()).toBeVisible()
  await note('search')
  await page.goto(creationOfBlog)
  await page.getByRole('main').locator('a[href*="job="]').first().click()
  await expect(page.getByRole('dialog').getByRole('listitem').first()).toBeVisible()
  await note('job')
  expect(found).toEqual([])
})

test('a rejected login is shown in the user’s language', async ({ page, context, owner }) => {
  expect(owner, 'there is an account').toBeTruthy()
  await context.addInitScript(inMadeUpLanguage)
  await page.goto('/web/login')
  await page.locator('input[type=email]').fill('nobody@nowhere.example')
  await page.locator('input[type=password]').fill('not the password')
  await page.locator('form [type=submit]').click()
  await expect(page.getByRole('alert').first()).toBeVisible()
  expect(await look(page, 'login', ['nobody@nowhere.example'])).toEqual([])
})

asOwner('server errors are shown in the user’s language', async ({ page, context, site }) => {
  await context.addInitScript(inMadeUpLanguage)
  await page.goto('/web/site/create')
  const name = page.locator('form input[name=domain]')
  await expect(name).toBeVisible()
  const data = await listNames(page)
  const found: string[] = []
  const note = async (what: string, localized: RegExp): Promise<void> => {
    await expect(page.getByText(localized).first(), what).toBeVisible()
    found.push(...(await look(page, what, data)))
  }

  // A form field with a rule that browser and server share, and one that only the server has.
  await name.fill('Mine')
  await name.fill('ends-')
  await name.blur()
  await note('rule', translated('It must not begin or end with a hyphen.'))
  await name.fill(blog.name)
  await name.press('Enter')
  await note('field', translated('“{0}” is already the name of a site of yours. Choose another name.', blog.name))

  // The plan's limit was reached after the form was opened.
  const grant = async (sites: number | null): Promise<void> => {
    await call(page, 'easydash.api.platform.set_limits', { organization: organizationName, ...ownLimits, site: sites })
  }
  const organizationName = await ownOrganization(page)
  await page.route('**/api/resource/Site', async (route) => {
    await grant(1)
    await route.continue()
  })
  await name.fill('one-too-many')
  await name.press('Enter')
  await note('limit', translated('{0} has room for {1}, and {2}.', '.*', '.*', '.*'))
  await page.unroute('**/api/resource/Site')
  await grant(null)

  // A denied write, and one to a missing document: the page's favorite request is rewritten on its way.
  const [job] = await call<{ name: string }[]>(page, 'frappe.client.get_list', { doctype: 'Job' })
  await page.goto(site)
  for (const [path, localized] of [
    [`Job/${job?.name}`, translated('Insufficient Permission for {0} ({1})', '.*', '.*')],
    ['Site/0000000000', translated('{0} {1} not found', '.*', '0000000000')],
  ] as const) {
    await page.route('**/api/resource/Site/*', async (route) => {
      const url = route
        .request()
        .url()
        .replace(/Site\/.*/, path)
      await (route.request().method() === 'PUT'
        ? route.continue({ url, postData: { label: 'Mine' } })
        : route.continue())
    })
    await page.getByRole('main').locator('button[aria-pressed]').first().click()
    await note(path, localized)
    await page.unroute('**/api/resource/Site/*')
  }

  // Each email of a list has its own error.
  await page.goto('/web/user?invite=1')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox').fill(ada.email)
  await dialog.locator('[type=submit]').last().click()
  await note('invitation', translated('This is your own address.'))
  expect([...new Set(found)]).toEqual([])
})

async function ownOrganization(page: Page): Promise<string> {
  const [row] = await call<{ name: string }[]>(page, 'frappe.client.get_list', {
    doctype: 'Organization',
    fields: ['name'],
    filters: [['slug', '=', organization.slug]],
  })
  return row?.name ?? ''
}
