/**
 * The dashboard and the pages of a site and a server: counts link to what they count, failures and sharing. By role and label
 * on the one site of the shared product.
 */
import type { Page } from '@playwright/test'
import { ada, asOwner, blog, expect } from './support/harness-test.ts'
import { expectValidLayout } from './support/looks.ts'

const widget = (page: Page, name: string) => page.getByRole('region', { name })

async function openDashboard(page: Page): Promise<void> {
  await page.goto('/web')
  await expect(page.getByRole('heading', { name: 'Dashboard', level: 1 })).toBeVisible()
}

/** Adds a second value to each count: charts are shown from two on, and the shared product has one site. */
async function addSecondValues(page: Page): Promise<void> {
  await page.route('**/easydash.api.documents.get_counts*', async (route) => {
    const response = await route.fetch()
    const queries = JSON.parse(new URL(route.request().url()).searchParams.get('queries') ?? '') as {
      group_by?: string
    }[]
    const { message } = (await response.json()) as { message: unknown[] }
    const counts = message.map((count, at) => {
      const field = queries[at]?.group_by
      return field && Array.isArray(count) ? [...(count as unknown[]), { [field]: 'Other', n: 1 }] : count
    })
    await route.fulfill({ response, json: { message: counts } })
  })
}

asOwner('a count links to the list of exactly what it counts', async ({ page, site }) => {
  expect(site, 'there is a site').toBeTruthy()
  await addSecondValues(page)
  await openDashboard(page)
  for (const name of ['Sites by provider', 'WordPress version', 'Site type', 'Servers by provider'])
    await expect(widget(page, name).getByRole('listitem').first()).toBeVisible()
  await expect(widget(page, 'Running servers').getByRole('link', { name: '1 of 2' })).toBeVisible()

  const bar = widget(page, 'Sites by provider').getByRole('link', { name: /^Custom/ })
  const counted = Number((await bar.innerText()).split(/\s/).at(-1))
  expect(counted).toBeGreaterThan(0)
  await bar.click()
  await expect(page).toHaveURL(/\/web\/site\?/)
  expect(new URL(page.url()).searchParams.get('cloud_provider')).toBe('["=","Custom"]')
  await expect(page.getByRole('row').filter({ hasText: blog.name })).toBeVisible()
  await expect(page.getByText(new RegExp(`of ${counted}$`))).toBeVisible()

  await openDashboard(page)
  await widget(page, 'Running servers').getByRole('link', { name: '1 of 2' }).click()
  await expect(page).toHaveURL(/\/web\/server\?/)
  await expect(page.getByRole('main').getByRole('table').getByRole('link').first()).toBeVisible()
})

asOwner('a widget that fails to load reports it, the others work, and Retry loads it', async ({ page, site }) => {
  expect(site, 'there is a site').toBeTruthy()
  await addSecondValues(page)
  let broken = true
  await page.route(/get_list.*site_type.*group_by/, (route) =>
    broken
      ? route.fulfill({ status: 417, contentType: 'application/json', body: '{"exc_type":"ValidationError"}' })
      : // Retry requests the count alone; two values, because charts are shown from two on.
        route.fulfill({
          json: {
            message: [
              { site_type: 'wp', n: 1 },
              { site_type: 'php', n: 1 },
            ],
          },
        }),
  )
  // A count that is denied in a batch is requested alone.
  await page.route('**/easydash.api.documents.get_counts*', async (route) => {
    if (!broken) return route.fallback()
    const response = await route.fetch()
    const queries = JSON.parse(new URL(route.request().url()).searchParams.get('queries') ?? '') as {
      group_by?: string
    }[]
    const { message } = (await response.json()) as { message: unknown[] }
    const counts = message.map((count, at) => {
      const field = queries[at]?.group_by
      if (field === 'site_type') return null
      return field && Array.isArray(count) ? [...(count as unknown[]), { [field]: 'Other', n: 1 }] : count
    })
    await route.fulfill({ response, json: { message: counts } })
  })
  await openDashboard(page)
  const siteTypes = widget(page, 'Site type')
  await expect(siteTypes.getByText('Counts did not load')).toBeVisible()
  await expect(widget(page, 'WordPress version').getByRole('link').first()).toBeVisible()
  // Held until the click: the widget also reads again by itself, and the button would be gone.
  const clicked = Promise.withResolvers<void>()
  await page.route(/get_list|get_counts/, (route) => clicked.promise.then(() => route.fallback()))
  broken = false
  await siteTypes.getByRole('button', { name: 'Retry' }).click()
  clicked.resolve()
  await expect(siteTypes.getByRole('link').first()).toBeVisible()
})

asOwner('a site’s page shows who can see it; rejected changes are rolled back', async ({ page, site }) => {
  const kim = { name: 'kim@fernhill.example', full_name: 'Kim Field' }
  // A user to share with, and a denial by the server; successful shares are tested with the rules.
  await page.route(/get_list.*doctype=User(?:&|$)/, async (route) => {
    const response = await route.fetch()
    const { message } = (await response.json()) as { message: object[] }
    await route.fulfill({ response, json: { message: [...message, kim] } })
  })
  await page.goto(site)
  await page.getByRole('button', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog', { name: `Share ${blog.title}` })
  await expect(dialog.getByText(`${ada.firstName} ${ada.lastName}`)).toBeVisible()
  await expect(dialog.getByText('Not shared yet.')).toBeVisible()
  await dialog.getByLabel('Add a member').fill('nobody like that')
  await expect(dialog.getByText('No matching members.')).toBeVisible()
  await dialog.getByLabel('Add a member').fill('kIM')
  await dialog.getByRole('option', { name: /Kim Field/ }).click()
  await expect(page.getByText('Access was not changed', { exact: true })).toBeVisible()
  await expect(dialog.getByText('Not shared yet.')).toBeVisible()
  await expectValidLayout(page)
})
