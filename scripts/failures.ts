/**
 * Failures of a test run, printed again at the end of the test chain: logs often show only their end, and the runners' own
 * reports are far above it.
 */
import { existsSync } from 'node:fs'
import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { root } from './node24.mjs'

const file = join(root, 'test-results', 'failures.txt')

/** Number of stack lines kept per error; the rest is in the runner's own output. */
const stackLines = 6
/** Maximum lines, and characters per line, of details such as the difference between expected and actual values. */
const detailLines = 40
const lineLength = 400

/** What test libraries throw; not always an `Error`. */
export interface Failure {
  readonly message?: string
  readonly stack?: string
}

/** One failure as text: where it happened, the start of the stack, and details. */
export function failureBlock(where: string, error: Failure | undefined, details = ''): string {
  // What an SDK throws is no Error: without a stack, its other fields describe the failure.
  const text = error?.stack ?? `${error?.message ?? 'no message'} ${JSON.stringify(error)?.slice(0, lineLength) ?? ''}`
  const lines = [...plain(text).split('\n').slice(0, stackLines), ...plain(details).split('\n', detailLines)]
  return [where, ...lines.filter((line) => line.trim() !== '').map((line) => line.slice(0, lineLength))].join('\n    ')
}

const plain = stripVTControlCharacters

/** Adds the failures of one runner. */
export async function addFailures(blocks: readonly string[]): Promise<void> {
  if (blocks.length > 0) await appendFile(file, `${blocks.join('\n')}\n`)
}

/** All failures of the run; empty if there are none. */
export async function readFailures(): Promise<string> {
  return existsSync(file) ? readFile(file, 'utf8') : ''
}
