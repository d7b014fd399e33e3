/** Runs the benchmarks and prints their figures. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './node24.mjs'
import { seconds } from './terminal.mjs'

/** One figure of a benchmark. */
export interface Figure {
  name: string
  /** In `unit`. */
  value: number
  /** `ms`, `MB`, `ratio` … A ratio is against a baseline of the same run and holds on every machine. */
  unit: string
  /** What it may be at most; figures without a limit are only shown. */
  limit?: number
}

/** A file `tests/bench/*.bench.ts` exports `bench`; its own processes and folders are gone when it resolves. */
export interface Benchmark {
  bench: () => Promise<Figure[]>
}

const folder = join(root, 'tests', 'bench')

/**
 * One after the other, so that none disturbs another. Names on the command line choose: `npm run bench -- site-create`.
 * @returns whether every figure with a limit kept it
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

/** Three digits that mean something. */
function rounded(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3)
}
