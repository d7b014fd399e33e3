/** The test chain: the runners in order, a second look at what failed, and one closing line. */
import { execFile } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { checkBudgets } from './budget.ts'
import { root } from './node24.mjs'
import { isInterrupted, runTool } from './run-tool.ts'
import { printFailure, seconds } from './terminal.mjs'
import { createTestFolder } from './test-folder.ts'
import { readResult, resultVariable, type Failure, type TestResult } from './test-result.ts'
import { ensureWebBuilt } from './web-build.ts'

/**
 * What a run includes. `gate`: what lands has passed it. `check`: its static checks and unit tests. `full`: also the files named
 * `*.full.*`. `long`: these with all generated cases.
 */
export const suites = ['gate', 'check', 'full', 'long'] as const

type Suite = (typeof suites)[number]

interface Part {
  name: string
  run: () => Promise<TestResult>
}

const results = join(root, 'test-results')
const minute = 60_000
/** Ends a runner that hangs: several times what it needs alone. */
const limits: Readonly<Record<Suite, number>> = {
  gate: 40 * minute,
  check: 40 * minute,
  full: 90 * minute,
  long: 180 * minute,
}
/** With more failed files than this nothing is looked at again: that is no bad luck. */
const mostSecondLooks = 12

const nothing = (): TestResult => ({ passed: 0, failures: [], unstable: [], files: {} })

/**
 * Runs every part, also after a failure, so that one run shows every problem. What failed is run once more, alone; if it passes
 * then it is unstable, which does not fail the run. Prints what is unstable, the slowest files, failures and, last,
 * `N passed, N failed`; writes `gate.json` and `unstable.json`, and what the runners said into `*.log`.
 *
 * @returns whether nothing failed
 */
export async function runTests(suite: Suite): Promise<boolean> {
  if (suite === 'full' || suite === 'long') process.env['EASYDASH_TEST_FULL'] = '1'
  if (suite === 'long') process.env['EASYDASH_TEST_LONG'] = '1'
  const started = performance.now()
  await rm(results, { recursive: true, force: true })
  await mkdir(results, { recursive: true })
  const state = await sourceState()
  const folder = await createTestFolder()
  process.env['TMPDIR'] = folder.path

  const total = nothing()
  const parts: Record<string, number> = {}
  for (const stage of stagesOf(suite)) {
    if (isInterrupted()) break
    process.stdout.write(`\n── ${stage.map(({ name }) => name).join(' · ')}\n`)
    await Promise.all(
      stage.map(async ({ name, run }) => {
        const begun = performance.now()
        const result = await run()
        const took = performance.now() - begun
        parts[name] = Math.round(took / 100) / 10
        process.stdout.write(`${result.failures.length > 0 ? '✗' : '✓'} ${name} ${seconds(took)}\n`)
        add(total, result)
      }),
    )
  }
  await lookAgain(total, parts)
  await folder.remove()
  if (isInterrupted()) total.failures.push({ file: null, name: 'The run was interrupted.', text: '' })
  const totalSeconds = Math.round((performance.now() - started) / 1000)
  await report(total, { suite, ...state }, { seconds: totalSeconds, parts })
  return total.failures.length === 0
}

function stagesOf(suite: Suite): Part[][] {
  const statics: Part[] = [
    { name: 'Format', run: () => staticCheck('oxfmt', ['--check']) },
    { name: 'Lint', run: () => staticCheck('oxlint', []) },
    // One checker: each further one makes many types again, and the processors are busy with the other checks.
    { name: 'Types of the server', run: () => staticCheck('tsc', ['-p', 'server', '--checkers', '1']) },
    { name: 'Types of the web app', run: () => staticCheck('tsc', ['-p', 'web', '--checkers', '1']) },
    // Breaks nothing, so it does not keep anything from landing.
    ...(suite === 'gate' ? [] : [{ name: 'Dead code', run: () => staticCheck('knip', ['--no-progress']) }]),
  ]
  const build: Part = {
    name: 'Web build and budgets',
    run: () => inProcess('build', async () => (await ensureWebBuilt(), await checkBudgets())),
  }
  const gateOnly = suite === 'gate' || suite === 'check'
  const limit = limits[suite]
  const vitestArgs = gateOnly ? ['--exclude=**/*.full.test.*'] : []
  if (suite === 'check') {
    const unit = ['--exclude=tests/{wire,permissions,isolation,contracts}/**', ...vitestArgs]
    return [statics, [{ name: 'Unit', run: () => vitest(unit, limit) }]]
  }
  const stories = [
    '--retries=1',
    `--max-failures=${mostSecondLooks}`,
    ...(gateOnly ? [String.raw`--grep-invert=\.full\.e2e\.ts`] : []),
  ]
  return [
    [...statics, build],
    // One run of all projects: its workers are busy to the end, not to the end of each.
    [{ name: 'Unit, wire, permissions, isolation, contracts', run: () => vitest(vitestArgs, limit) }],
    [{ name: 'End to end', run: () => runner('playwright', ['test', ...stories], limit) }],
  ]
}

/**
 * Runs the Vitest files with failures again, each in a process of its own. (Playwright does the same for stories by itself.)
 */
