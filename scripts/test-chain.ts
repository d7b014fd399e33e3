/** The whole test chain: the runners in order, and their total counts in one closing line. */
import { spawn } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { checkBudgets } from './budget.ts'
import { failuresFile } from './failure-reporter.ts'
import { compileCache, root } from './node24.mjs'
import { writeNotices } from './notices-file.ts'
import { printFailure, seconds } from './terminal.mjs'
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

/** Links that run side by side: each uses one processor most of the time. Their output is printed as each ends. */
type Stage = readonly Link[]

const results = join(root, 'test-results')
const minute = 60_000

/**
 * Runs every runner, also after a failure, so that one run shows every problem. Prints a heading and the duration of each
 * and, last, `N passed, N failed`.
 */
export async function runTests(options: { check: boolean; long: boolean }): Promise<Counts> {
  if (options.long) process.env['EASYDASH_TEST_LONG'] = '1'
  // A run that hangs is stopped; a busy machine takes twice as long as an idle one.
  const limit = options.long ? 180 * minute : 30 * minute
  await rm(results, { recursive: true, force: true })
  await mkdir(results, { recursive: true })

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
        statics,
        // One run of all projects: its workers are busy to the end, not to the end of each.
        [{ name: 'Unit, wire, permissions, isolation, contracts', run: () => vitest([], limit) }],
        [
          {
            name: 'Web build and budgets',
            run: () => inProcess(async () => (await ensureWebBuilt(), await checkBudgets())),
          },
        ],
        [{ name: 'End to end', run: () => playwright(limit) }],
      ]

  const total: Counts = { passed: 0, failed: 0 }
  const red: string[] = []
  for (const stage of stages) {
    for (const { name, failed, passed } of await runStage(stage)) {
      total.passed += passed
      total.failed += failed
      if (failed > 0) red.push(name)
    }
  }
  if (red.length > 0) process.stdout.write(`\n${await failures()}Failed: ${red.join(', ')}\n`)
  process.stdout.write(`\n${total.passed} passed, ${total.failed} failed\n`)
  return total
}

async function runStage(stage: Stage): Promise<(Counts & { name: string })[]> {
  return Promise.all(
    stage.map(async ({ name, run }) => {
      if (stage.length === 1) process.stdout.write(`\n── ${name}\n`)
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

/** The failures of the Vitest runs once more: CI logs show their end, and the first run finishes long before it. */
async function failures(): Promise<string> {
  return existsSync(failuresFile) ? `${await readFile(failuresFile, 'utf8')}\n` : ''
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

/**
 * Runs a tool from node_modules with this Node and returns its exit code. It has its own process group, so that a timeout
 * ends everything it started. Its output is shown as it comes, or all of it at the end.
 */
async function runTool(
  tool: string,
  args: string[],
  limit: number,
  shown: 'at once' | 'at the end' = 'at once',
): Promise<number> {
  const bin = realpathSync(join(root, 'node_modules', '.bin', tool))
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: root,
    detached: true,
    stdio: ['ignore', shown === 'at once' ? 'inherit' : 'pipe', shown === 'at once' ? 'inherit' : 'pipe'],
    env: {
      ...process.env,
      PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`,
      // The workers of Vitest load the whole server.
      NODE_COMPILE_CACHE: compileCache,
    },
  })
  const output: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (piece: Buffer) => output.push(piece))
  const endGroup = (signal: NodeJS.Signals) => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, signal)
  }
  const stop = (signal: NodeJS.Signals) => {
    endGroup(signal)
    process.exit(1)
  }
  process.once('SIGINT', stop).once('SIGTERM', stop)
  let timer = setTimeout(() => {
    process.stderr.write(`${tool} was stopped after ${seconds(limit)}.\n`)
    // SIGINT first, like Ctrl+C, so that it can stop the product it runs.
    endGroup('SIGINT')
    timer = setTimeout(() => endGroup('SIGKILL'), 20_000)
  }, limit)
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code) => resolve(code ?? 1))
    })
  } finally {
    process.stdout.write(Buffer.concat(output))
    clearTimeout(timer)
    process.off('SIGINT', stop).off('SIGTERM', stop)
  }
}
