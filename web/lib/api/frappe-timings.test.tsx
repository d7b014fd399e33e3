import { act, cleanup, render } from '@testing-library/react'
import { useEffect, type ReactNode } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ApiError } from './api-error.ts'
import { FrappeProvider, useLoaded } from './frappe.tsx'
import { openSocket } from '../events/socket.ts'
import { StillLoading } from '#web/ui/still-loading.tsx'

beforeEach(() => {
  vi.useFakeTimers()
  // A transport that never responds.
  const silent = class {
    open = () => undefined
    send = () => undefined
    abort = () => undefined
    setRequestHeader = () => undefined
    setDisableHeaderCheck = () => undefined
  }
  vi.stubGlobal('XMLHttpRequest', silent)
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Renders a component that reads data. */
async function show(Reader: () => ReactNode): Promise<HTMLElement> {
  const { container } = render(
    <FrappeProvider>
      <Reader />
    </FrappeProvider>,
  )
  await act(async () => undefined)
  return container
}

test('polls every 5 s while the socket is disconnected', async () => {
  const read = vi.fn(() => Promise.resolve(1))
  const Reader = () => useLoaded(['anything'], read).data
  await show(Reader)
  expect(read).toHaveBeenCalledTimes(1)
  await act(() => vi.advanceTimersByTimeAsync(4900))
  expect(read).toHaveBeenCalledTimes(1)
  await act(() => vi.advanceTimersByTimeAsync(200))
  expect(read).toHaveBeenCalledTimes(2)
})

test('data is not requested again within 2 s, or within 5 s on focus', async () => {
  const read = vi.fn(() => Promise.resolve(1))
  // Polling effectively off.
  const Reader = () => useLoaded(['fresh'], read, { refreshInterval: 60_000 }).data
  const focus = () => act(async () => void dispatchEvent(new Event('visibilitychange')))
  await show(Reader)
  await act(() => vi.advanceTimersByTimeAsync(1900))
  cleanup()
  await show(Reader)
  expect(read).toHaveBeenCalledTimes(1)
  await act(() => vi.advanceTimersByTimeAsync(200))
  cleanup()
  await show(Reader)
  expect(read).toHaveBeenCalledTimes(2)
  await act(() => vi.advanceTimersByTimeAsync(4900))
  await focus()
  expect(read).toHaveBeenCalledTimes(2)
  await act(() => vi.advanceTimersByTimeAsync(200))
  await focus()
  expect(read).toHaveBeenCalledTimes(3)
})

test('a failure is reported immediately, stays visible, and is retried after 5 s where that can help', async () => {
  const read = vi.fn(() => Promise.reject(new ApiError('Away')))
  const rejected = vi.fn(() => Promise.reject(new ApiError('Forbidden', { httpStatus: 403 })))
  function Reader() {
    const away = useLoaded(['away'], read, { refreshInterval: 60_000 })
    const closed = useLoaded(['closed'], rejected, { refreshInterval: 60_000 })
    return `${away.error?.message} ${away.isValidating}, ${closed.error?.message}`
  }
  const container = await show(Reader)
  await act(() => vi.advanceTimersByTimeAsync(0))
  expect(container.textContent).toBe('Away false, Forbidden')
  await act(() => vi.advanceTimersByTimeAsync(4900))
  expect(read).toHaveBeenCalledTimes(1)
  await act(() => vi.advanceTimersByTimeAsync(200))
  expect(read).toHaveBeenCalledTimes(2)
  expect(container.textContent).toBe('Away false, Forbidden')
  expect(rejected).toHaveBeenCalledTimes(1)
})

test('a reload ends with its first result, even if that is a failure that is retried later', async () => {
  const read = vi.fn(() => Promise.reject(new ApiError('Away')))
  let again: () => Promise<void> = () => Promise.resolve()
  function Reader() {
    const { error, reload } = useLoaded(['asked again'], read, { refreshInterval: 60_000 })
    useEffect(() => {
      again = reload
    })
    return error?.message
  }
  const container = await show(Reader)
  await act(() => vi.advanceTimersByTimeAsync(0))
  const ended = vi.fn()
  await act(async () => {
    void again().then(ended)
    await vi.advanceTimersByTimeAsync(0)
  })
  expect(read).toHaveBeenCalledTimes(2)
  expect(ended).toHaveBeenCalled()
  expect(container.textContent).toBe('Away')
})

test('an initial request that takes 3 s is reported as slow until it ends', async () => {
  const { promise, resolve } = Promise.withResolvers<number>()
  function Reader() {
    const { data, isSlow } = useLoaded(['slow'], () => promise)
    return (
      <>
        {data}
        <StillLoading slow={isSlow} />
      </>
    )
  }
  const container = await show(Reader)
  // Present from the start: screen readers ignore live regions that are added later.
  const region = container.querySelector('[aria-live=polite]')
  expect(region?.textContent).toBe('')
  await act(() => vi.advanceTimersByTimeAsync(2900))
  expect(region?.textContent).toBe('')
  await act(() => vi.advanceTimersByTimeAsync(200))
  expect(region?.textContent).toBe('Still loading…')
  await act(async () => {
    resolve(7)
    await vi.advanceTimersByTimeAsync(0)
  })
  expect(container.textContent).toBe('7')
})

test('an initial request that was superseded is not reported as slow after both have ended', async () => {
  const responses = [Promise.withResolvers<number>(), Promise.withResolvers<number>()]
  let requests = 0
  let again: () => Promise<void> = () => Promise.resolve()
  function Reader() {
    const { data, isSlow, reload } = useLoaded(
      ['overtaken'],
      () => (responses[requests++] as (typeof responses)[number]).promise,
    )
    useEffect(() => {
      again = reload
    })
    return (
      <>
        {data}
        <StillLoading slow={isSlow} />
      </>
    )
  }
  const container = await show(Reader)
  // A change event arrives while the first request is running.
  await act(async () => void again())
  expect(requests).toBe(2)
  await act(async () => responses[0]?.resolve(1))
  await act(async () => responses[1]?.resolve(2))
  await act(() => vi.advanceTimersByTimeAsync(4000))
  expect(container.textContent).toBe('2')
})

test('the socket reconnects automatically after 1 to 5 s, however often it is lost', () => {
  const socket = openSocket()
  const manager = socket.io
  const timings = {
    timeout: manager.timeout(),
    again: manager.reconnection(),
    attempts: manager.reconnectionAttempts(),
    first: manager.reconnectionDelay(),
    longest: manager.reconnectionDelayMax(),
    jitter: manager.randomizationFactor(),
  }
  socket.disconnect()
  expect(timings).toEqual({
    timeout: 20_000,
    again: true,
    attempts: Number.POSITIVE_INFINITY,
    first: 1000,
    longest: 5000,
    jitter: 0.5,
  })
  // No `transports` option: socket.io starts with polling, then upgrades.
  expect(manager.opts.transports).toBeUndefined()
  expect(manager.opts.upgrade).not.toBe(false)
})
