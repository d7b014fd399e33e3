/**
 * Secrets don't leak: looks for each marker of `leak-markers.ts` wherever it could have leaked. What the other stories did is
 * searched at the end of their product (`harness-test.ts`).
 */
import { passwords } from './support/leak-markers.ts'
import { collectLocations, leaks } from './support/leaks.ts'
import { ada, asOwner, blog, expect } from './support/harness-test.ts'

asOwner('secrets appear nowhere', async ({ page, browser, site, product, recording }) => {
  await page.goto(site)
  await expect(page.getByRole('heading', { name: blog.title, level: 1 })).toBeVisible()
  // A failed login, which sends a password that belongs to nobody, and a running site.
  const elsewhere = await browser.newContext({ baseURL: product.url, storageState: { cookies: [], origins: [] } })
  recording.follow(elsewhere)
  const login = await elsewhere.newPage()
  await login.goto('/web/login')
  await login.getByLabel('Email').fill(ada.email)
  await login.getByRole('textbox', { name: 'Password' }).fill(passwords.wrong)
  await login.getByRole('button', { name: 'Log in' }).click()
  await expect(login.getByRole('alert').first()).toBeVisible()
  await recording.settled()
  await elsewhere.close()
  await page.goto(`http://${blog.name}.localhost:${product.port}/`)
  await expect(page).toHaveTitle(new RegExp(blog.title))

  const { terminal, responses, rows, files } = await collectLocations(product, recording)
  const processes = await product.processes()

  // Verifies that the search works at all, with an email that belongs in most of these locations.
  const email = Buffer.from(ada.email)
  expect(responses.some(({ bytes }) => bytes.includes(email))).toBe(true)
  expect(rows.some(({ bytes }) => bytes.includes(email))).toBe(true)
  expect(files.some(({ where }) => /\/logs\/[^/]+$/.test(where))).toBe(true)
  expect(terminal.bytes.includes(Buffer.from('Easydash is ready'))).toBe(true)

  expect(leaks([terminal, ...responses, ...rows, ...files])).toEqual([])
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
  for (const { environment } of sites) expect(environment).not.toMatch(/EASYDASH|SMTP|DATABASE_URL|npm_/)
})
