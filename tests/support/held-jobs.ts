import { EventEmitter } from 'node:events'
import type { JobDefinition } from '#server/contracts/job.ts'

/** Jobs in the order in which they ran. */
export const ran: string[] = []
/** What ends the jobs that run now. */
export const running = new Map<string, () => void>()
/** Tells of each step that begins, and of each call that is refused. */
export const started = new EventEmitter()

/** A job with one step that runs until the test ends it. */
export const held = (type: string): JobDefinition => ({
  type,
  label: ({ referenceTitle }) => `${type} ${referenceTitle}`,
  deadlineSeconds: 600,
  // Once it runs, and not before.
  cancel: type === 'test.archive' ? { possible: false, reason: 'Files are being packed.' } : { possible: true },
  steps: async () => [
    {
      key: 'hold',
      label: 'Hold',
      run: (context) =>
        new Promise<void>((resolve, reject) => {
          ran.push(context.job)
          running.set(context.job, resolve)
          started.emit('step')
          context.signal.addEventListener('abort', () => reject(context.signal.reason as Error))
        }).finally(() => running.delete(context.job)),
    },
  ],
})
