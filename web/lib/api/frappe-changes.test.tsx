import { act } from 'react'
import { expect, test, vi } from 'vitest'
import { testRender, eventually } from '../browser/test-render.ts'
import { createEventBus, type SocketLike } from './event-bus.ts'
import { useDoc } from './frappe.tsx'
import { BusContext } from './use-events.ts'

const page = testRender()

/** A connected fake socket; `tell` emits server events. */
function openSocket() {
  const handlers = new Map<string, (payload: never) => void>()
  const socket: SocketLike = {
    connected: true,
    on: (event, handler) => handlers.set(event, handler),
    off: (event) => handlers.delete(event),
    emit: () => undefined,
  }
  return { socket, tell: (event: string, payload: object) => handlers.get(event)?.(payload as never) }
}

test('a change is read once, however many show the document, and the next change again', async () => {
  let version = 1
  const asked = vi.fn(async () => Response.json({ data: { version } }))
  vi.stubGlobal('fetch', asked)
  const { socket, tell } = openSocket()
  const bus = createEventBus(socket, { since: 0, changed: () => undefined })
  const Shown = () => <p>{useDoc<{ version: number }>('Site', 'shown by many').data?.version}</p>
  await act(async () =>
    page.root.render(
      <BusContext value={bus}>
        <Shown />
        <Shown />
        <Shown />
      </BusContext>,
    ),
  )
  await eventually(() => expect(page.place.textContent).toBe('111'))
  expect(asked).toHaveBeenCalledTimes(1)

  version = 2
  await act(async () => tell('doc_update', { doctype: 'Site', name: 'shown by many' }))
  await eventually(() => expect(page.place.textContent).toBe('222'))
  expect(asked).toHaveBeenCalledTimes(2)

  version = 3
  await act(async () => tell('doc_update', { doctype: 'Site', name: 'shown by many' }))
  await eventually(() => expect(page.place.textContent).toBe('333'))
  expect(asked).toHaveBeenCalledTimes(3)
})
