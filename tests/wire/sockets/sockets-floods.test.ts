import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { boot, type Booted } from '../booted.ts'
import type { Browser } from '../browser.ts'
import { ask } from '../raw.ts'

let booted: Booted
let browser: Browser
beforeAll(async () => {
  booted = await boot()
  await booted.organization('acme')
  browser = await booted.signedIn('owner@acme.example')
})
afterAll(async () => {
  expect(booted.logged).toEqual([])
  await booted.close()
})

const address = '/socket.io/?EIO=4&transport='

/** A client's text frame as bytes; with a zero mask it stays readable. */
function frame(text: string): Buffer {
  const payload = Buffer.from(text)
  return Buffer.concat([Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0]), payload])
}

/** A raw websocket connection. */
async function upgraded(): Promise<Socket> {
  const socket = connect(booted.port, '127.0.0.1').on('error', () => undefined)
  socket.write(
    `GET ${address}websocket HTTP/1.1\r\nHost: localhost:${booted.port}\r\nCookie: ${browser.cookieHeader()}\r\n` +
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  await once(socket, 'data')
  return socket
}

it('handles messages that came together one by one, others in between', async () => {
  const socket = await upgraded()
  socket.write(frame('40/localhost,'))
  await once(socket, 'data')
  let received = ''
  let turns = 0
  const all = new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1')
      // Responses of one event loop turn arrive together.
      turns += 1
      if ((received.match(/\["pong"\]/g) ?? []).length === 400) resolve()
    })
  })
  socket.write(Buffer.concat(Array.from({ length: 400 }, () => frame('42/localhost,["ping"]'))))
  await all
  expect(turns).toBeGreaterThan(100)
  socket.destroy()
})

it('closes a connection whose message comes in countless pieces', async () => {
  const socket = await upgraded()
  socket.write(Buffer.from([0x01, 0x80, 0, 0, 0, 0]))
  socket.write(Buffer.concat(Array.from({ length: 5000 }, () => Buffer.from([0x00, 0x80, 0, 0, 0, 0]))))
  socket.resume()
  await once(socket, 'close')
})

it.each([
  ['packets', '6', 3000],
  ['questions for a namespace', '40/nothing,', 100],
])('closes a connection that sends too many %s in one request', async (_name, packet, count) => {
  const headers = { host: `localhost:${booted.port}`, 'content-type': 'text/plain' }
  const opened = await ask(booted.port, { path: `${address}polling`, headers })
  const { sid } = JSON.parse(opened.body.slice(1)) as { sid: string }
  const path = `${address}polling&sid=${sid}`
  const few = await ask(booted.port, { path, method: 'POST', headers, body: Array(10).fill(packet).join('\x1e') })
  expect(few.status).toBe(200)
  await ask(booted.port, { path, method: 'POST', headers, body: Array(count).fill(packet).join('\x1e') })
  expect((await ask(booted.port, { path, headers })).status).toBe(400)
})
