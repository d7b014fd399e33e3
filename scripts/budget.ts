/** Checks the JavaScript that a page requests before the first interaction against its budget (brotli, kB of 1000 bytes). */
import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { withImports, type BuildManifest } from '../server/wire/pages/build-manifest.ts'
import { root } from './node24.mjs'
import { SetupError } from './terminal.mjs'

const built = join(root, 'dist', 'web')

const publicPages = /^pages\/(?:login|signup|forgot-password|reset-password|verify-email|invitation|terms|sso)\//

/** The lazy chunks needed before the first interaction, and the maximum total size. */
const budgets = [
  { name: 'Public page', limit: 121, chunks: publicPages, mayBeEntry: true },
  { name: 'List page', limit: 280, chunks: /^pages\/(?:sites\/sites|users\/users)-page\./, mayBeEntry: false },
  { name: 'Signed-in shell', limit: 182, chunks: /^shell\/frame\/app-shell\./, mayBeEntry: false },
] as const

/**
 * Prints a line per budgeted page of the last build: the entry, the page's chunk and what both import statically.
 * @throws SetupError if one exceeds its budget, or if chunks import each other
 */
export async function checkBudgets(): Promise<void> {
  const manifest = JSON.parse(await readFile(join(built, '.vite', 'manifest.json'), 'utf8')) as BuildManifest
  const over: string[] = []
  for (const [key, weight, limit, name] of await weigh(manifest)) {
    process.stdout.write(`${weight.toFixed(1).padStart(7)} kB of ${limit}  ${name}: ${key}\n`)
    if (weight > limit) over.push(key)
  }
  if (over.length > 0) {
    throw new SetupError(
      `Over the budget: ${over.join(', ')}.`,
      'Load what the first view does not need when it is needed.',
    )
  }
  assertNoCycles(manifest)
}

/**
 * Two chunks that import each other run in an order that depends on which is requested first, so one finds the other's
 * exports undefined on some pages only.
 */
function assertNoCycles(manifest: BuildManifest): void {
  const circular = Object.keys(manifest).filter((key) => withImports(manifest, manifest[key]?.imports ?? []).has(key))
  if (circular.length === 0) return
  throw new SetupError(
    `These chunks import each other: ${circular.join(', ')}.`,
    'Move what both use to a file of its own, or to one group in vite.config.ts.',
  )
}

async function weigh(manifest: BuildManifest): Promise<[key: string, weight: number, limit: number, name: string][]> {
  const entry = Object.keys(manifest).filter((key) => manifest[key]?.isEntry)
  const lazy = Object.keys(manifest).filter((key) => manifest[key]?.isDynamicEntry)
  const rows: [string, number, number, string][] = []
  for (const { name, limit, chunks, mayBeEntry } of budgets) {
    const matching = lazy.filter((key) => chunks.test(key))
    if (matching.length === 0 && !mayBeEntry) {
      throw new SetupError(
        `${name}: no chunk matches ${chunks}.`,
        'Name its file in scripts/budget.ts and vite.config.ts.',
      )
    }
    // Pages without their own chunk are part of the entry and are counted there.
    for (const key of matching.length > 0 ? matching : ['index.html']) {
      rows.push([key, await weightOf(manifest, [...entry, key]), limit, name])
    }
  }
  return rows
}

/** The chunks and all their static imports, each once. */
async function weightOf(manifest: BuildManifest, wanted: Iterable<string>): Promise<number> {
  const sizes = await Promise.all([...withImports(manifest, wanted)].map((key) => sizeOf(manifest[key]?.file)))
  return sizes.reduce((sum, size) => sum + size, 0) / 1000
}

/** The compressed size if there is a compressed copy; the smallest files have none. */
async function sizeOf(file: string | undefined): Promise<number> {
  if (!file?.endsWith('.js')) return 0
  const path = join(built, file)
  return (await stat(existsSync(`${path}.br`) ? `${path}.br` : path)).size
}
