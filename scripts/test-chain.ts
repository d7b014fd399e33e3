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

  const everywhere: Link[] = [
    { name: 'Format', run: () => staticCheck('oxfmt', ['--check']) },
    { name: 'Lint', run: () => staticCheck('oxlint', []) },
    { name: 'Types of the server', run: () => staticCheck('tsc', ['-p', 'server']) },
    { name: 'Types of the web app', run: () => staticCheck('tsc', ['-p', 'web']) },
    { name: 'Dead code', run: () => staticCheck('knip', ['--no-progress']) },
    { name: 'Third-party notices', run: () => inProcess(() => writeNotices({ check: true })) },
    { name: 'Unit', run: () => vitest('unit', ['unit', 'web'], limit) },
  ]
  const further: Link[] = [
    { name: 'Wire', run: () => vitest('wire', ['wire', 'wire-react'], limit) },
    { name: 'Permissions', run: () => vitest('permissions', ['permissions'], limit) },
    { name: 'Isolation of sites', run: () => vitest('isolation', ['isolation'], limit) },
    { name: 'Contracts', run: () => vitest('contracts', ['contracts'], limit) },
    { name: 'Web build and budgets', run: () => inProcess(async () => (await ensureWebBuilt(), await checkBudgets())) },
    { name: 'End to end', run: () => playwright(limit) },
  ]

  const total: Counts = { passed: 0, failed: 0 }
  const red: string[] = []
  for (const link of options.check ? everywhere : [...everywhere, ...further]) {
    process.stdout.write(`\n── ${link.name}\n`)
    const started = performance.now()
    const { passed, failed } = await link.run()
    total.passed += passed
    total.failed += failed
    if (failed > 0) red.push(link.name)
    process.stdout.write(`${failed > 0 ? '✗' : '✓'} ${link.name} ${seconds(performance.now() - started)}\n`)
  }
  if (red.length > 0) process.stdout.write(`\n${await failures()}Failed: ${red.join(', ')}\n`)
  process.stdout.write(`\n${total.passed} passed, ${total.failed} failed\n`)
  return total
}

async function staticCheck(tool: string, args: string[]): Promise<Counts> {
  return (await runTool(tool, args, 5 * minute)) === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
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

async function vitest(name: string, projects: string[], limit: number): Promise<Counts> {
  const file = join(results, `${name}.json`)
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
 * ends everything it started.
 */
async function runTool(tool: string, args: string[], limit: number): Promise<number> {
  const bin = realpathSync(join(root, 'node_modules', '.bin', tool))
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...process.env,
      PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`,
      // The workers of Vitest load the whole server.
      NODE_COMPILE_CACHE: compileCache,
    },
  })
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
      child.once('exit', (code) => resolve(code ?? 1))
    })
  } finally {
    clearTimeout(timer)
    process.off('SIGINT', stop).off('SIGTERM', stop)
  }
}
