/** Names of a site: aliases that redirect or serve, and another primary domain with the addresses in the database. */
import { fetchFrom } from '#server/engines/local/engine-fixture.ts'
import { asOwner, expect } from './support/harness-test.ts'
import { expectValidLayout } from './support/looks.ts'
import { createSite, siteStatus, siteTimeout } from './support/person.ts'
import { tooWide } from './support/screen-sizes.ts'

asOwner.describe.configure({ timeout: 4 * siteTimeout })
asOwner.use({ actionTimeout: siteTimeout })

asOwner('aliases redirect or serve, and the primary domain changes with all addresses', async ({ page, product }) => {
  const { port } = product
  const longName = `${'a-very-long-part-of-a-name.'.repeat(6)}example`
  const visit = (host: string, path = '/') => fetchFrom(port, `${host}:${port}`, path)
  await createSite(page, { name: 'press', title: 'The press' })
  const address = new URL(page.url())
  await page.goto(`${address.origin}${address.pathname}#configurations`)
  const card = page.getByRole('region', { name: 'Domains' })
  const field = card.getByRole('textbox', { name: 'Alias' })
  const add = async (name: string, mode?: string): Promise<void> => {
    await field.fill(name)
    if (mode) await card.getByLabel('Visitors', { exact: true }).selectOption({ label: mode })
    await card.getByRole('button', { name: 'Add alias' }).click()
  }

  await add('localhost.')
  await expect(card.getByRole('alert')).toBeVisible()
  await add('https://www.press.example/')
  const mode = card.getByLabel(`Visitors of www.press.example:${port}`)
  await expect(mode).toHaveValue('redirect')
  // The name is taken first, and the site gets it then.
  await expect.poll(async () => (await visit('www.press.example')).status).toBe(301)
  expect(await visit('www.press.example', '/a?b=c')).toMatchObject({
    status: 301,
    headers: { location: `http://press.localhost:${port}/a?b=c` },
  })
  await mode.selectOption('serve')
  await expect.poll(async () => (await visit('www.press.example')).status).toBe(200)
  // WordPress takes the alias for its address, and does not send visitors away from it.
  expect((await visit('www.press.example')).body).toContain(`http://www.press.example:${port}/`)
  expect((await visit('www.press.example', '/?p=1')).headers.location).toContain(`http://www.press.example:${port}/`)
  expect((await visit('press.localhost')).body).not.toContain('www.press.example')

  await add('press')
  await expect(card.getByText(/is the primary domain of this site/)).toBeVisible()
  await add(longName, 'Redirect')
  await expect(card.getByText(`${longName}:${port}`)).toBeVisible()
  for (const width of [768, 390]) {
    await page.setViewportSize({ width, height: 900 })
    expect(await tooWide(page)).toEqual([])
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  await card.getByRole('button', { name: `Remove ${longName}:${port}` }).click()
  await expect(card.getByText(`${longName}:${port}`)).toBeHidden()
  await page
    .getByRole('listitem')
    .filter({ hasText: `${longName}:${port} was removed` })
    .getByRole('button', { name: 'Undo' })
    .click()
  await expect(card.getByText(`${longName}:${port}`)).toBeVisible()

  await card.getByRole('button', { name: 'Change…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Change the primary domain' })
  await dialog.getByLabel(/New primary domain/).fill('press')
  await dialog.getByRole('button', { name: 'Show what changes' }).click()
  await expect(dialog.getByText(/is the primary domain of this site/)).toBeVisible()
  await dialog.getByLabel(/New primary domain/).fill('gazette')
  await dialog.getByRole('button', { name: 'Show what changes' }).click()
  await expect(dialog.getByText(/addresses are replaced/)).toBeVisible()
  await expect(dialog.getByRole('row', { name: /^wp_posts/ })).toBeVisible()
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await tooWide(page)).toEqual([])
  await expectValidLayout(page)
  await dialog.getByRole('button', { name: 'Change domain' }).click()
  const drawer = page.getByRole('dialog')
  await expect(drawer.getByText('Done', { exact: true }).first()).toBeVisible({ timeout: siteTimeout })
  await drawer.getByRole('button', { name: 'Close' }).last().click()
  await expect(siteStatus(page, 'Live')).toBeVisible()

  await expect(card.getByText(`gazette.localhost:${port}`)).toBeVisible()
  const home = await visit('gazette.localhost')
  expect(home.status).toBe(200)
  expect(home.body).toContain('The press')
  expect(home.body).not.toContain('press.localhost')
  expect(await visit('press.localhost', '/x')).toMatchObject({
    status: 301,
    headers: { location: `http://gazette.localhost:${port}/x` },
  })
  await card.getByRole('button', { name: `Remove press.localhost:${port}` }).click()
  await expect.poll(async () => (await visit('press.localhost')).status).toBe(404)
  // "Open admin" knows the new name.
  const popup = page.waitForEvent('popup')
  await page.getByRole('button', { name: 'Open admin' }).first().click()
  const admin = await popup
  await expect(admin.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible()
  expect(new URL(admin.url()).hostname).toBe('gazette.localhost')
  await admin.close()
})
