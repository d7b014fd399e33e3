import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Reporter, TestModule } from 'vitest/node'
import { root } from './node24.mjs'

/**
 * Failures of the run, a block of lines each. Printed again at the end of the test chain, because logs often show only their
 * end.
 */
export const failuresFile = join(root, 'test-results', 'failures.txt')

/** Number of stack lines kept per error; the rest is in the runner's own output. */
const stackLines = 6
/** Maximum lines, and characters per line, of the difference between expected and actual values. */
const diffLines = 24
const diffWidth = 400

/** A Vitest reporter that appends failed tests, files that did not load, and errors outside tests to `failuresFile`. */
export default class FailureReporter implements Reporter {
  async onTestRunEnd(
    modules: ReadonlyArray<TestModule>,
    unhandled: ReadonlyArray<{ message?: string; stack?: string }>,
  ): Promise<void> {
    const blocks = modules.flatMap((module) => [
      ...module.errors().map((error) => block(module.relativeModuleId, error)),
      ...[...module.children.allTests('failed')].map((test) =>
        block(`${module.relativeModuleId} › ${test.fullName}`, test.result().errors?.[0]),
      ),
      ...[...module.children.allSuites()].flatMap((suite) =>
        suite.errors().map((error) => block(`${module.relativeModuleId} › ${suite.fullName}`, error)),
      ),
    ])
    blocks.push(...unhandled.map((error) => block('An error outside of any test', error)))
    if (blocks.length > 0) await appendFile(failuresFile, `${blocks.join('\n')}\n`)
  }
}

function block(where: string, error: { message?: string; stack?: string; diff?: string } | undefined): string {
  // SDKs can throw values that are not an Error: without a stack, their other fields describe what happened.
  const text = error?.stack ?? `${error?.message ?? 'no message'} ${JSON.stringify(error)?.slice(0, diffWidth) ?? ''}`
  const diff = stripVTControlCharacters(error?.diff ?? '').split('\n', diffLines)
  const shortDiff = diff.filter((line) => line.trim() !== '').map((line) => line.slice(0, diffWidth))
  return [where, ...text.split('\n').slice(0, stackLines), ...shortDiff].join('\n    ')
}
