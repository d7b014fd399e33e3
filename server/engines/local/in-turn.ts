import { createTurns, type InTurn } from '#server/platform/turns.ts'
import type { EngineStep, StepContext } from '../engine.ts'
import type { AwakeSites } from './processes/awake-sites.ts'

/** One thing at a time for each site: what takes a change back must not meet a step of it. */
export const inTurn: InTurn = createTurns()

/** A step of a change to a site, which stays awake for it, and is in turn. */
export function changeStep(
  { awake }: { readonly awake: AwakeSites },
  site: string,
  described: Omit<EngineStep, 'run'>,
  work: (step: StepContext) => Promise<void>,
): EngineStep {
  return {
    ...described,
    run: async (step) => {
      step.signal.throwIfAborted()
      const release = awake.hold(site)
      try {
        await inTurn(site, async () => {
          step.signal.throwIfAborted()
          await work(step)
        })
      } finally {
        release()
      }
      step.progress(1)
    },
  }
}
