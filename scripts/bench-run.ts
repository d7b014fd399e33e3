/** Runs the benchmarks and prints their results. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './node24.mjs'
import { seconds } from './terminal.mjs'

/** One result of a benchmark. */
export interface Figure {
  name: string
  /** In `unit`. */
  value: number
  /** `ms`, `MB`, `ratio` … A ratio compares with a baseline of the same run, so it applies to every machine. */
  unit: string
  /** Maximum value; figures without a limit are only displayed. */
  limit?: number
}

/** A file `tests/bench/*.bench.ts` exports `bench`; its processes and folders must be gone when it resolves. */
export interface Benchmark {
  bench: () => Promise<Figure[]>
}

const folder = join(root, 'tests', 'bench')

/**
 * Runs the benchmarks one at a time, so that they don't affect each other. Names on the command line select: `npm run bench
 * -- site-create`.
 * @returns whether every figure is within its limit
 */
export async function runBenchmarks(names: readonly string[]): Promise<boolean> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.bench.ts')).sort()
  const chosen = files.filter((file) => names.length === 0 || names.some((name) => file.startsWith(name)))
  const over: string[] = []
  for (const file of chosen) {
    const started = performance.now()
    const { bench } = (await import(pathToFileURL(join(folder, file)).href)) as Benchmark
    const figures = await bench()
    process.stdout.write(`\n${file.replace('.bench.ts', '')} (${seconds(performance.now() - started)})\n`)
    for (const { name, value, unit, limit } of figures) {
      const verdict = limit === undefined ? '' : value <= limit ? `  ✓ ≤ ${limit}` : `  ✗ > ${limit}`
      process.stdout.write(`  ${name.padEnd(44)} ${rounded(value).padStart(10)} ${unit}${verdict}\n`)
      if (limit !== undefined && value > limit) over.push(name)
    }
  }
  process.stdout.write(`\n${chosen.length} benchmarks, ${over.length} figures over their limit\n`)
  return over.length === 0
}

/** Rounds to three significant digits. */
function rounded(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3)
}
