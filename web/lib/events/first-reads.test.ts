import { QueryClient } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { firstReads } from './first-reads.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Whether the wait is over. */
function watch(client: QueryClient, signal = new AbortController().signal) {
  const seen = { done: false }
  void firstReads(client, signal).then(() => {
    seen.done = true
  })
  return seen
}
/** Starts a read; returns how to answer it. */
function read(client: QueryClient, key: string): () => void {
  let answer: (value: string) => void = () => undefined
  const response = new Promise<string>((resolve) => {
    answer = resolve
  })
  void client.fetchQuery({ queryKey: [key], queryFn: () => response })
  return () => answer('rows')
}

test('waits for the reads of a screen, and for those that follow from them', async () => {
  const client = new QueryClient()
  const answerFirst = read(client, 'sites')
  const seen = watch(client)
  await vi.advanceTimersByTimeAsync(1000)
  expect(seen.done).toBe(false)
  answerFirst()
  await vi.advanceTimersByTimeAsync(50)
  const answerSecond = read(client, 'servers')
  await vi.advanceTimersByTimeAsync(500)
  expect(seen.done).toBe(false)
  answerSecond()
  await vi.advanceTimersByTimeAsync(500)
  expect(seen.done).toBe(true)
})

test('does not wait for a server that never answers', async () => {
  const client = new QueryClient()
  read(client, 'sites')
  const seen = watch(client)
  await vi.advanceTimersByTimeAsync(2900)
  expect(seen.done).toBe(false)
  await vi.advanceTimersByTimeAsync(200)
  expect(seen.done).toBe(true)
})

test('ends with its page, and leaves no timer or listener behind', async () => {
  const client = new QueryClient()
  const ended = new AbortController()
  read(client, 'sites')
  const timers = vi.getTimerCount()
  const seen = watch(client, ended.signal)
  ended.abort()
  await vi.advanceTimersByTimeAsync(0)
  expect(seen.done).toBe(true)
  expect(client.getQueryCache().hasListeners()).toBe(false)
  expect(vi.getTimerCount()).toBe(timers)
})
