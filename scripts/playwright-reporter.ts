import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import type { FullConfig, Reporter, Suite, TestCase, TestError, TestResult } from '@playwright/test/reporter'
import { root } from './node24.mjs'
import { failureOf, progress, writeResult, type Failure } from './test-result.ts'

/** A Playwright reporter of failed stories, with the start of what the page showed, and of errors outside of stories. */
export default class ChainReporter implements Reporter {
  readonly #errors: Failure[] = []
  #stories: TestCase[] = []
  #ended = () => {}

  onBegin(_: FullConfig, suite: Suite): void {
    this.#stories = suite.allTests()
    this.#ended = progress(this.#stories.length, 'stories')
  }

  onTestEnd(_: TestCase, result: TestResult): void {
    if (result.retry === 0) this.#ended()
  }

  onError(error: TestError): void {
    this.#errors.push(failureOf(null, 'An error outside of any story', error))
  }

  async onEnd(): Promise<void> {
    const of = (outcome: string) => this.#stories.filter((story) => story.outcome() === outcome)
    const files: Record<string, number> = {}
    for (const { location, results } of this.#stories) {
      const file = relative(root, location.file)
      files[file] = results.reduce((sum, { duration }) => sum + duration / 1000, files[file] ?? 0)
    }
    await writeResult({
      passed: of('expected').length,
      failures: [...this.#errors, ...(await Promise.all(of('unexpected').map(describe)))],
      unstable: await Promise.all(of('flaky').map(describe)),
      files,
    })
  }
}

/** The failure of a story's last try that failed. */
async function describe(story: TestCase): Promise<Failure> {
  const failed = story.results.findLast(({ status }) => status !== story.expectedStatus && status !== 'skipped')
  const context = failed?.attachments.find(({ name }) => name === 'error-context')?.path
  const text = context === undefined ? '' : await readFile(context, 'utf8')
  // The file has the error again before the tree of the page's elements.
  const page = text.slice(Math.max(text.indexOf('# Page snapshot'), 0))
  return failureOf(story.location.file, story.title, failed?.error, page)
}
