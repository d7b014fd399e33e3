/**
 * Nothing on any screen is left in English: the whole app in the made-up language that only catalogues can speak, with what
 * the server says when it refuses.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { planNames } from '#shared/doctypes/organization.ts'
import { allTexts, keyOf } from '../../scripts/texts.ts'
import { ada, asOwner, blog, expect, organization, test } from './harness-test.ts'
import { pseudoText } from '#web/lib/pseudo-language.ts'
import { leftovers } from './leftovers.ts'
import { settled } from './looks.ts'
import { call } from './person.ts'

const long = process.env['EASYDASH_TEST_LONG'] === '1'
const inMadeUpLanguage = "localStorage.setItem('language', 'en-XA')"

/** For each line of the route table an address where that screen stands, for people who are signed out. */
const publicScreens: Readonly<Record<string, readonly string[]>> = {
  '/login': ['/login'],
  '/signup': ['/signup'],
  '/forgot-password': ['/forgot-password'],
  '/reset-password': ['/reset-password', '/reset-password?key=old'],
  '/verify-email': ['/verify-email?token=old'],
  '/invitation': ['/invitation', '/invitation?key=old'],
  '/terms': ['/terms'],
}

/** The same for the owner, who also runs the platform. `{site}` and `{server}` are filled in. */
const screens: Readonly<Record<string, readonly string[]>> = {
  '/': ['/'],
  '/organization/create': ['/organization/create'],
  '/organization': ['/organization'],
  '/organization/:organization': ['/organization/0'],
  '/site': ['/site'],
  '/site/create': ['/site/create'],
  '/site/:site': ['{site}', '/site/0000000000'],
  '/server': ['/server'],
  '/server/:server': ['{server}', '/server/0000000000'],
  '/job': ['/job'],
  '/user': ['/user'],
  '/user/:user': [`/user/${encodeURIComponent(ada.email)}`, '/user/nobody@nowhere.example'],
  '/billing': ['/billing'],
  '/platform': ['/platform'],
  '*': ['/no/such/page'],
}

/** Goes on without a reload, to another screen: the app stays as it is loaded. */
async function goTo(page: Page, path: string): Promise<void> {
  await page.evaluate(`document.querySelector('main h1').dataset.left = ''
    history.pushState(null, '', ${JSON.stringify(`/web${path}`)})
    dispatchEvent(new PopStateEvent('popstate', { state: null }))`)
  await expect(page.locator('main h1:not([data-left])')).toBeVisible()
  await settled(page)
}

/** The first address of each screen, then the second ones: no two in a row are of one screen. */
function inRounds(of: Readonly<Record<string, readonly string[]>>): string[] {
  const all = Object.values(of)
  return [0, 1].flatMap((round) => all.flatMap((addresses) => addresses.slice(round, round + 1)))
}

/** Names in the data of the shared product, whatever earlier stories made: people, organizations, sites, servers. */
async function namesIn(page: Page): Promise<string[]> {
  const lists = [
    'easydash.api.platform.users?page_size=200',
    'easydash.api.platform.organizations?page_size=200',
    'frappe.client.get_list?doctype=Site&fields=["*"]&limit_page_length=0',
    'frappe.client.get_list?doctype=Server&fields=["*"]&limit_page_length=0',
  ]
  const texts = await page.evaluate(
    (paths) => Promise.all(paths.map(async (path) => await (await fetch(`/api/method/${path}`)).text())),
    lists,
  )
  const names = new Set(['full_name', 'title', 'domain', 'hostname', 'name', 'os', 'kernel', 'processor', 'timezone'])
  const found: string[] = []
  for (const text of texts)
    JSON.parse(text, (key, value: unknown) => {
      if (names.has(key) && typeof value === 'string' && /[A-Za-z]/.test(value)) found.push(value)
      return value
    })
  return [
    ...planNames,
    ada.firstName,
    ada.lastName,
    organization.title,
    organization.slug,
    blog.name,
    blog.title,
    ...found,
  ]
}

/** Every text of a screen, tab by tab, as "address: leftovers"; `and` looks at more while a tab is open. */
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

/** Opens what opens something, one after the other: menus, and actions that ask first (their words end in "…"). */
async function openAll(page: Page, within: Locator, note: (what: string) => Promise<void>): Promise<void> {
  const openers = within.locator('button:is([aria-haspopup], :text-matches("…·*\\\\]$")):enabled:visible')
  const seen = new Set<string>()
  for (let at = 0; at < (await openers.count()); at += 1) {
    const opener = openers.nth(at)
    const what = (await opener.getAttribute('aria-label')) ?? (await opener.innerText())
    // One of each kind: rows of a list differ by their name alone.
    const kind = what.replaceAll(/[ -~]+/g, '')
    if (seen.has(kind)) continue
    seen.add(kind)
    await opener.click()
    const part = page.locator('[role=menu], [role=dialog], [role=alertdialog], [role=listbox]').last()
    await expect(part, what).toBeVisible()
    await note(what)
    await page.keyboard.press('Escape')
    await expect(part, what).toBeHidden()
  }
}

/** Texts the pages of a test asked for. */
const asked = new Set<string>()

/** Every text that is left in English now, as "what: text"; what was asked for until now is kept in `asked`. */
async function look(page: Page, what: string, data: readonly string[]): Promise<string[]> {
  await settled(page)
  for (const text of await page.evaluate<string[]>('[...(globalThis.askedTexts ?? [])]')) asked.add(text)
  return (await leftovers(page, data)).map((text) => `${what}: ${text}`)
}

const nothingMore = (): Promise<void> => Promise.resolve()

test.afterEach('translators get every text that was asked for', async () => {
  const known = new Set((await allTexts()).map(keyOf))
  // What is in the language already may be asked for once more.
  expect([...asked].filter((text) => !known.has(text) && /[A-Za-z]/.test(text))).toEqual([])
  asked.clear()
})

