import type { EngineStep } from '#server/engines/engine.ts'

/** Runs steps one after the other and returns the log. */
export async function runSteps(
  steps: readonly EngineStep[],
  signal: AbortSignal = AbortSignal.timeout(300_000),
  operationId = 'op',
): Promise<string[]> {
  const lines: string[] = []
  for (const step of steps)
    await step.run({
      operationId,
      log: (line) => {
        lines.push(line)
      },
      progress: () => undefined,
      signal,
    })
  return lines
}
