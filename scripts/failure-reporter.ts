import type { Reporter, TestModule } from 'vitest/node'
import { addFailures, failureBlock, type Failure } from './failures.ts'

/** A Vitest reporter of failed tests, files that did not load, and errors outside of tests. */
export default class FailureReporter implements Reporter {
  async onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandled: ReadonlyArray<Failure>): Promise<void> {
    const blocks = modules.flatMap((module) => [
      ...module.errors().map((error) => failureBlock(module.relativeModuleId, error)),
      ...[...module.children.allTests('failed')].map((test) => {
        const error = test.result().errors?.[0]
        return failureBlock(`${module.relativeModuleId} › ${test.fullName}`, error, error?.diff)
      }),
      ...[...module.children.allSuites()].flatMap((suite) =>
        suite.errors().map((error) => failureBlock(`${module.relativeModuleId} › ${suite.fullName}`, error)),
      ),
    ])
    blocks.push(...unhandled.map((error) => failureBlock('An error outside of any test', error)))
    await addFailures(blocks)
  }
}
