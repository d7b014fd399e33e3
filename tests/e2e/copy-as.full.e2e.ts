/** "Copy as curl": every copied command runs in a shell as it is, after the first steps of /api/docs. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { runInShell } from '#tests/support/api-docs-page.ts'
import { ada, asOwner, blog, creationOfBlog, expect, organization } from './support/harness-test.ts'

asOwner.use({ permissions: ['clipboard-read', 'clipboard-write'] })

/** What a button or menu item copied to the clipboard. */
async function copied(page: Page, control: Locator): Promise<string> {
  await page.evaluate("navigator.clipboard.writeText('')")
  await control.press('Enter')
  const read = () => page.evaluate<string>('navigator.clipboard.readText()')
  await expect.poll(read).toContain('curl')
  return read()
}

/** Runs commands after a command-line login; `token` creates an API token and inserts it into the commands that need one. */
async function inShell(url: string, commands: readonly string[], token?: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'easydash-copy-'))
  const quiet = commands.map((command) => command.replace(/^curl /, 'curl -sS '))
  const first = [
    `EASYDASH=${url}\nread -r PASSWORD`,
    `printf %s "$PASSWORD" | curl -sS -o login.json -c easydash.cookies "$EASYDASH/api/method/login" --data-urlencode usr=${ada.email} --data-urlencode pwd@-`,
    `CSRF=$(curl -sS -b easydash.cookies "$EASYDASH/api/method/easydash.api.session.boot" | sed 's/.*"csrf_token":"\\([^"]*\\)".*/\\1/')`,
    ...(token === undefined
      ? []
      : [
          `TOKEN=$(curl -sS -b easydash.cookies "$EASYDASH/api/method/easydash.api.tokens.create" -H "X-Frappe-CSRF-Token: $CSRF" --data-urlencode title=Copied --data-urlencode 'scopes=["${token}"]' | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')`,
        ]),
  ]
  try {
    const run = await runInShell(
      [
        ...first,
        ...quiet.map((command) =>
          command.replace("'Authorization: token KEY:SECRET'", '"Authorization: token $TOKEN"'),
        ),
      ],
      ada.password,
      folder,
    )
    expect([run.code, run.errors]).toEqual([0, ''])
    return run.output
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Opens a ⋯ menu and returns its item. */
async function inMenu(page: Page, menu: Locator, name: string): Promise<Locator> {
  await menu.click()
  return page.getByRole('menuitem', { name })
}

/**
 * Opens the ⋯ menu of a page and returns the entry that copies the command of an action. By keyboard: on a slow machine a pointer that
 * jumps to an entry before the menu is in its place leaves it, which closes it.
 */
async function commandOf(page: Page, action: string): Promise<Locator> {
  await (await inMenu(page, page.getByRole('button', { name: 'More actions' }), 'Copy as curl')).press('ArrowRight')
  return page.getByRole('menu', { name: 'Copy as curl' }).getByRole('menuitem', { name: action })
}

asOwner('lists and actions of the platform', async ({ page, product }) => {
  await page.goto(`/web/platform?users.q=${encodeURIComponent(ada.email)}#users`)
  await expect(page.getByRole('main').getByRole('row')).toHaveCount(2)
  const users = await copied(
    page,
    await inMenu(page, page.getByRole('button', { name: 'More actions' }), 'Copy as curl'),
  )
  await expect(page.getByRole('region', { name: /Notifications/ }).getByText('API tokens cannot do this')).toBeVisible()
  expect(users).not.toContain('sid')

  for (const tab of ['Plans', 'Outbox', 'Jobs', 'Organizations']) {
    await page.getByRole('tab', { name: tab }).click()
    // The plans page also has the quotas of sites, below the plans.
    const panel = page.getByRole('tabpanel', { name: tab })
    const list = await inMenu(page, panel.getByRole('button', { name: 'More actions' }).first(), 'Copy as curl')
    expect(await copied(page, list)).toContain('-b easydash.cookies')
  }
  await page.getByRole('button', { name: `Manage ${organization.title}` }).click()
  const plan = await copied(
    page,
    await inMenu(page, page.getByRole('button', { name: 'Actions for Set plan' }), 'Copy “Set plan” as curl'),
  )

  const output = await inShell(product.url, [users, plan])
  expect(output).toContain(`"email":"${ada.email}"`)
  expect(output).toContain('"total":1')
  expect(output).not.toMatch(/exc_type/)
})

asOwner('the menu of commands is on a small screen as a whole', async ({ page, site }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(site)
  const command = await commandOf(page, 'Open admin')
  await expect(command).toBeVisible()
  const place = async () => {
    const box = await page.getByRole('menu', { name: 'Copy as curl' }).boundingBox()
    return box === null ? null : { left: box.x >= 0, right: box.x + box.width <= 390 }
  }
  await expect.poll(place).toEqual({ left: true, right: true })
})

asOwner('buttons and dialogs of a site', async ({ page, product, site }) => {
  await page.goto(site)
  const admin = await copied(page, await commandOf(page, 'Open admin'))
  const output = await inShell(product.url, [admin], 'sites:write')
  expect(output).toMatch(/"url":"http/)

  // Nothing offers a command for what takes a site away, neither the menu nor the confirmation.
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Copy as curl' }).press('ArrowRight')
  await expect(page.getByRole('menu', { name: 'Copy as curl' }).getByText('Archive')).toHaveCount(0)
  await page.keyboard.press('ArrowLeft')
  await page.getByRole('menuitem', { name: /^Archive/ }).click()
  await expect(page.getByRole('alertdialog').getByRole('button')).toHaveText(['Cancel', 'Archive'])
  await page.keyboard.press('Escape')
  // The focus comes back a moment after the dialog is gone, and would close a menu that was opened meanwhile.
  await expect(page.getByRole('button', { name: 'More actions' })).toBeFocused()

  // Nor do dialogs that ask for something first: their commands are in the menu as well.
  const commands = {
    'Change PHP version': '"method":"set_php_version","args":{"php_version":"8.',
    'Transfer ownership': '"method":"set_owner","args":{"new_owner":"EMAIL"}',
  }
  for (const [action, call] of Object.entries(commands)) {
    expect(await copied(page, await commandOf(page, action))).toContain(call)
  }
  const openers = [
    async () => {
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: /^Change PHP version/ }).click()
    },
    async () => {
      await page.getByRole('button', { name: 'Share', exact: true }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Transfer ownership…' }).click()
    },
  ]
  for (const open of openers) {
    await open()
    await expect(page.getByRole('dialog').getByRole('button', { name: 'Cancel' })).toBeVisible()
    await expect(page.getByRole('dialog').getByRole('button', { name: 'More actions' })).toHaveCount(0)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
  }

  await page.getByRole('button', { name: 'Share', exact: true }).click()
  const dialog = page.getByRole('dialog')
  const share = await copied(
    page,
    await inMenu(page, dialog.getByRole('button', { name: 'More actions' }), 'Copy as curl'),
  )
  expect(share).toContain('"method":"share","args":{"user":"EMAIL","read":1,"write":0,"share":0}')
  await expect(dialog.getByText('Command copied')).toBeVisible()
})

asOwner('actions of a job in its drawer', async ({ page, site }) => {
  expect(site, 'there is a site').toBeTruthy()
  await page.route('**/api/resource/Job/*', async (route) => {
    const response = await route.fetch()
    const { data } = (await response.json()) as { data: Record<string, unknown> }
    await route.fulfill({ response, json: { data: { ...data, status: 'Failed' } } })
  })
  await page.goto(creationOfBlog)
  await page
    .getByRole('row')
    .filter({ hasText: `Create ${blog.title}` })
    .getByRole('link', { name: `Create ${blog.title}` })
    .click()
  const retry = await copied(
    page,
    await inMenu(
      page,
      page.getByRole('dialog').getByRole('button', { name: 'Actions for Retry' }),
      'Copy “Retry” as curl',
    ),
  )
  expect(retry).toContain('"dt":"Job"')
  expect(retry).toContain('"method":"retry","args":{}')
})

asOwner('a list on a phone', async ({ page, site }) => {
  expect(site, 'there is a site').toBeTruthy()
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/web/site')
  await expect(page.getByRole('listitem').filter({ hasText: blog.name }).first()).toBeVisible()
  expect(
    await copied(page, await inMenu(page, page.getByRole('button', { name: 'More actions' }), 'Copy as curl')),
  ).toContain('/api/resource/Site')
})
