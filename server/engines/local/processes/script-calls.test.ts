import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { LocalizedMessage } from '#shared/localized-message.ts'
import type { ToChild } from '../child/messages.ts'
import { createScriptCalls, type ScriptCalls } from './script-calls.ts'

let posted: ToChild[]
let ended: Array<LocalizedMessage | null>
let calls: ScriptCalls
/** When a request began that is still going on, and may take long. */
let longSince: number
beforeEach(() => {
  vi.useFakeTimers()
  posted = []
  ended = []
  calls = createScriptCalls(
    (message) => void posted.push(message),
    (reason) => void ended.push(reason),
    (since) => longSince <= since,
  )
  longSince = Infinity
})
afterEach(() => {
  vi.useRealTimers()
})

const result = { value: 1, headers: {} }

test('each call gets its own result, in any order, and results of no call are nothing', async () => {
  const [first, second] = [calls.call('info', {}), calls.call('cron', { a: 1 })]
  expect(posted).toEqual([
    { type: 'call', id: 1, script: 'info', input: {} },
    { type: 'call', id: 2, script: 'cron', input: { a: 1 } },
  ])
  calls.settle({ type: 'result', id: 3, ok: true, result })
  calls.settle({ type: 'result', id: 2, ok: false, reason: 'why' })
  calls.settle({ type: 'result', id: 1, ok: true, result })
  calls.settle({ type: 'result', id: 1, ok: false, reason: 'again' })
  expect(await first).toBe(result)
  await expect(second).rejects.toThrow('The site could not do it: why')
  vi.advanceTimersByTime(3_600_000)
  expect(ended).toEqual([])
})

test('a process that never answers is ended', async () => {
  const call = calls.call('cron', {})
  vi.advanceTimersByTime(179_000)
  expect(ended).toEqual([])
  vi.advanceTimersByTime(1_000)
  expect(ended.map((reason) => reason?.text)).toEqual([
    'The site’s process was ended: it did not answer Easydash in time.',
  ])
  // The handle reports when it is gone.
  calls.rejectAll(new Error('gone'))
  await expect(call).rejects.toThrow('gone')
})

test('a call that waits for a long request of somebody else does not end it', async () => {
  longSince = performance.now()
  const call = calls.call('info', {})
  vi.advanceTimersByTime(300_000)
  expect(ended).toEqual([])
  // It is over, and PHP has its time for the call.
  longSince = Infinity
  vi.advanceTimersByTime(59_000)
  calls.settle({ type: 'result', id: 1, ok: true, result })
  expect(await call).toBe(result)
  // A process that begins one after the other is ended all the same.
  void calls.call('info', {}).catch(() => undefined)
  vi.advanceTimersByTime(1000)
  longSince = performance.now()
  vi.advanceTimersByTime(180_000)
  expect(ended).toHaveLength(1)
})

test('an abort ends the process, and its caller hears of the abort', async () => {
  const abort = new AbortController()
  const call = calls.call('install', {}, abort.signal)
  abort.abort(new Error('canceled'))
  expect(ended).toEqual([null])
  calls.rejectAll(new Error('gone'))
  await expect(call).rejects.toThrow('canceled')
})
