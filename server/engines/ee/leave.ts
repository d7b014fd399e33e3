import type { StepContext } from '../engine.ts'
import type { ServerRef } from '../site-ref.ts'
import type { EeContext } from './ee-context.ts'
import { look, mutate, outputOf } from './remote.ts'

/** See `SiteHost.leave`. */
export async function leaveServer(
  context: EeContext,
  server: ServerRef,
  { signal, log }: Pick<StepContext, 'signal' | 'log'>,
): Promise<void> {
  const left = async (...args: string[]) =>
    outputOf(await look(context, server, { script: 'left', args, signal, maxBytes: 65_536 })).trim()
  await mutate(context, server, {
    ...{ id: 'ee-leave', script: 'leave', args: [], signal, onLine: log },
    isDone: async () => (await left()) === '',
  })
  await left('all')
}
