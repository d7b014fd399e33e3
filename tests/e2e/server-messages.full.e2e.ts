/**
 * Texts stored in English are shown in the user's language: outcomes of jobs, failure reasons of sites, a colleague's view
 * of them, and the rule behind a denial.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ignoreConsoleErrors } from './support/console-watch.ts'
import { asOwner, expect } from './support/harness-test.ts'
import { expectKnownTexts, inMadeUpLanguage, look, listNames, translated } from './support/made-up-language.ts'
import { call, createSite, siteTimeout } from './support/person.ts'

asOwner.afterEach('the catalogs contain every requested text', expectKnownTexts)

asOwner('stored messages are shown in the user’s language', async ({ page, context, product, problems }) => {
  asOwner.setTimeout(3 * siteTimeout)
  const name = 'pamphlet'
  await createSite(page, { name, kind: 'HTML' })
  const path = new URL(page.url()).pathname
  const id = path.split('/').at(-1) ?? ''
  const act = (method: string) =>
    call<{ job: string }>(page, 'run_doc_method', { dt: 'Site', dn: id, method, args: { confirm_name: name } }).then(
      ({ job }) => job,
    )
  const ended = (job: string) =>
    expect
      .poll(() => call<{ status: string }>(page, 'frappe.client.get', { doctype: 'Job', name: job }), {
        timeout: siteTimeout,
      })
      .toHaveProperty('status', expect.stringMatching(/^(?:Done|Failed)$/))

  // A restore that must fail, because the archive file was removed.
  await ended(await act('archive'))
  await rm(join(product.dataDir, 'local', 'sites', id, 'archive.tar.zst'))
  const failed = await act('restore_archive')
  await ended(failed)

  await context.addInitScript(inMadeUpLanguage)
  await page.goto(path)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  const data = [...(await listNames(page)), name]
  const found: string[] = []
  const note = async (what: string, localized: RegExp): Promise<void> => {
    await expect(page.getByText(localized).first(), what).toBeVisible()
    found.push(...(await look(page, what, data)))
  }
  const cause = translated('The archive of the site is missing.')
  const nextAction = translated('Delete the site permanently; its files can’t be restored.')

  await note('the page of a failed site', nextAction)
  await page.goto(`${path}?job=${failed}`)
  await note('its job', cause)
  await expect(page.getByRole('dialog').getByText(nextAction)).toBeVisible()
  await page.goto(`${path}#activities`)
  await note('its activities', /./)
  await page.goto('/web')
  await note('the dashboard', cause)
  await page.goto('/web/platform#jobs')
  await note('jobs of the platform', /./)
  await page.goto('/web/job')
  await note('jobs', /./)

  // What a user can't read, and why.
  ignoreConsoleErrors(problems, /status of 403.*\/api\/resource\/Site\//)
  await page.route(`**/api/resource/Site/${id}`, (route) =>
    route.fulfill({ status: 403, json: { exc_type: 'PermissionError' } }),
  )
  await page.goto(path)
  await page.getByRole('alert').locator('button.underline').click()
  await note('why', translated('You can {0}: {1}, and {2}.', '.*', '.*', '.*'))
  expect([...new Set(found)]).toEqual([])
})

asOwner('a canceled creation is shown in the user’s language', async ({ page, context }) => {
  const name = 'leporello'
  await context.addInitScript(inMadeUpLanguage)
  await page.goto('/web/site/create')
  await expect(page.locator('form input[name=domain]')).toBeVisible()
  const data = [...(await listNames(page)), name]
  await page.locator('form input[name=domain]').fill(name)
  await page.locator('form input[name=domain]').press('Enter')
  await expect(page).toHaveURL(/job=/)
  const job = new URL(page.url()).searchParams.get('job')
  await call(page, 'run_doc_method', { dt: 'Job', dn: job, method: 'cancel' })
  await expect(page.getByText(translated('the site was removed')).first()).toBeVisible({ timeout: siteTimeout })
  expect(await look(page, 'the list of sites', data)).toEqual([])
  await page.goto(`/web/site?job=${job}`)
  await expect(page.getByRole('dialog').getByText(translated('the site was removed'))).toBeVisible()
  expect(await look(page, 'the job', data)).toEqual([])
})
