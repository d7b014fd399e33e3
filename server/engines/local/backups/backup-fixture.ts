import type { EngineStep } from '../../engine.ts'

/** Runs steps one after the other, for tests. */
export async function runAll(steps: readonly EngineStep[], operationId = 'op'): Promise<void> {
  for (const step of steps)
    await step.run({
      ...{ operationId, log: () => undefined, progress: () => undefined },
      signal: AbortSignal.timeout(300_000),
    })
}