async function lookAgain(total: TestResult, parts: Record<string, number>): Promise<void> {
  const files = new Set(total.failures.flatMap(({ file }) => (file?.includes('.test.') ? [file] : [])))
  if (files.size === 0 || isInterrupted()) return
  if (files.size > mostSecondLooks) {
    process.stdout.write(`\n${files.size} files failed, which is too many for a second look.\n`)
    return
  }
  process.stdout.write('\n── A second look at what failed\n')
  const begun = performance.now()
  for (const [index, file] of [...files].entries()) {
    const again = await vitest([file, '--maxWorkers=1'], 10 * minute, `again-${index + 1}`)
    const of = (failure: Failure) => failure.file === file
    const failedAgain = ({ name }: Failure) => again.failures.some((failure) => !of(failure) || failure.name === name)
    const passed = total.failures.filter((failure) => of(failure) && !failedAgain(failure))
    total.failures = [...total.failures.filter((failure) => !of(failure)), ...again.failures]
    total.unstable.push(...passed)
    total.passed += passed.length
    process.stdout.write(`${again.failures.length > 0 ? '✗' : '✓'} ${file}\n`)
  }
  parts['A second look'] = Math.round((performance.now() - begun) / 100) / 10
}

/** Prints and writes what came of the run: what matters most is last, because logs often show only their end. */
async function report(total: TestResult, of: Record<string, unknown>, took: Record<string, unknown>): Promise<void> {
  const { passed, failures, unstable } = total
  const print = (title: string, lines: string[]) => {
    if (lines.length > 0) process.stdout.write(`\n${title}\n${lines.join('\n')}\n`)
  }
  const slowest = Object.entries(total.files).toSorted(([, a], [, b]) => b - a)
  print(
    'Slowest files (worker time)',
    slowest.slice(0, 20).map(([file, took]) => `${seconds(took * 1000).padStart(11)}  ${file}`),
  )
  print(
    'Unstable: failed, then passed alone',
    unstable.map(({ name }) => name),
  )
  print(
    'Failed',
    failures.flatMap(({ name, text }) => [name, text]).filter((line) => line !== ''),
  )
  const write = (name: string, content: unknown) =>
    writeFile(join(results, name), `${JSON.stringify(content, undefined, 2)}\n`)
  await write('unstable.json', unstable)
  await write('gate.json', {
    ...of,
    green: failures.length === 0,
    passed,
    failed: failures.length,
    unstable: unstable.map(({ name }) => name),
    ...(failures.length > 0 && { failures: failures.map(({ name }) => name) }),
    ...took,
  })
  process.stdout.write(`\n${passed} passed, ${failures.length} failed\n`)
}

function add(total: TestResult, { passed, failures, unstable, files }: TestResult): void {
  total.passed += passed + unstable.length
  total.failures.push(...failures)
  total.unstable.push(...unstable)
  Object.assign(total.files, files)
}

/** The commit under test, and whether the files are exactly its; null outside of a clone. */
async function sourceState(): Promise<{ commit: string | null; clean: boolean | null }> {
  const git = async (...args: string[]) => (await promisify(execFile)('git', args, { cwd: root })).stdout.trim()
  try {
    return { commit: await git('rev-parse', 'HEAD'), clean: (await git('status', '--porcelain')) === '' }
  } catch {
    return { commit: null, clean: null }
  }
}

/** A static check counts as one test. */
async function staticCheck(tool: string, args: string[]): Promise<TestResult> {
  // Compiler and linter are Go programs, whose collector takes a third of their time unless it may wait for more garbage.
  const variables = { GOGC: '300', GOMEMLIMIT: '2500MiB' }
  const code = await runTool(tool, args, 5 * minute, { variables })
  return code === 0 ? { ...nothing(), passed: 1 } : failedRun(nothing(), `${tool} ended with code ${code}: see above.`)
}

async function inProcess(name: string, work: () => Promise<void>): Promise<TestResult> {
  try {
    await work()
    return { ...nothing(), passed: 1 }
  } catch (error) {
    printFailure(error)
    return failedRun(nothing(), `${name}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const vitest = (args: string[], limit: number, name?: string): Promise<TestResult> =>
  runner('vitest', ['run', `--reporter=${join(root, 'scripts', 'vitest-reporter.ts')}`, ...args], limit, name)

/** A run that fails without naming a test (a file that does not load, a timeout) counts as one failure. */
async function runner(tool: string, args: string[], limit: number, name = tool): Promise<TestResult> {
  const file = join(results, `${name}.json`)
  const log = join(results, `${name}.log`)
  const code = await runTool(tool, args, limit, { log, variables: { [resultVariable]: file } })
  const result = (await readResult(file)) ?? nothing()
  if (code === 0 || result.failures.length > 0) return result
  const end = (await readFile(log, 'utf8')).split('\n').slice(-40).join('\n')
  return failedRun(result, `${tool} ended with code ${code}.`, end)
}

const failedRun = (result: TestResult, name: string, text = ''): TestResult => ({
  ...result,
  failures: [...result.failures, { file: null, name, text }],
})
