/** Stories in `npm run demo`, whose providers are simulated and whose machines answer by SSH. */
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { removePostgres } from '#server/platform/postgres/postgres.ts'
import { startProduct, type Product } from './harness.ts'

/** `simulators.json` of the demo, as far as stories need it. */
export interface Simulators {
  readonly hetzner: { readonly url: string; readonly token: string }
  readonly digitalocean: { readonly url: string }
  readonly aws: { readonly url: string }
}

/** Runs a story in a demo of its own. */
export async function withDemo(
  page: Page,
  work: (product: Product, simulators: Simulators) => Promise<void>,
): Promise<void> {
  // Another story may have the port of stock clients.
  const product = await startProduct({ script: 'demo', env: { SOCKETIO_PORT: '0' } })
  const folder = join(import.meta.dirname, '../../..', 'demo-data', String(product.port))
  try {
    await work(product, JSON.parse(await readFile(join(folder, 'simulators.json'), 'utf8')) as Simulators)
    // Its socket would miss the product.
    await page.goto('about:blank')
  } finally {
    await product.close()
    await removePostgres(folder)
    await rm(folder, { recursive: true, force: true })
  }
}

/** Logs in as the owner of the demo's first organization, or as somebody else of it. */
export async function logInToDemo(page: Page, url: string, email = 'owner@acme.example'): Promise<void> {
  await page.goto(`${url}/web/login`)
  await page.getByLabel('Email').fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill('Correct-Horse-42!')
  await page.getByRole('button', { name: 'Log in' }).click()
  await expect(page).not.toHaveURL(/login/)
}
