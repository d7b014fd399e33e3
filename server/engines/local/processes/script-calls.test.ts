import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { LocalizedMessage } from '#shared/localized-message.ts'
import type { ToChild } from '../child/messages.ts'
import { createScriptCalls, type ScriptCalls } from './script-calls.ts'

let posted: ToChild[]
let ended: Array<LocalizedMessage | null>
let calls: ScriptCalls
let isRunning: boolean
beforeEach(() => {
  vi.useFakeTimers()
  posted = []
  ended = []
  isRunning = false
  calls = createScriptCalls({
    post: (message) => void posted.push(message),
    end: (reason) => void ended.push(reason),
    isRunning: () => isRunning,
  })
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

test('a call that waits behind a request is given up without ending it', async () => {
  isRunning = true
  const abort = new AbortController()
  const canceled = calls.call('info', {}, abort.signal)
  const late = calls.call('cron', {})
  abort.abort(new Error('canceled'))
  await expect(canceled).rejects.toThrow('canceled')
  vi.advanceTimersByTime(180_000)
  await expect(late).rejects.toThrow('The site is busy with other requests.')
  expect(posted.slice(2)).toEqual([
    { type: 'cancel', id: 1 },
    { type: 'cancel', id: 2 },
  ])
  expect(ended).toEqual([])
  // Nobody would notice what it does.
  calls.begin(1)
  expect(ended).toEqual([null])
})

test('a call that has begun ends the process, though others run as well', async () => {
  isRunning = true
  const abort = new AbortController()
  const call = calls.call('change', {}, abort.signal)
  calls.begin(1)
  abort.abort(new Error('canceled'))
  expect([ended, posted.length]).toEqual([[null], 1])
  calls.rejectAll(new Error('gone'))
  await expect(call).rejects.toThrow('canceled')
})

test('an abort ends the process, and its caller hears of the abort', async () => {
  const abort = new AbortController()
  const call = calls.call('install', {}, abort.signal)
  abort.abort(new Error('canceled'))
  expect(ended).toEqual([null])
  calls.rejectAll(new Error('gone'))
  await expect(call).rejects.toThrow('canceled')
})
