/**
 * `npm start` from a fresh clone with its packages installed, then a second start, then the memory of the whole process tree
 * with three sleeping sites. The product's limits (20 s, 5 s, 350 MB) assume an idle machine, so they are only reported
 * here.
 */
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Figure } from '../../scripts/bench-run.ts'
import { startProduct, type Product } from '#tests/e2e/support/harness.ts'
import { memoryParts } from './memory-parts.ts'
import { allAsleep, benchSettings, createWordPress, signUpOwner, timed } from './bench-product.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..')
const mb = 1024 * 1024
const cacheDir = join(root, 'node_modules', '.cache', 'easydash')

/** Figures of two starts, a stop, and memory (PSS, Linux only; without npm's own process). */
export async function bench(): Promise<Figure[]> {
  const clone = await freshClone()
  let product: Product | undefined
  try {
    const first = await timed(async () => {
      product = await startProduct({ root: clone, env: { ...benchSettings, EASYDASH_CACHE_DIR: cacheDir } })
    })
    if (product === undefined) throw new Error('The product did not start.')
    const running: Product = product
    const owner = await signUpOwner(running)
    for (const name of ['one', 'two', 'three']) await createWordPress(owner, name)
    const stopped = await timed(() => running.stop())
    const later = await timed(() => running.restart())
    await allAsleep(running)
    const memory = process.platform === 'linux' ? await idleMemory(running) : []
    return [
      { name: 'first start, with the web build', value: first / 1000, unit: 's (20)' },
      { name: 'later start', value: later / 1000, unit: 's (5)' },
      { name: 'stop', value: stopped / 1000, unit: 's (10)' },
      { name: 'later start / first start', value: later / first, unit: 'ratio', limit: 0.8 },
      ...memory,
    ]
  } finally {
    await product?.close()
    await rm(clone, { recursive: true, force: true })
  }
}

/** The tracked files in their current state in a new folder, with the packages installed here. */
async function freshClone(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'easydash-clone-'))
  const { stdout } = await run('git', ['ls-files', '-z'], { cwd: root, maxBuffer: 16 * mb })
  for (const path of stdout.split('\0').filter(Boolean)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    // Skips files that are deleted but not committed yet.
    await cp(join(root, path), join(folder, path)).catch(ignoreMissing)
  }
  // No link: the processes of sites may read the product's folder, and nothing outside of it.
  const packages = join(root, 'node_modules')
  await cp(packages, join(folder, 'node_modules'), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !path.startsWith(join(packages, '.cache')),
  })
  return folder
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
}

/** Proportional set size of server, database and sites once it is stable (two readings within 2 %). */
async function idleMemory(product: Product): Promise<Figure[]> {
  let before = Number.POSITIVE_INFINITY
  for (;;) {
    const parts = await memoryParts(product)
    const all = parts.reduce((sum, { bytes }) => sum + bytes, 0)
    if (Math.abs(all - before) < all * 0.02) {
      const database = parts.filter(({ command }) => command.includes('postgres'))
      const ofDatabase = database.reduce((sum, { bytes }) => sum + bytes, 0)
      return [
        { name: 'idle memory, 3 sleeping sites', value: all / mb, unit: 'MB PSS (350)' },
        { name: 'of that the server', value: (all - ofDatabase) / mb, unit: 'MB PSS' },
        { name: 'of that the database', value: ofDatabase / mb, unit: 'MB PSS' },
      ]
    }
    before = all
    await delay(3000)
  }
}
