/**
 * Screenshots of every screen, as each role, in both themes and three widths, in `gallery/`, with a page that puts them
 * beside the mockups. What a screenshot cannot show is printed: errors of the console, sideways scroll, rules of
 * accessibility that are broken.
 */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { AxeBuilder } from '@axe-core/playwright'
import { chromium, type Browser, type BrowserContext, type Page } from '@playwright/test'
import { removePostgres } from '#server/platform/postgres/postgres.ts'
import { findBrowser } from '#tests/e2e/support/harness-browser.ts'
import { call } from '#tests/e2e/support/person.ts'
import { startProduct } from '#tests/e2e/support/harness.ts'
import { accessibilityRules, settled, useTheme, type Theme } from '#tests/e2e/support/looks.ts'
import { galleryPage, type Screenshot } from './gallery-page.ts'
import { people, screens, type Role, type Screen } from './screens.ts'

const root = join(import.meta.dirname, '..', '..')
const folder = join(root, 'gallery')
const password = 'Correct-Horse-42!'
const widths = [1440, 768, 390] as const
const themes: readonly Theme[] = ['light', 'dark']

interface Wanted {
  roles: readonly string[] | null
  screens: readonly string[] | null
  mockups: string | null
  /** A demo that runs already; else one is started. */
  url: string | null
}

function readArgs(args: string[]): Wanted {
  const text = { type: 'string' } as const
  const { values } = parseArgs({ args, options: { roles: text, screens: text, mockups: text, url: text } })
  const list = (value: string | undefined) => value?.split(',') ?? null
  return {
    roles: list(values.roles),
    screens: list(values.screens),
    mockups: values.mockups ?? null,
    url: values.url ?? null,
  }
}

/** Takes them all. Sets a failing exit code when something is wrong that a screenshot does not show. */
export async function renderGallery(args: string[]): Promise<void> {
  const wanted = readArgs(args)
  if (wanted.url) return await render(wanted.url, wanted)
  const product = await startProduct({ script: 'demo' })
  const data = join(root, 'demo-data', String(product.port))
  try {
    await render(product.url, wanted)
  } finally {
    await product.close()
    await removePostgres(data)
    await rm(data, { recursive: true, force: true })
  }
}

async function render(url: string, wanted: Wanted): Promise<void> {
  await mkdir(folder, { recursive: true })
  const found = await findBrowser()
  const browser = await chromium.launch({
    executablePath: found.executablePath,
    env: { ...process.env, ...found.env },
    chromiumSandbox: false,
    args: ['--font-render-hinting=none'],
  })
  const screenshots: Screenshot[] = []
  const problems: string[] = []
  try {
    for (const role of Object.keys(people) as Role[]) {
      if (wanted.roles && !wanted.roles.includes(role)) continue
      const own = screens.filter(
        (screen) => screen.roles.includes(role) && (wanted.screens?.includes(screen.name) ?? true),
      )
      if (own.length === 0) continue
      const context = await signedIn(browser, url, people[role])
      for (const screen of own) screenshots.push(...(await shoot(context, screen, role, problems)))
      await context.close()
    }
  } finally {
    await browser.close()
  }
  const mockups = wanted.mockups ? { folder: resolve(wanted.mockups), files: await readdir(wanted.mockups) } : null
  await writeFile(join(folder, 'index.html'), galleryPage(screenshots, mockups))
  process.stdout.write(`${screenshots.length} screenshots: ${join(folder, 'index.html')}\n`)
  for (const problem of problems) process.stdout.write(`✗ ${problem}\n`)
  if (problems.length > 0) process.exitCode = 1
}

async function signedIn(browser: Browser, url: string, email: string | null): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL: url, locale: 'en-US', timezoneId: 'UTC' })
  if (email === null) return context
  const page = await context.newPage()
  await page.goto('/web/login')
  await page.getByLabel('Email').fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.waitForURL((address) => !address.pathname.endsWith('/login'))
  await page.close()
  return context
}

/** Verifies the checksums of the demo's first sites: changes nothing. */
async function startBulkRun(context: BrowserContext): Promise<string> {
  const sites = await context.request.get('/api/resource/Site?limit=5&order_by=creation+asc')
  const { data } = (await sites.json()) as { data: { name: string }[] }
  const page = await context.newPage()
  await page.goto('/web')
  const { name } = await call<{ name: string }>(page, 'easydash.api.site.start_bulk_run', {
    action: 'verify_checksum',
    sites: data.map((site) => site.name),
  })
  await page.close()
  return name
}

/** The demo's first site and server this person may see, in a path. */
async function resolvePath(context: BrowserContext, path: string, role: Role): Promise<string> {
  let resolved = path.replace('{me}', encodeURIComponent(people[role] ?? ''))
  for (const [placeholder, doctype] of [
    ['{site}', 'Site'],
    ['{server}', 'Server'],
    ['{bulk}', 'Bulk Run'],
  ] as const) {
    if (!resolved.includes(placeholder)) continue
    const query = new URLSearchParams({ order_by: 'creation asc', limit: '1' })
    const response = await context.request.get(`/api/resource/${doctype}?${query.toString()}`)
    const { data } = (await response.json()) as { data: { name: string }[] }
    const name = data[0]?.name ?? (doctype === 'Bulk Run' ? await startBulkRun(context) : 'none')
    resolved = resolved.replace(placeholder, name)
  }
  return resolved
}

async function shoot(context: BrowserContext, screen: Screen, role: Role, problems: string[]): Promise<Screenshot[]> {
  const page = await context.newPage()
  const report = (text: string) => problems.push(`${screen.name} as ${role}: ${text}`)
  page.on('pageerror', (error) => report(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) report(message.text())
  })
  const screenshots: Screenshot[] = []
  try {
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto(`/web${await resolvePath(context, screen.path, role)}`)
    await page.getByRole('heading').first().waitFor()
    await settled(page)
    if (screen.keys) await page.keyboard.press(screen.keys)
    if (screen.press) {
      const name = new RegExp(`^${screen.press}`)
      await page.getByRole('button', { name }).filter({ visible: true }).first().click()
    }
    if (screen.keys || screen.press) {
      await page
        .getByRole('dialog')
        .or(page.getByRole('alertdialog'))
        .or(page.getByRole('region', { name: 'Change preview' }))
        .first()
        .waitFor()
    }
    for (const width of widths) screenshots.push(...(await shootWidth(page, screen, role, width, report)))
  } catch (error) {
    report(error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error))
  } finally {
    await page.close()
  }
  return screenshots
}

async function shootWidth(
  page: Page,
  screen: Screen,
  role: Role,
  width: number,
  report: (text: string) => void,
): Promise<Screenshot[]> {
  const screenshots: Screenshot[] = []
  await page.setViewportSize({ width, height: width === 390 ? 844 : 900 })
  for (const theme of themes) {
    await useTheme(page, theme)
    const file = `${screen.name}-${role}-${width}-${theme}.png`
    await page.screenshot({ path: join(folder, file), animations: 'disabled', caret: 'hide' })
    screenshots.push({ file, screen: screen.name, role, width, theme, mockup: screen.mockup ?? null })
    const { violations } = await new AxeBuilder({ page }).withTags(accessibilityRules).analyze()
    for (const { id, nodes } of violations)
      report(`${theme}, ${width} px: ${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`)
  }
  const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  if (overflow !== 0) report(`${width} px: scrolls sideways by ${String(overflow)} px`)
  return screenshots
}
