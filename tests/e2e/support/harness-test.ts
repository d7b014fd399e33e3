/** Playwright's `test` with a running product: `import { test, expect } from './harness-test.ts'`. */
import type { BrowserContext } from '@playwright/test'
import { companionSettings, passwords, secretSettings } from './leak-markers.ts'
import { deleteOtherSites } from './cleanup.ts'
import { watchedTest } from './console-watch.ts'
import type { Product } from './harness.ts'
import { startProduct } from './harness.ts'
import { call, createFirstAccount, createOrganization, createSite, type Person } from './person.ts'
import { assertNoLeaks } from './leaks.ts'
import { recordResponses, type Recording } from './recording.ts'

export { expect } from '@playwright/test'

/** Cookies and storage of a browser. */
export type BrowserState = Awaited<ReturnType<BrowserContext['storageState']>>

/** The first account of the shared product. */
export const ada: Person = {
  firstName: 'Ada',
  lastName: 'Berg',
  email: 'ada@fernhill.example',
  password: passwords.owner,
}

/** Its organization. */
export const organization = { title: 'Fernhill Web', slug: 'fernhill-web' } as const

/** Name and title of the first WordPress, and of a post on it. */
export const blog = { name: 'blog', title: 'Fernhill Journal', post: 'Hello from my own machine' } as const

/** The list of jobs with the creation of `blog`, whatever other stories did with it since. */
export const creationOfBlog = `/web/job?q=${encodeURIComponent(`Create ${blog.title}`)}`

/** The activity of a site's page with its creation alone, whatever other stories did with it since. */
export const creationIn = (site: string) => `${site}?action=${encodeURIComponent('"site.create"')}#activities`

interface Shared {
  product: Product
  /** All responses of the product to browsers so far. */
  recording: Recording
  /** The last browser state signed in as `ada`, with her organization. */
  account: { state: BrowserState }
  /** Path of the page of her Live WordPress. */
  site: string
}

interface OfStory {
  /**
   * A browser state in which `ada` has just signed in: what needs her password of the last ten minutes asks for it in no
   * story, however long the worker runs already. The session of the story before ends.
   */
  owner: BrowserState
}

/**
 * `product` is started once per worker and stopped at its end, and includes the remaining terminal output. The stories of a
 * worker share it, in any order; the first that needs them creates the account and the site. Relative paths of `page.goto`
 * refer to the product. Every page is watched (`console-watch.ts`), and at the end everything is searched for secrets.
 */
export const test = watchedTest.extend<OfStory, Shared>({
  // Playwright reads the names of required fixtures from this pattern; there are none here.
  // oxlint-disable-next-line no-empty-pattern
  product: [async ({}, use) => newProduct(use), { scope: 'worker', timeout: 240_000 }],
  recording: [
    async ({ product }, use) => {
      const recording = recordResponses(product.url)
      await use(recording)
      await assertNoLeaks(product, recording)
    },
    { scope: 'worker', timeout: 240_000 },
  ],
  account: [
    async ({ product, recording, browser }, use) => {
      const context = await browser.newContext({ baseURL: product.url })
      recording.follow(context)
      await use({ state: await firstAccount(context, product) })
    },
    { scope: 'worker', timeout: 240_000 },
  ],
  owner: async ({ account, product, browser }, use) => {
    const { cookies, origins } = account.state
    const context = await browser.newContext({ baseURL: product.url, storageState: { cookies, origins: [] } })
    account.state = { cookies: await logInAgain(context, ada), origins }
    await use(account.state)
  },
  site: [
    async ({ product, recording, account, browser }, use) => {
      const context = await browser.newContext({ baseURL: product.url, storageState: account.state })
      recording.follow(context)
      await use(await firstSite(context))
    },
    { scope: 'worker', timeout: 240_000 },
  ],
  baseURL: async ({ product }, use) => {
    await use(product.url)
  },
  problems: async ({ problems, context, recording }, use) => {
    recording.follow(context)
    await use(problems)
    await recording.settled()
  },
})

/** `test` on a product of its own, which nobody has used, with two web processes, as where there are four processors. */
export const ownTest = test.extend<object, Pick<Shared, 'product'>>({
  // oxlint-disable-next-line no-empty-pattern
  product: [async ({}, use) => newProduct(use, { EASYDASH_WEB_PROCESSES: '2' }), { scope: 'worker', timeout: 240_000 }],
})

async function newProduct(use: (product: Product) => Promise<void>, env: Record<string, string> = {}): Promise<void> {
  const product = await startProduct({ env: { ...secretSettings, ...companionSettings, ...env } })
  await use(product)
  await product.close()
}

/** `test` in a browser signed in as `ada`. Sites it created are deleted at its end. */
export const asOwner = test.extend<{ cleanup: void }>({
  storageState: async ({ owner }, use) => {
    await use(owner)
  },
  cleanup: [
    async ({ browser, account, product }, use) => {
      await use()
      await deleteOtherSites(browser, { baseURL: product.url, storageState: account.state }, blog.name)
    },
    { auto: true, timeout: 240_000 },
  ],
})

/** Signs in anew in a context, which is closed; returns its cookies. */
async function logInAgain(context: BrowserContext, { email, password }: Person): Promise<BrowserState['cookies']> {
  const response = await context.request.post('/api/method/login', { data: { usr: email, pwd: password } })
  if (!response.ok()) throw new Error(`${email} could not log in: ${await response.text()}`)
  const cookies = await context.cookies()
  await context.close()
  return cookies
}

/** Without room for another server there would be no form to create one. */
export const ownLimits = { server: 2 } as const

async function firstAccount(context: BrowserContext, product: Product): Promise<BrowserState> {
  const page = await context.newPage()
  if (product.setupLink === null) throw new Error('The product printed no setup link.')
  await createFirstAccount(page, product.setupLink, ada)
  await createOrganization(page, organization.title)
  const settings = { doctype: 'Platform Settings', name: 'platform' }
  await call(page, 'frappe.client.set_value', { ...settings, fieldname: 'plans_enabled', value: 1 })
  await call(page, 'easydash.api.platform.set_limits', { organization: organization.slug, ...ownLimits })
  const state = await context.storageState()
  await context.close()
  return state
}

async function firstSite(context: BrowserContext): Promise<string> {
  const page = await context.newPage()
  await createSite(page, blog)
  const path = new URL(page.url()).pathname
  await context.close()
  return path
}

/** Options of stories that see the animations, without which dialogs, menus and drawers close at once. */
export const withMotion = { contextOptions: { reducedMotion: 'no-preference' } } as const
