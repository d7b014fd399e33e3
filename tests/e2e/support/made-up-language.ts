/** What stories in the made-up language share: turning it on, and finding what is left in English. */
import type { Locator, Page } from '@playwright/test'
import { planNames } from '#shared/doctypes/organization.ts'
import { pseudoText } from '#web/lib/i18n/pseudo-language.ts'
import { allTexts, keyOf } from '../../../scripts/texts.ts'
import { ada, blog, expect, organization } from './harness-test.ts'
import { leftovers } from './leftovers.ts'
import { settled } from './looks.ts'

/** As an init script of a context: its pages speak the made-up language. */
export const inMadeUpLanguage = "localStorage.setItem('language', 'en-XA')"

/** Names in the data of the shared product, whatever earlier stories made: people, organizations, sites, servers. */
export async function namesIn(page: Page): Promise<string[]> {
  const lists = [
    'easydash.api.platform.users?page_size=200',
    'easydash.api.platform.organizations?page_size=200',
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

/** Opens what opens something, one after the other: menus, and actions that ask first (their words end in "…"). */
export async function openAll(page: Page, within: Locator, note: (what: string) => Promise<void>): Promise<void> {
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
export async function look(page: Page, what: string, data: readonly string[]): Promise<string[]> {
  await settled(page)
  for (const text of await page.evaluate<string[]>('[...(globalThis.askedTexts ?? [])]')) asked.add(text)
  return (await leftovers(page, data)).map((text) => `${what}: ${text}`)
}

/** Fails for a text that translators do not get though it was asked for. */
export async function expectKnownTexts(): Promise<void> {
  const known = new Set((await allTexts()).map(keyOf))
  // What is in the language already may be asked for once more.
  expect([...asked].filter((text) => !known.has(text) && /[A-Za-z]/.test(text))).toEqual([])
  asked.clear()
}

/** A sentence of the server as the made-up language has it; `values` are patterns of what stands in it. */
export function said(template: string, ...values: readonly string[]): RegExp {
  const text = pseudoText(template).replace(/·*\]$/, '')
  const parts = text.split(/\{\d+\}/).map((part) => RegExp.escape(part))
  return new RegExp(parts.map((part, at) => (at === 0 ? '' : (values[at - 1] ?? '')) + part).join(''))
}
