/**
 * Secrets don't leak: after the previous stories, looks for each marker of `leak-markers.ts` wherever it could have leaked.
 * Run alone, it covers what the fixtures did: a signup, an organization, a site.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { silentLog } from '#server/platform/log/log.ts'
import { startPostgres } from '#server/platform/postgres/postgres.ts'
import { silentStep } from '#server/platform/steps.ts'
import { canaries, passwords } from './support/leak-markers.ts'
import type { Product } from './support/harness.ts'
import { ada, asOwner, blog, expect } from './support/harness-test.ts'

/** Where something was found. */
interface Place {
  where: string
  bytes: Buffer
}

/** Names of the markers found, each with its location. */
function leaks(places: readonly Place[]): string[] {
  const needles = canaries().map(({ name, text }) => ({ name, bytes: Buffer.from(text, 'latin1') }))
  return places.flatMap(({ where, bytes }) =>
    needles.filter((needle) => bytes.includes(needle.bytes)).map(({ name }) => `${name} in ${where}`),
  )
}

asOwner('what is secret turns up nowhere', async ({ page, site, product, recording }) => {
  asOwner.setTimeout(180_000)
  await page.goto(site)
  await expect(page.getByRole('heading', { name: blog.name, level: 1 })).toBeVisible()
  // A failed login, which sends a password that belongs to nobody, and a running site. Leaves the page first, because a
  // pending response would restore the cookies.
  await page.goto('about:blank')
  await page.context().clearCookies()
  await page.goto('/web/login')
  await page.getByLabel('Email').fill(ada.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(passwords.wrong)
  await page.getByRole('button', { name: 'Log in' }).click()
  await expect(page.getByRole('alert').first()).toBeVisible()
  await page.goto(`http://${blog.name}.localhost:${product.port}/`)
  await expect(page).toHaveTitle(new RegExp(blog.title))
  await recording.settled()

  const terminal: Place = { where: 'the terminal', bytes: Buffer.from(product.output()) }
  const answers = recording
    .answers()
    .map(({ url, text }) => ({ where: `the answer of ${url}`, bytes: Buffer.from(text) }))
  const rows = await databaseRows(product)
  const files = await filesOf(product.dataDir)
  const processes = await product.processes()

  // Verifies that the search works at all, with an email that belongs in most of these locations.
  const email = Buffer.from(ada.email)
  expect(answers.some(({ bytes }) => bytes.includes(email))).toBe(true)
  expect(rows.some(({ bytes }) => bytes.includes(email))).toBe(true)
  expect(files.some(({ where }) => /\/logs\/[^/]+$/.test(where))).toBe(true)
  expect(terminal.bytes.includes(Buffer.from('Easydash is ready'))).toBe(true)

  expect(leaks([terminal, ...answers, ...rows, ...files])).toEqual([])
  const commands = processes.map(({ pid, command }) => ({
    where: `the command line of ${pid}`,
    bytes: Buffer.from(command),
  }))
  expect(leaks(commands)).toEqual([])
  if (process.platform !== 'linux') return

  // npm and the server have the operator's settings. Processes that the server starts get none of them.
  const children = processes.filter(({ command }) => /site-process|postgres/.test(command))
  expect(children.length).toBeGreaterThanOrEqual(2)
  const environments = children.map(({ command, environment }) => ({
    where: `the environment of ${command}`,
    bytes: Buffer.from(environment),
  }))
  expect(leaks(environments)).toEqual([])
  const sites = children.filter(({ command }) => command.includes('site-process'))
  expect(sites.length).toBeGreaterThan(0)
  for (const { environment } of sites) expect(environment).not.toMatch(/EASYDASH|STRIPE|SMTP|DATABASE_URL|npm_/)
})

/** Every row of every table, as text, through its own connection. */
async function databaseRows(product: Product): Promise<Place[]> {
  const postgres = await startPostgres({ dataDir: product.dataDir, log: silentLog, step: silentStep })
  const client = new pg.Client(postgres.connection)
  await client.connect()
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    )
    const found: Place[] = []
    for (const { name } of tables) {
      const { rows } = await client.query<{ text: string | null }>(
        `select string_agg(t::text, E'\\n') as text from ${name} t`,
      )
      found.push({ where: `the table ${name}`, bytes: Buffer.from(rows[0]?.text ?? '') })
    }
    return found
  } finally {
    await client.end()
    await postgres.stop()
  }
}

/** Every file of a folder. Content of files the database rewrites or removes meanwhile is in its rows. */
async function filesOf(folder: string): Promise<Place[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const found = entries
    .filter((entry) => entry.isFile())
    .map(async (entry) => {
      const where = join(entry.parentPath, entry.name)
      const bytes = await readFile(where).catch(() => null)
      return bytes === null ? null : { where, bytes }
    })
  return (await Promise.all(found)).filter((place) => place !== null)
}
