import { readFile } from 'node:fs/promises'
import type { Reporter, TestCase, TestError, TestResult } from '@playwright/test/reporter'
import { addFailures, failureBlock } from './failures.ts'

/** A Playwright reporter of failed stories, with the start of what the page showed, and of errors outside of stories. */
export default class FailureReporter implements Reporter {
  readonly #blocks: Promise<string>[] = []

  onTestEnd(test: TestCase, result: TestResult): void {
    if (result.status !== test.expectedStatus && result.status !== 'skipped') this.#blocks.push(describe(test, result))
  }

  onError(error: TestError): void {
    this.#blocks.push(Promise.resolve(failureBlock('An error outside of any story', error)))
  }

  async onEnd(): Promise<void> {
    await addFailures(await Promise.all(this.#blocks))
  }
}

async function describe(test: TestCase, result: TestResult): Promise<string> {
  const context = result.attachments.find(({ name }) => name === 'error-context')?.path
  const text = context === undefined ? '' : await readFile(context, 'utf8')
  // The file has the error again before the tree of the page's elements.
  const page = text.slice(Math.max(text.indexOf('# Page snapshot'), 0))
  return failureBlock(`${test.location.file} › ${test.title}`, result.error, page)
}
