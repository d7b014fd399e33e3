import { it, type TestContext } from 'vitest'
import type { CapabilityName, Engine } from '#server/engines/engine.ts'
import { thisMachine } from '#server/engines/site-ref.ts'
import type { GatedCapability } from './refusals.contract.ts'

/** Why the engine lacks one of the capabilities; null if it has all. */
function reasonWithout(engine: Engine, ...names: readonly CapabilityName[]): string | null {
  for (const name of names) {
    const capability = engine.capabilities(thisMachine)[name]
    if (!capability.supported) return capability.reason
  }
  return null
}

/** Whether the engine has the capabilities: for a part of a test that makes sense without them. */
export const can = (engine: Engine, ...names: readonly GatedCapability[]): boolean =>
  reasonWithout(engine, ...names) === null

/** A test that is skipped at run time. */
type Work<T extends unknown[]> = (...given: T) => unknown

/**
 * Like `it`, for tests that need capabilities: skipped with the reason of the engine if it lacks one. That is known only while tests
 * run, because the engine starts before them. What it must do instead is in `refusals.contract.ts`, which names every capability that
 * can be given here.
 */
export function needs(under: () => { readonly engine: Engine }, ...names: readonly GatedCapability[]) {
  const test = (title: string, work: Work<[TestContext]>, timeout?: number): void => {
    it(
      `${title}`,
      async (context) => {
        const reason = reasonWithout(under().engine, ...names)
        if (reason !== null) context.skip(reason)
        await work(context)
      },
      timeout,
    )
  }
  /** One test for each of the values, which ends its title. */
  const each =
    <T extends string>(values: readonly T[]) =>
    (title: string, work: Work<[T]>): void => {
      for (const value of values) test(`${title}: ${value}`, () => work(value))
    }
  return Object.assign(test, { each })
}
