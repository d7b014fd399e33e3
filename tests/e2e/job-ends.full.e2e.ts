/** Several tabs of one user at the end of a job: each tells it, once. */
import type { Page } from '@playwright/test'
import { asOwner, expect } from './support/harness-test.ts'
import { call, siteTimeout } from './support/person.ts'

asOwner.describe.configure({ timeout: 4 * siteTimeout })

/** Opens a page with its tray. Ends only after the tab has read which jobs ended before, which it doesn't tell. */
async function openWithTray(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await expect
    .poll(() => page.evaluate<string>('Object.keys(sessionStorage).join()'), {
      message: 'the ends of before are known',
    })
    .toContain('easydash:told:')
  await page.getByRole('button', { name: /^Jobs/ }).click()
  await expect(tray(page)).toBeVisible()
}

const tray = (page: Page) => page.getByRole('dialog', { name: 'Jobs' })
/** What the tab told of ends, newest first. A toast leaves the screen after a while, the tray keeps it. */
const told = (page: Page) => tray(page).getByText(/^Create .*: /)

asOwner('the end of a job is told once in every tab, and not again after a reload', async ({ page, site }) => {
  expect(site, 'there is a server').toBeTruthy()
  const other = await page.context().newPage()
  const reloaded = await page.context().newPage()
  await openWithTray(page, '/web/site')
  await openWithTray(other, '/web/user')
  await openWithTray(reloaded, '/web/server')

  const [server] = await call<[{ name: string }]>(page, 'frappe.client.get_list', { doctype: 'Server' })
  const create = (domain: string) =>
    call(page, 'frappe.client.insert', { doc: { doctype: 'Site', domain, site_type: 'html', server: server.name } })
  const first = 'Create ends-one: done'
  await create('ends-one')
  for (const tab of [page, other, reloaded]) await expect(told(tab)).toHaveText([first], { timeout: siteTimeout })

  // A reloaded tab has an empty tray. If anything were told twice, it would be before the end of the next job is told.
  await openWithTray(reloaded, '/web/server')
  await create('ends-two')
  const second = 'Create ends-two: done'
  for (const tab of [page, other, reloaded])
    await expect(told(tab).filter({ hasText: second })).not.toHaveCount(0, { timeout: siteTimeout })
  for (const tab of [page, other]) await expect(told(tab)).toHaveText([second, first])
  await expect(told(reloaded)).toHaveText([second])
})
