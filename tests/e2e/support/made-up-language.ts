/** Shared by the pseudo-language stories: turning it on, and finding untranslated English. */
import type { Locator, Page } from '@playwright/test'
import { planNames } from '#shared/rules/plans.ts'
import { pseudoText } from '#web/lib/i18n/pseudo-language.ts'
import { allTexts } from '../../../scripts/texts.ts'
import { ada, blog, expect, organization } from './harness-test.ts'
import { leftovers } from './leftovers.ts'
import { settled } from './looks.ts'
import { call } from './person.ts'

/** Init script of a context that turns on the pseudo-language. */
export const inMadeUpLanguage = "localStorage.setItem('language', 'en-XA')"

/** Names in the data of the shared product, from all stories: users, organizations, sites, servers. */
export async function listNames(page: Page): Promise<string[]> {
  const lists = [
    'easydash.api.platform.users?limit=500',
    'easydash.api.platform.organizations?limit=500',
    'easydash.api.platform.jobs?limit=500',
    'frappe.client.get_list?doctype=Site&fields=["*"]&limit_page_length=0',
    'frappe.client.get_list?doctype=Server&fields=["*"]&limit_page_length=0',
    'frappe.client.get_list?doctype=API Token&fields=["title"]&limit_page_length=0',
    'frappe.client.get_list?doctype=Job&fields=["reference_title"]&limit_page_length=0',
  ]
  const texts = await page.evaluate(
    (paths) => Promise.all(paths.map(async (path) => await (await fetch(`/api/method/${path}`)).text())),
    lists,
  )
  const names = new Set([
    'full_name',
    'title',
    'domain',
    'hostname',
    'name',
    'os',
    'kernel',
    'processor',
    'timezone',
    'reference_title',
  ])
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

/** Names inside a site, which are its data: plugins, themes, roles, scheduled events, files; and examples of such names. */
export async function listNamesInSite(page: Page, site: string): Promise<string[]> {
  const of = (method: string, args = {}) =>
    call<unknown>(page, 'run_doc_method', { dt: 'Site', dn: site, method, args })
  const found: string[] = ['wordpress-seo', 'astra']
  const collect = (key: string, value: unknown): unknown => {
    if (['name', 'hook', 'author', 'description', 'path', 'login'].includes(key) && typeof value === 'string')
      found.push(value)
    return value
  }
  const facts = await of('inspect_wordpress')
  for (const read of [facts, await of('list_files'), await of('database_tables')])
    JSON.parse(JSON.stringify(read), collect)
  const roles = JSON.stringify(facts).match(/"roles":(\{[^}]*\})/)?.[1] ?? '{}'
  return [...found, ...Object.values(JSON.parse(roles) as Record<string, string>)]
}

/** Opens everything with a popup, one after the other: menus, and actions with a dialog (labels ending in "…"). */
export async function openAll(page: Page, within: Locator, note: (what: string) => Promise<void>): Promise<void> {
  const openers = within.locator('button:is([aria-haspopup], :text-matches("…·*\\\\]$")):enabled:visible')
  const seen = new Set<string>()
  for (let at = 0; at < (await openers.count()); at += 1) {
    const opener = openers.nth(at)
    const what = (await opener.getAttribute('aria-label')) ?? (await opener.innerText())
    // One of each kind: rows of a list differ only by their name.
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

/** Texts requested by the pages of a test. */
const usedTexts = new Set<string>()

/** All untranslated texts, as "what: text"; also adds the texts requested so far to `usedTexts`. */
export async function look(page: Page, what: string, data: readonly string[]): Promise<string[]> {
  await settled(page)
  for (const text of await page.evaluate<string[]>('[...(globalThis.usedTexts ?? [])]')) usedTexts.add(text)
  return (await leftovers(page, data)).map((text) => `${what}: ${text}`)
}

/** Fails for a requested text that translators don't get. */
export async function expectKnownTexts(): Promise<void> {
  const known = new Set(await allTexts())
  // Texts already in the pseudo-language may be requested again.
  expect([...usedTexts].filter((text) => !known.has(text) && /[A-Za-z]/.test(text))).toEqual([])
  usedTexts.clear()
}

/** Pattern of a server sentence in the pseudo-language; `values` are patterns of its values. */
export function translated(template: string, ...values: readonly string[]): RegExp {
  const text = pseudoText(template).replace(/·*\]$/, '')
  const parts = text.split(/\{\d+\}/).map((part) => RegExp.escape(part))
  return new RegExp(parts.map((part, at) => (at === 0 ? '' : (values[at - 1] ?? '')) + part).join(''))
}