test('every screen of the route table is walked through', async () => {
  const table = await readFile(join(import.meta.dirname, '..', '..', 'web', 'routes.tsx'), 'utf8')
  const paths = [...table.matchAll(/\broute\(\s*'([^']+)'/g)].map(([, path]) => path)
  expect([...paths, '*'].toSorted()).toEqual([...Object.keys(publicScreens), ...Object.keys(screens)].toSorted())
})

test('nothing is left in English for people who are signed out', async ({ page, context, owner }) => {
  expect(owner, 'there is an account').toBeTruthy()
  await context.addInitScript(inMadeUpLanguage)
  await page.goto('/web/terms')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  const found: string[] = []
  for (const path of inRounds(publicScreens)) found.push(...(await walk(page, path, [], nothingMore)))
  expect(found).toEqual([])
})

asOwner('nothing is left in English in the app', async ({ page, context, site }) => {
  if (long) asOwner.setTimeout(600_000)
  await context.addInitScript(inMadeUpLanguage)
  await page.goto('/web/server')
  const server = (await page.getByRole('main').locator('tbody a').first().getAttribute('href')) ?? ''
  const data = await namesIn(page)
  const filled = { '{site}': site, '{server}': server }
  const found: string[] = []
  for (const address of inRounds(screens)) {
    const path = (filled[address as keyof typeof filled] ?? address).replace(/^\/web/, '')
    const opened = long || ['/site', '{site}'].includes(address)
    found.push(...(await walk(page, path, data, (main, note) => (opened ? openAll(page, main, note) : nothingMore()))))
  }
  expect([...new Set(found)]).toEqual([])
})

asOwner('nothing is left in English in the bar, the search, the help and a job', async ({ page, context, site }) => {
  await context.addInitScript(inMadeUpLanguage)
  await page.goto('/web/site')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  const data = await namesIn(page)
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
  await page.goto(site)
  await page.getByRole('main').locator('a[href*="job="]').first().click()
  await expect(page.getByRole('dialog').getByRole('listitem').first()).toBeVisible()
  await note('job')
  expect(found).toEqual([])
})

test('a refused login is said in the reader’s language', async ({ page, context, owner }) => {
  expect(owner, 'there is an account').toBeTruthy()
  await context.addInitScript(inMadeUpLanguage)
  await page.goto('/web/login')
  await page.locator('input[type=email]').fill('nobody@nowhere.example')
  await page.locator('input[type=password]').fill('not the password')
  await page.locator('form [type=submit]').click()
  await expect(page.getByRole('alert').first()).toBeVisible()
  expect(await look(page, 'login', ['nobody@nowhere.example'])).toEqual([])
})

asOwner('what the server refuses is said in the reader’s language', async ({ page, context, site }) => {
  await context.addInitScript(inMadeUpLanguage)
  await page.goto('/web/site/create')
  const name = page.locator('form input[name=domain]')
  await expect(name).toBeVisible()
  const data = await namesIn(page)
  const found: string[] = []
  const note = async (what: string, sentence: RegExp): Promise<void> => {
    await expect(page.getByText(sentence).first(), what).toBeVisible()
    found.push(...(await look(page, what, data)))
  }

  // A field of a form, by the rule that both sides have, and by one that the server has alone.
  await name.fill('Mine')
  await name.fill('ends-')
  await name.blur()
  await note('rule', said('It must not begin or end with a hyphen.'))
  await name.fill(blog.name)
  await name.press('Enter')
  await note('field', said('“{0}” is already the name of a site of yours. Choose another name.', blog.name))

  // The plan became full after the form was opened.
  const grant = async (sites: number | null): Promise<void> => {
    await call(page, 'easydash.api.platform.set_limits', { organization: organizationName, site: sites })
  }
  const organizationName = await ownOrganization(page)
  await page.route('**/api/resource/Site', async (route) => {
    await grant(1)
    await route.continue()
  })
  await name.fill('one-too-many')
  await name.press('Enter')
  await note('limit', said('{0} has room for {1}, and {2}.', '.*', '.*', '.*'))
  await page.unroute('**/api/resource/Site')
  await grant(null)

  // A write that nobody has the right to, and one of what is not there: the star of the page asks for something else on its way.
  const [job] = await call<{ name: string }[]>(page, 'frappe.client.get_list', { doctype: 'Job' })
  await page.goto(site)
  for (const [path, sentence] of [
    [`Job/${job?.name}`, said('Insufficient Permission for {0} ({1})', '.*', '.*')],
    ['Site/0000000000', said('{0} {1} not found', '.*', '0000000000')],
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
    await note(path, sentence)
    await page.unroute('**/api/resource/Site/*')
  }

  // Each address of a list for itself.
  await page.goto('/web/user?invite=1')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox').fill(ada.email)
  await dialog.locator('[type=submit]').last().click()
  await note('invitation', said('This is your own address.'))
  expect([...new Set(found)]).toEqual([])
})

/** A sentence of the server as the made-up language has it; `values` are patterns of what stands in it. */
function said(template: string, ...values: readonly string[]): RegExp {
  const text = pseudoText(template).replace(/·*\]$/, '')
  const parts = text.split(/\{\d+\}/).map((part) => RegExp.escape(part))
  return new RegExp(parts.map((part, at) => (at === 0 ? '' : (values[at - 1] ?? '')) + part).join(''))
}

async function ownOrganization(page: Page): Promise<string> {
  const [row] = await call<{ name: string }[]>(page, 'frappe.client.get_list', {
    doctype: 'Organization',
    fields: ['name'],
    filters: [['slug', '=', organization.slug]],
  })
  return row?.name ?? ''
}
