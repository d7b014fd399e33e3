import { afterEach, beforeEach, expect, it } from 'vitest'
import { silentLog } from '#server/platform/log/log.ts'
import { createAwakeSites, type AwakeSites } from './awake-sites.ts'
import type { ProcessNotes } from './process-notes.ts'

let sites: AwakeSites
let ended: string[]
let slow: PromiseWithResolvers<never>
beforeEach(() => {
  ended = []
  slow = Promise.withResolvers()
  sites = createAwakeSites({
    awakeMax: 3,
    memoryCapMb: 100,
    limits: { usual: 1, admin: 1 },
    now: Date.now,
    log: silentLog,
    notes: {} as ProcessNotes,
    assertMayRun: () => undefined,
    // The preparation of a large site ends only when it is aborted.
    prepare: (id, signal) =>
      new Promise((resolve, reject) => {
        if (id !== 'large') resolve()
        else signal.addEventListener('abort', () => reject(signal.reason as Error))
      }),
    boot: (id) => (id === 'slow' ? slow.promise : Promise.reject(new Error(`begins ${id}`))),
    startTimeoutMs: 1,
    complete: async () => undefined,
    killLeftovers: async (id) => void ended.push(id),
    isUrgent: () => false,
    onEvent: () => undefined,
  })
})
afterEach(() => sites.stopAll())

it('a site that is prepared for long holds up no other start, and can be stopped', async () => {
  const large = sites.wake('large').catch((error: unknown) => error)
  await expect(sites.wake('small')).rejects.toThrow('begins small')
  await sites.sleep('large')
  expect(await large).toMatchObject({ code: 'unavailable', message: expect.stringContaining('stopped') as string })
  expect(ended).toEqual(['large'])
})

it('a site whose start takes long holds up no other start', async () => {
  const first = sites.wake('slow').catch((error: unknown) => error)
  await expect(sites.wake('small')).rejects.toThrow('begins small')
  slow.reject(new Error('too slow'))
  expect(await first).toMatchObject({ message: 'too slow' })
})
