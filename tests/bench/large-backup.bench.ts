/**
 * A WordPress site of 1 GB is backed up and proven while visitors come: memory of Easydash without its database and the sites' own
 * processes, whose memory has caps, and how much longer pages take. `EASYDASH_BENCH_SITE_MB` changes its size.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Figure } from '../../scripts/bench-run.ts'
import { startProduct, type Product } from '#tests/e2e/support/harness.ts'
import {
  backedUp,
  benchSettings,
  createWordPress,
  median,
  repeat,
  signUpOwner,
  timed,
  visitHome,
  watchMemory,
} from './bench-product.ts'

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
    const alone = await watch(product, () => delay(20_000))
    const { backup, proof } = await backedUp(owner, site, (work) => watch(product, work))
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
  const pages: number[] = []
  const mostBytes = watchMemory(product, (command) => !/site-process|postgres/.test(command))
  const endVisits = repeat(async () => void pages.push(await timed(() => visitHome(product, 'large'))), 500)
  const end = () => Promise.all([mostBytes(), endVisits()])
  try {
    const ms = await timed(work)
    const [bytes] = await end()
    return { ms, bytes, pageMs: median(pages) }
  } finally {
    await Promise.allSettled([end()])
  }
}
