import { expect, test, vi } from 'vitest'
import type { SessionStore } from '#server/contracts/session.ts'
import { createAdmission } from './admission.ts'
import type { WireSocket } from './socket-types.ts'

/** A connection with a cookie, to a server whose session store uses `resolveCookie`. */
function connect(resolveCookie: SessionStore['resolveCookie']) {
  const close = vi.fn()
  const socket = {
    request: { headers: { host: 'dash.example', cookie: `sid=${'a'.repeat(43)}` } },
    nsp: { name: '/dash.example' },
    conn: { close },
    handshake: { headers: {} },
  } as unknown as WireSocket
  const admission = createAdmission({
    sessions: { resolveCookie } as SessionStore,
    readClient: () => ({ ip: '192.0.2.1', host: 'dash.example', loopback: false }),
    url: 'https://dash.example',
    now: () => 0,
  })
  return { admitted: admission.admit(socket), close }
}

test('an ended session is refused in words, on a connection that stays', async () => {
  const { admitted, close } = connect(() => Promise.resolve(null))
  await expect(admitted).rejects.toThrow('Unauthorized')
  expect(close).not.toHaveBeenCalled()
})

test('while sessions cannot be read the connection breaks, so that the client tries again', async () => {
  const { admitted, close } = connect(() => Promise.reject(new Error('Connection terminated')))
  await expect(admitted).rejects.toThrow('Connection terminated')
  expect(close).toHaveBeenCalled()
})
