/** What a runner's reporter (Vitest, Playwright) tells the test chain: a JSON file for each run. */
import { existsSync, writeSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { root } from './node24.mjs'
import { seconds } from './terminal.mjs'

/** Environment variable with the path of the file. Without it a reporter writes none. */
export const resultVariable = 'EASYDASH_TEST_RESULT'

/** A test, file or run that failed. */
export interface Failure {
  /** Path from the root of the clone; null if the failure belongs to no file. */
  readonly file: string | null
  /** File and full name of the test. */
  readonly name: string
  /** The start of the stack and details, in lines. */
  readonly text: string
}

export interface TestResult {
  passed: number
  /** What failed, with a second try also failed, one entry for each. */
  failures: Failure[]
  /** What failed at first and passed when tried again. */
  unstable: Failure[]
  /** Seconds of worker time by file. */
  files: Record<string, number>
}

/** What test libraries throw; not always an `Error`. */
export interface Thrown {
  readonly message?: string
  readonly stack?: string
}

/** Number of stack lines kept per error. */
const stackLines = 6
/** Maximum lines, and characters per line, of details such as the difference between expected and actual values. */
const detailLines = 40
const lineLength = 400

/** @param file absolute, or null */
export function failureOf(file: string | null, test: string, error: Thrown | undefined, details = ''): Failure {
  const path = file === null ? null : relative(root, file)
  // What an SDK throws is no Error: without a stack, its other fields describe the failure.
  const thrown =
    error?.stack ?? `${error?.message ?? 'no message'} ${JSON.stringify(error)?.slice(0, lineLength) ?? ''}`
  const ours = plain(thrown)
    .split('\n')
    .filter((line) => !line.includes('/node_modules/'))
  const lines = [...ours.slice(0, stackLines), ...plain(details).split('\n', detailLines)]
  return {
    file: path,
    name: [path, test].filter(Boolean).join(' › '),
    text: lines
      .filter((line) => line.trim() !== '')
      .map((line) => `    ${line.slice(0, lineLength)}`)
      .join('\n'),
  }
}

const plain = stripVTControlCharacters

/** A function to call for each of `total` tests or files that ended; prints eight lines at most. */
export function progress(total: number, unit: string): () => void {
  const started = performance.now()
  let done = 0
  return () => {
    done += 1
    if (
      process.env[resultVariable] === undefined ||
      Math.floor((done * 8) / total) === Math.floor(((done - 1) * 8) / total)
    )
      return
    // What the runner itself writes goes to a file.
    writeSync(3, `  ${done} of ${total} ${unit}, ${seconds(performance.now() - started)}\n`)
  }
}

export async function writeResult(result: TestResult): Promise<void> {
  const file = process.env[resultVariable]
  if (file !== undefined) await writeFile(file, JSON.stringify(result))
}

/** Null if the run ended before its reporter could write. */
export async function readResult(file: string): Promise<TestResult | null> {
  return existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as TestResult) : null
}
