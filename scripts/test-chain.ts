/** The whole test chain: the runners in order, and their total counts in one closing line. */
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { checkBudgets } from './budget.ts'
import { readFailures } from './failures.ts'
import { root } from './node24.mjs'
import { isInterrupted, runTool } from './run-tool.ts'
import { writeNotices } from './notices-file.ts'
import { printFailure, seconds } from './terminal.mjs'
import { createTestFolder } from './test-folder.ts'
import { ensureWebBuilt } from './web-build.ts'

/** Test counts of one runner. A static check counts as one test. */
interface Counts {
  passed: number
  failed: number
}

interface Link {
  name: string
  run: () => Promise<Counts>
}

/** Links that run side by side. */
type Stage = readonly Link[]

const results = join(root, 'test-results')
const minute = 60_000

/**
 * Runs every runner, also after a failure, so that one run shows every problem. Prints a heading and the duration of each
 * and, last, `N passed, N failed`.
 */
export async function runTests(options: { check: boolean; long: boolean }): Promise<Counts> {
  if (options.long) process.env['EASYDASH_TEST_LONG'] = '1'
  // A run that hangs is stopped; a busy machine takes twice as long as an idle one, which needs 25 minutes.
  const limit = options.long ? 180 * minute : 55 * minute
  await rm(results, { recursive: true, force: true })
  await mkdir(results, { recursive: true })
  const folder = await createTestFolder()
  process.env['TMPDIR'] = folder.path

  const statics: Stage = [
    { name: 'Format', run: () => staticCheck('oxfmt', ['--check']) },
    { name: 'Lint', run: () => staticCheck('oxlint', []) },
    { name: 'Types of the server', run: () => staticCheck('tsc', ['-p', 'server']) },
    { name: 'Types of the web app', run: () => staticCheck('tsc', ['-p', 'web']) },
    { name: 'Dead code', run: () => staticCheck('knip', ['--no-progress']) },
    { name: 'Third-party notices', run: () => inProcess(() => writeNotices({ check: true })) },
  ]
  const stages: readonly Stage[] = options.check
    ? [statics, [{ name: 'Unit', run: () => vitest(['unit', 'web'], limit) }]]
    : [
        [
          ...statics,
          {
            name: 'Web build and budgets',
            run: () => inProcess(async () => (await ensureWebBuilt(), await checkBudgets())),
          },
        ],
        // One run of all projects: its workers are busy to the end, not to the end of each.
        [{ name: 'Unit, wire, permissions, isolation, contracts', run: () => vitest([], limit) }],
        [{ name: 'End to end', run: () => playwright(limit) }],
      ]

  const total: Counts = { passed: 0, failed: 0 }
  const red: string[] = []
  for (const stage of stages) {
    if (isInterrupted()) break
    for (const { name, failed, passed } of await runStage(stage)) {
      total.passed += passed
      total.failed += failed
      if (failed > 0) red.push(name)
    }
  }
  await folder.remove()
  if (isInterrupted()) total.failed ||= 1
  if (red.length > 0) process.stdout.write(`\n${await readFailures()}\nFailed: ${red.join(', ')}\n`)
  process.stdout.write(`\n${total.passed} passed, ${total.failed} failed\n`)
  return total
}

async function runStage(stage: Stage): Promise<(Counts & { name: string })[]> {
  process.stdout.write(`\n── ${stage.map(({ name }) => name).join(' · ')}\n`)
  return Promise.all(
    stage.map(async ({ name, run }) => {
      const started = performance.now()
      const counts = await run()
      process.stdout.write(`${counts.failed > 0 ? '✗' : '✓'} ${name} ${seconds(performance.now() - started)}\n`)
      return { name, ...counts }
    }),
  )
}

async function staticCheck(tool: string, args: string[]): Promise<Counts> {
  return (await runTool(tool, args, 5 * minute, 'at the end')) === 0
    ? { passed: 1, failed: 0 }
    : { passed: 0, failed: 1 }
}

async function inProcess(work: () => Promise<void>): Promise<Counts> {
  try {
    await work()
    return { passed: 1, failed: 0 }
  } catch (error) {
    printFailure(error)
    return { passed: 0, failed: 1 }
  }
}

/** Runs the given Vitest projects; none: all of them. */
async function vitest(projects: string[], limit: number): Promise<Counts> {
  const file = join(results, 'vitest.json')
  const code = await runTool(
    'vitest',
    [
      'run',
      ...projects.map((project) => `--project=${project}`),
      '--reporter=default',
      '--reporter=json',
      `--reporter=${join(root, 'scripts', 'failure-reporter.ts')}`,
      `--outputFile.json=${file}`,
    ],
    limit,
  )
  return countsOf(code, await readReport(file), (report) => ({
    passed: numberOf(report, 'numPassedTests'),
    failed: numberOf(report, 'numFailedTests'),
  }))
}

async function playwright(limit: number): Promise<Counts> {
  const code = await runTool('playwright', ['test'], limit)
  return countsOf(code, await readReport(join(results, 'e2e.json')), ({ stats }) => ({
    passed: numberOf(stats, 'expected'),
    failed: numberOf(stats, 'unexpected') + numberOf(stats, 'flaky'),
  }))
}

/** A runner that fails without naming a test (a file that does not load, a timeout) counts as one failure. */
function countsOf(
  code: number,
  report: Record<string, unknown> | null,
  read: (report: Record<string, unknown>) => Counts,
): Counts {
  const counts = report === null ? { passed: 0, failed: 0 } : read(report)
  return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts
}

async function readReport(file: string): Promise<Record<string, unknown> | null> {
  return existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>) : null
}

function numberOf(holder: unknown, key: string): number {
  const value = (holder as Record<string, unknown> | undefined)?.[key]
  if (typeof value !== 'number') throw new Error(`The report lacks ${key}.`)
  return value
}
