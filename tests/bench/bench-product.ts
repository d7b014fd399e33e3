/** A running product for benchmarks: signed in over HTTP, without a browser that would use the machine's cores. */
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Job } from '#shared/doctypes/job.ts'
import type { Server } from '#shared/doctypes/server.ts'
import type { SiteBackup } from '#shared/doctypes/site-backup.ts'
import type { Site } from '#shared/doctypes/site.ts'
import type { Product } from '#tests/e2e/support/harness.ts'
import { createBrowser, type Browser } from '#tests/wire/browser.ts'
import { memoryParts } from './memory-parts.ts'

/** Turns off what benchmarks do not measure: the rate limit, and thumbnails in the background. */
export const benchSettings = {
  EASYDASH_THUMBNAILS: 'off',
  EASYDASH_RATE_LIMITS: JSON.stringify({ api_user: { limit: 1_000_000, seconds: 60 } }),
} as const

/** The owner of a new installation. */
export interface BenchOwner {
  browser: Browser
  /** Id of "This machine". */
  server: string
}

/** Creates the first account and its organization `bench`. */
export async function signUpOwner(product: Product): Promise<BenchOwner> {
  const browser = createBrowser(product.url)
  await browser.loadPage('/web/signup')
  await browser.app.call().post('easydash.api.account.sign_up', {
    first_name: 'Bench',
    last_name: 'Owner',
    email: 'owner@bench.example',
    password: 'tulip-brass-91-walnut-fjord',
    termsAndCondition: true,
    accept_newsletter: false,
    setup_token: new URL(product.setupLink ?? '').searchParams.get('setup'),
  })
  await browser.loadPage()
  await browser.app.db().createDoc('Organization', { title: 'Bench', slug: 'bench' })
  await browser.loadPage()
  const [server] = await browser.app.db().getDocList<Server>('Server', { fields: ['name'] })
  if (!server) throw new Error('The organization has no server.')
  return { browser, server: server.name }
}

/** Creates a WordPress site; resolves with its id when it is Live. */
export const createWordPress = (owner: BenchOwner, domain: string): Promise<string> => createSite(owner, domain, 'wp')

/** The same for a site of any type. */
export async function createSite(
  { browser, server }: BenchOwner,
  domain: string,
  site_type: 'wp' | 'php',
): Promise<string> {
  const values: Partial<Site> = {
    organization: 'bench',
    domain,
    server,
    site_type,
    title: `Site ${domain}`,
    ...(site_type === 'wp' ? { admin_user: 'owner', admin_email: 'owner@bench.example' } : {}),
  }
  const site = await browser.app.db().createDoc<Partial<Site> & { job?: string }>('Site', values)
  await finished(browser, site.job ?? '')
  return site.name
}

/** Deletes a site permanently. */
export async function deleteSite(owner: BenchOwner, name: string): Promise<void> {
  const { browser } = owner
  for (const method of ['archive', 'delete_permanently']) {
    const { domain } = await browser.app.db().getDoc<{ domain: string }>('Site', name)
    const { job } = await siteAction<{ job: string }>(owner, name, method, { confirm_name: domain })
    await finished(browser, job)
  }
}

/** Runs an action of a site; resolves with its response. */
export async function siteAction<T>(
  { browser }: BenchOwner,
  dn: string,
  method: string,
  args: object = {},
): Promise<T> {
  const call = { dt: 'Site', dn, method, args: JSON.stringify(args) }
  return (await browser.app.call().post<{ message: T }>('run_doc_method', call)).message
}

/** Waits for a job to finish, polling every 25 ms. */
export async function finished(browser: Browser, name: string): Promise<void> {
  for (;;) {
    const job = await browser.app.db().getDoc<Job>('Job', name)
    if (job.status === 'Done') return
    if (job.status === 'Failed' || job.status === 'Cancelled') {
      throw new Error(`${job.label}: ${job.status}. ${job.error_message ?? ''}`)
    }
    await delay(25)
  }
}

/** A backup and its proof, which begins when the backup has ended, each as measured. Fails unless it is Proven. */
export async function backedUp<T>(
  owner: BenchOwner,
  site: string,
  measure: (work: () => Promise<void>) => Promise<T>,
): Promise<{ backup: T; proof: T; made: SiteBackup }> {
  const db = owner.browser.app.db()
  let name = ''
  const backup = await measure(async () => {
    const begun = await siteAction<{ name: string; job: string }>(owner, site, 'backup')
    ;({ name } = begun)
    await finished(owner.browser, begun.job)
  })
  const proof = await measure(async () => {
    const [job] = await db.getDocList<Job>('Job', { filters: [['reference_name', '=', name]], fields: ['name'] })
    await finished(owner.browser, job?.name ?? '')
  })
  const made = await db.getDoc<SiteBackup>('Site Backup', name)
  if (made.proof !== 'Proven')
    throw new Error(`The backup is ${String(made.proof)}: ${JSON.stringify(made.proof_detail)}`)
  return { backup, proof, made }
}

/** One keep-alive connection, like a browser's. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 })

/** The complete response of a site on this machine, independent of DNS. */
export async function visit(product: Product, domain: string, path: string): Promise<{ status: number; body: Buffer }> {
  return await new Promise((resolve, reject) => {
    const sent = request(
      { agent, host: '127.0.0.1', port: product.port, path, headers: { host: `${domain}.localhost:${product.port}` } },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.once('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }))
        response.once('error', reject)
      },
    )
    sent.once('error', reject).end()
  })
}

/** The homepage of a WordPress site made here. Fails if something else answers. */
export async function visitHome(product: Product, domain: string): Promise<void> {
  const { status, body } = await visit(product, domain, '/')
  if (status !== 200 || !body.includes(`Site ${domain}`)) throw new Error(`The page answered ${status}.`)
}

/** Does something again and again until the result is called, which fails if that did. */
export function repeat(work: () => Promise<unknown>, everyMs = 200): () => Promise<void> {
  let isOver = false
  const working = (async () => {
    while (!isOver) {
      await work()
      await delay(everyMs)
    }
  })()
  working.catch(() => undefined)
  return () => {
    isOver = true
    return working
  }
}

/** Reads the memory of processes until the result is called, which has the most that all of them had, in bytes. */
export function watchMemory(product: Product, isMeant: (command: string) => boolean): () => Promise<number> {
  let most = 0
  const end = repeat(async () => {
    // A process may end while it is read.
    const parts = (await memoryParts(product).catch(() => [])).filter(({ command }) => isMeant(command))
    most = Math.max(
      most,
      parts.reduce((sum, { bytes }) => sum + bytes, 0),
    )
  })
  return async () => {
    await end()
    if (most === 0) throw new Error('The memory of no process could be read.')
    return most
  }
}

/** Duration of the work in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** The median. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** The lower quartile, used for ratios: slower runs are those interrupted by other load. */
export function lowerQuartile(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 4)] ?? Number.NaN
}

/** Waits until no site of the product has a process. */
export async function allAsleep(product: Product): Promise<void> {
  while ((await product.processes()).some(({ command }) => command.includes('site-process'))) await delay(100)
}
