import type { Reporter, SerializedError, TestModule, TestSpecification } from 'vitest/node'
import { failureOf, progress, writeResult, type Failure } from './test-result.ts'

/** A Vitest reporter of failed tests, files that did not load, and errors outside of tests. */
export default class ChainReporter implements Reporter {
  #ended = () => {}

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#ended = progress(specifications.length, 'files')
  }

  onTestModuleEnd(): void {
    this.#ended()
  }

  async onTestRunEnd(
    modules: readonly TestModule[],
    unhandled: readonly (SerializedError & { VITEST_TEST_PATH?: string })[],
  ): Promise<void> {
    await writeResult({
      passed: modules.reduce((sum, { children }) => sum + [...children.allTests('passed')].length, 0),
      failures: [
        ...modules.flatMap((module) => failuresOf(module)),
        ...unhandled.map((error) => failureOf(error.VITEST_TEST_PATH ?? null, 'An error outside of any test', error)),
      ],
      unstable: [],
      files: Object.fromEntries(modules.map((module) => [module.relativeModuleId, secondsOf(module)])),
    })
  }
}

const failuresOf = (module: TestModule): Failure[] => [
  ...module.errors().map((error) => failureOf(module.moduleId, '', error)),
  ...[...module.children.allTests('failed')].map((test) => {
    const error = test.result().errors?.[0]
    return failureOf(module.moduleId, test.fullName, error, error?.diff)
  }),
  ...[...module.children.allSuites()].flatMap((suite) =>
    suite.errors().map((error) => failureOf(module.moduleId, suite.fullName, error)),
  ),
]

function secondsOf(module: TestModule): number {
  const { environmentSetupDuration, prepareDuration, collectDuration, setupDuration, duration } = module.diagnostic()
  return (environmentSetupDuration + prepareDuration + collectDuration + setupDuration + duration) / 1000
}
