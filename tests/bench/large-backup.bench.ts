/**
 * A WordPress site of 1 GB is backed up and proven while visitors come: memory of Easydash without its database and the sites' own
 * processes, whose memory has caps, and how much longer pages take. `EASYDASH_BENCH_SITE_MB` changes its size.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Job } from '#shared/doctypes/job.ts'
import type { SiteBackup } from '#shared/doctypes/site-backup.ts'
import type { Figure } from '../../scripts/bench-run.ts'
import { startProduct, type Product } from '#tests/e2e/support/harness.ts'
import {
  benchSettings,
  createWordPress,
  finished,
  median,
  siteAction,
  signUpOwner,
  timed,
  visit,
} from './bench-product.ts'
import { memoryParts } from './memory-parts.ts'

const siteMb = Number(process.env['EASYDASH_BENCH_SITE_MB'] ?? 1_000)
const fileMb = 0.5
const mebibyte = 1_048_576

/** Figures of one backup and its proof. */
export async function bench(): Promise<Figure[]> {
  const product = await startProduct({ env: { ...benchSettings } })
  try {
    const owner = await signUpOwner(product)
    const site = await createWordPress(owner, 'large')
    await addUploads(product, site)
    const db = owner.browser.app.db()
    const alone = await watch(product, () => delay(20_000))
    let made = ''
    const backup = await watch(product, async () => {
      const { name, job } = await siteAction<{ name: string; job: string }>(owner, site, 'backup')
      made = name
      await finished(owner.browser, job)
    })
    const proof = await watch(product, async () => {
      const [job] = await db.getDocList<Job>('Job', { filters: [['reference_name', '=', made]], fields: ['name'] })
      await finished(owner.browser, job?.name ?? '')
    })
    const { proof: verdict, proof_detail: why } = await db.getDoc<SiteBackup>('Site Backup', made)
    if (verdict !== 'Proven') throw new Error(`The backup is ${String(verdict)}: ${JSON.stringify(why)}`)
    return [
      { name: `backup of ${siteMb} MB`, value: backup.ms / 1000, unit: 's' },
      { name: 'its proof', value: proof.ms / 1000, unit: 's' },
      { name: 'memory before', value: alone.bytes / mebibyte, unit: 'MB' },
      {
        name: 'most memory during the backup, above that',
        value: (backup.bytes - alone.bytes) / mebibyte,
        unit: 'MB',
        limit: 300,
      },
      {
        name: 'most memory during the proof, above that',
        value: (proof.bytes - alone.bytes) / mebibyte,
        unit: 'MB',
        limit: 300,
      },
      { name: 'page before, median', value: alone.pageMs, unit: 'ms' },
      { name: 'page during the backup / before', value: backup.pageMs / alone.pageMs, unit: 'ratio', limit: 2 },
      { name: 'page during the proof / before', value: proof.pageMs / alone.pageMs, unit: 'ratio', limit: 2 },
    ]
  } finally {
    await product.close()
  }
}

/** Files that no compression makes smaller. */
async function addUploads({ dataDir }: Product, site: string): Promise<void> {
  const folder = join(dataDir, 'local', 'sites', site, 'www', 'wp-content', 'uploads', '2025')
  await mkdir(folder, { recursive: true })
  for (let at = 0; at < siteMb / fileMb; at += 1)
    await writeFile(join(folder, `photo-${at}.jpg`), randomBytes(fileMb * mebibyte))
}

/** What there was while something went on: how long it took, the most memory, and the median of the pages. */
async function watch(
  product: Product,
  work: () => Promise<unknown>,
): Promise<{ ms: number; bytes: number; pageMs: number }> {
  let [bytes, isOver] = [0, false]
  const pages: number[] = []
  const watching = async (): Promise<void> => {
    while (!isOver) {
      // A process may end while it is read.
      const parts = await memoryParts(product).catch(() => [])
      const own = parts.filter(({ command }) => !/site-process|postgres/.test(command))
      bytes = Math.max(
        bytes,
        own.reduce((sum, part) => sum + part.bytes, 0),
      )
      await delay(200)
    }
  }
  const visiting = async (): Promise<void> => {
    while (!isOver) {
      pages.push(await timed(() => visit(product, 'large', '/')))
      await delay(500)
    }
  }
  const others = [watching(), visiting()]
  let ms: number
  try {
    ms = await timed(work)
  } finally {
    isOver = true
    await Promise.all(others)
  }
  return { ms, bytes, pageMs: median(pages) }
}
