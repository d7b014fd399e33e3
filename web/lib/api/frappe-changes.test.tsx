import { act, render, waitFor } from '@testing-library/react'
import { QueryClientProvider } from '@tanstack/react-query'
import { expect, test, vi } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { dataClient, refetchAll } from './data-client.ts'
import { countKey } from './data-keys.ts'
import { createEventBus } from '../events/event-bus.ts'
import type { SocketLike } from '../events/event-rooms.ts'
import { useCount, useDoc } from './frappe.tsx'
import { BusContext } from '../events/use-events.ts'

const api = apiServer()

/** A connected fake socket; `emit` emits server events. */
function openSocket() {
  const handlers = new Map<string, (payload: never) => void>()
  const socket: SocketLike = {
    connected: true,
    on: (event, handler) => handlers.set(event, handler),
    off: (event) => handlers.delete(event),
    emit: () => undefined,
  }
  return { socket, emit: (event: string, payload: object) => handlers.get(event)?.(payload as never) }
}

test('each change is fetched once, however many components show the document', async () => {
  let version = 1
  api.on('resource/Site/shown-by-many', () => ({ data: { name: 'shown', status: 'Live', idx: version } }))
  const { socket, emit } = openSocket()
  const bus = createEventBus(socket, { since: 0, changed: () => undefined })
  const Shown = () => <p>{useDoc('Site', 'shown-by-many').data?.idx}</p>
  const { container } = render(
    <BusContext value={bus}>
      <Shown />
      <Shown />
      <Shown />
    </BusContext>,
  )
  await waitFor(() => expect(container.textContent).toBe('111'))
  expect(api.calls).toHaveLength(1)

  version = 2
  await act(async () => emit('doc_update', { doctype: 'Site', name: 'shown-by-many' }))
  await waitFor(() => expect(container.textContent).toBe('222'))
  expect(api.calls).toHaveLength(2)

  version = 3
  await act(async () => emit('doc_update', { doctype: 'Site', name: 'shown-by-many' }))
  await waitFor(() => expect(container.textContent).toBe('333'))

  // Each of the three throttles on its own clock; by the time of this one, the last of them was due for the previous.
  version = 4
  await act(async () => emit('doc_update', { doctype: 'Site', name: 'shown-by-many' }))
  await waitFor(() => expect(container.textContent).toBe('444'))
  expect(api.calls).toHaveLength(4)
})

test('a hidden tab fetches changes once it is shown, and those of jobs at once', async () => {
  let version = 1
  api.on('resource/Site/hidden', () => ({ data: { name: 'shown', status: 'Live', idx: version } }))
  api.on('resource/Job/hidden', () => ({ data: { name: 'shown', status: 'Live', idx: version } }))
  const { socket, emit } = openSocket()
  const bus = createEventBus(socket, { since: 0, changed: () => undefined })
  const Shown = () => (
    <>
      <p>{useDoc('Site', 'hidden').data?.idx}</p>
      <p>{useDoc('Job', 'hidden').data?.idx}</p>
    </>
  )
  const { container } = render(
    <QueryClientProvider client={dataClient}>
      <BusContext value={bus}>
        <Shown />
      </BusContext>
    </QueryClientProvider>,
  )
  await waitFor(() => expect(container.textContent).toBe('11'))

  const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true)
  const visibility = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
  for (version = 2; version < 4; version += 1) {
    await act(async () => emit('doc_update', { doctype: 'Site', name: 'hidden' }))
    await act(async () => emit('doc_update', { doctype: 'Job', name: 'hidden' }))
    await waitFor(() => expect(container.textContent).toBe(`1${version}`))
  }
  const before = api.calls.filter(({ name }) => name.includes('Site')).length
  expect(before).toBe(1)

  hidden.mockRestore()
  visibility.mockRestore()
  await act(async () => window.dispatchEvent(new Event('visibilitychange')))
  await waitFor(() => expect(container.textContent).toBe('43'))
  expect(api.calls.filter(({ name }) => name.includes('Site'))).toHaveLength(2)
})

test('what a change makes stale is read again, also while it is read for the first time', async () => {
  const first = Promise.withResolvers<void>()
  const counted = ['before', 'after']
  api.on('frappe.client.get_count', async () => {
    if (counted.shift() !== 'before') return { message: 1 }
    await first.promise
    return { message: 0 }
  })
  const Shown = () => <p>{useCount('Site', { filters: [['favorite', '=', 1]] }).data ?? 'unknown'}</p>
  const { container } = render(
    <QueryClientProvider client={dataClient}>
      <Shown />
    </QueryClientProvider>,
  )
  await waitFor(() => expect(api.calls.filter(({ name }) => name === 'frappe.client.get_count')).toHaveLength(1))
  await act(() => refetchAll(countKey('Site')))
  expect(container.textContent).toBe('1')
  await act(async () => first.resolve())
  expect(container.textContent).toBe('1')
})
