/** Playwright's `test` with a running product: `import { test, expect } from './harness-test.ts'`. */
import { test as base } from '@playwright/test'
import type { Product } from './harness.ts'
import { startProduct } from './harness.ts'

export { expect } from '@playwright/test'

/**
 * `product` is started once per worker and stopped at its end; a file that restarts or breaks the product starts its
 * own with `startProduct`. Relative paths of `page.goto` are on the product.
 */
export const test = base.extend<object, { product: Product }>({
  product: [
    // Playwright reads the names of the fixtures a fixture needs from this pattern; none here.
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const product = await startProduct()
      await use(product)
      await product.close()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  baseURL: async ({ product }, use) => {
    await use(product.url)
  },
})
