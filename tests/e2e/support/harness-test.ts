/** Playwright's `test` with a running product: `import { test, expect } from './harness-test.ts'`. */
import type { BrowserContext } from '@playwright/test'
import { companionSettings, passwords, secretSettings } from './leak-markers.ts'
import { watchedTest } from './console-watch.ts'
import type { Product } from './harness.ts'
import { startProduct } from './harness.ts'
import { createFirstAccount, createOrganization, createSite, type Person } from './person.ts'
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

/** Name and title of the shared product's first WordPress, and of the post that the first story publishes. */
export const blog = { name: 'blog', title: 'Fernhill Journal', post: 'Hello from my own machine' } as const

/** State of the shared product so far; null if not created yet. */
interface World {
  owner: BrowserState | null
  site: string | null
}

interface Shared {
  product: Product
  world: World
  /** All responses of the product to browsers so far. */
  recording: Recording
  /** A browser state signed in as `ada`, with her organization. */
  owner: BrowserState
  /** Path of the page of her Live WordPress. */
  site: string
}

/**
 * `product` is started once per worker and stopped at its end, and includes the remaining terminal output. All stories share
 * it: `a-first-site` is first in alphabetical order and stores its account and site in `world`; for a story that runs alone,
 * the fixtures create both. Relative paths of `page.goto` refer to the product. Every page is watched (`console-watch.ts`).
 */
export const test = watchedTest.extend<object, Shared>({
  product: [
    // Playwright reads the names of required fixtures from this pattern; there are none here.
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const product = await startProduct({ env: { ...secretSettings, ...companionSettings } })
      await use(product)
      await product.close()
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  world: [
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      await use({ owner: null, site: null })
    },
    { scope: 'worker' },
  ],
  recording: [
    async ({ product }, use) => {
      await use(recordResponses(product.url))
    },
    { scope: 'worker' },
  ],
  owner: [
    async ({ product, world, recording, browser }, use) => {
      if (world.owner === null) {
        const context = await browser.newContext({ baseURL: product.url })
        recording.follow(context)
        world.owner = await firstAccount(context, product)
      }
      await use(world.owner)
    },
    { scope: 'worker', timeout: 90_000 },
  ],
  site: [
    async ({ product, world, recording, owner, browser }, use) => {
      if (world.site === null) {
        const context = await browser.newContext({ baseURL: product.url, storageState: owner })
        recording.follow(context)
        world.site = await firstSite(context)
      }
      await use(world.site)
    },
    { scope: 'worker', timeout: 150_000 },
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

/** `test` in a browser signed in as `ada`. */
export const asOwner = test.extend<object>({
  storageState: async ({ owner }, use) => {
    await use(owner)
  },
})

async function firstAccount(context: BrowserContext, product: Product): Promise<BrowserState> {
  const page = await context.newPage()
  if (product.setupLink === null) throw new Error('The product printed no setup link.')
  await createFirstAccount(page, product.setupLink, ada)
  await createOrganization(page, organization.title)
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
