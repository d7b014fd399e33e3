import { QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { firstReads } from './first-reads.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Whether the wait is over. */
function watch(client: QueryClient, signal = new AbortController().signal) {
  const state = { done: false }
  void firstReads(client, signal).then(() => {
    state.done = true
  })
  return state
}
/** Starts a read; returns a function that resolves it. */
function read(client: QueryClient, key: string): () => void {
  let respond: (value: string) => void = () => undefined
  const response = new Promise<string>((resolve) => {
    respond = resolve
  })
  void client.fetchQuery({ queryKey: [key], queryFn: () => response })
  return () => respond('rows')
}

test('waits for the reads of a screen, and for those that follow from them', async () => {
  const client = new QueryClient()
  const respondFirst = read(client, 'sites')
  const state = watch(client)
  await vi.advanceTimersByTimeAsync(1000)
  expect(state.done).toBe(false)
  respondFirst()
  await vi.advanceTimersByTimeAsync(50)
  const respondSecond = read(client, 'servers')
  await vi.advanceTimersByTimeAsync(500)
  expect(state.done).toBe(false)
  respondSecond()
  await vi.advanceTimersByTimeAsync(500)
  expect(state.done).toBe(true)
})

test('does not wait for a server that never answers', async () => {
  const client = new QueryClient()
  read(client, 'sites')
  const state = watch(client)
  await vi.advanceTimersByTimeAsync(2900)
  expect(state.done).toBe(false)
  await vi.advanceTimersByTimeAsync(200)
  expect(state.done).toBe(true)
})

test('ends with its page, and leaves no timer or listener behind', async () => {
  const client = new QueryClient()
  const ended = new AbortController()
  read(client, 'sites')
  const timers = vi.getTimerCount()
  const state = watch(client, ended.signal)
  ended.abort()
  await vi.advanceTimersByTimeAsync(0)
  expect(state.done).toBe(true)
  expect(client.getQueryCache().hasListeners()).toBe(false)
  expect(vi.getTimerCount()).toBe(timers)
})
