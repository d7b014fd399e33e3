/** Removes what stories leave behind, so that they can run in any order. */
import { expect, type Browser, type BrowserContext, type Page } from '@playwright/test'
import { call, siteTimeout } from './person.ts'

interface LeftSite {
  name: string
  domain: string
  status: string
  locked_by_job: string | null
}

/**
 * Deletes every site of the signed-in user's organization except `kept`: the plan has room for three, and a story that
 * creates one must not find it full.
 */
export async function deleteOtherSites(
  browser: Browser,
  options: { baseURL: string; storageState: Awaited<ReturnType<BrowserContext['storageState']>> },
  kept: string,
): Promise<void> {
  const context = await browser.newContext(options)
  try {
    const sites = (await readSites(context)).filter(({ domain }) => domain !== kept)
    if (sites.length === 0) return
    const page = await context.newPage()
    await page.goto('/web/job')
    for (const { name } of sites) await deleteSite(page, name)
  } finally {
    await context.close()
  }
}

async function readSites(context: BrowserContext): Promise<LeftSite[]> {
  const fields = JSON.stringify(['name', 'domain', 'status', 'locked_by_job'])
  const response = await context.request.get(`/api/resource/Site?limit_page_length=0&fields=${fields}`)
  if (!response.ok()) throw new Error(`The sites could not be read: ${await response.text()}`)
  return ((await response.json()) as { data: LeftSite[] }).data
}

/** A site is archived first, unless it failed. */
async function deleteSite(page: Page, name: string): Promise<void> {
  const unlocked = async (): Promise<LeftSite | null> => {
    let found: LeftSite | undefined
    await expect
      .poll(
        async () => {
          found = (await readSites(page.context())).find((site) => site.name === name)
          return found?.locked_by_job ?? null
        },
        { timeout: siteTimeout },
      )
      .toBeNull()
    return found ?? null
  }
  for (const method of ['archive', 'delete_permanently']) {
    const site = await unlocked()
    if (site === null) return
    if (method === 'archive' && (site.status === 'Archived' || site.status === 'Failed')) continue
    await call(page, 'run_doc_method', { dt: 'Site', dn: name, method, args: { confirm_name: site.domain } })
  }
  expect(await unlocked()).toBeNull()
}
