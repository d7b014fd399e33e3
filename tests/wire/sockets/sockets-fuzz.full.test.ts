import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { boot, type Booted } from '../booted.ts'
import { ask } from '../raw.ts'
import type { Browser } from '../browser.ts'
import { createDialer, untilProcessed } from './socket-client.ts'

const settings = { seed: 20_260_101 }

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

const word = fc.oneof(
  fc.constantFrom(
    'Server',
    'Organization',
    'acme',
    '__proto__',
    'constructor',
    '\u0000',
    '\ud800',
    '',
    'x'.repeat(400),
    '{',
    '0',
    '40',
    '42["a"]',
    '451-["a",{"_placeholder":true,"num":0}]',
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
)
const json = fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' })

it('answers no socket event with a defect, and the connection goes on', async () => {
  const dialer = createDialer(() => booted)
  const socket = await dialer.connected(browser)
  const event = fc.constantFrom(
    'doc_subscribe',
    'doc_unsubscribe',
    'doc_open',
    'doc_close',
    'doctype_subscribe',
    'doctype_unsubscribe',
    'task_subscribe',
    'task_unsubscribe',
    'progress_subscribe',
    'catch_up',
    'toString',
    'no_such_event',
  )
  try {
    await fc.assert(
      fc.asyncProperty(event, fc.array(fc.oneof(word, json), { maxLength: 4 }), async (name, args) => {
        socket.emit(name, ...args)
        await untilProcessed(socket)
      }),
      // A connection may send some hundred events at once; excess ones are ignored, including pings.
      { ...settings, numRuns: 200 },
    )
    expect(socket.connected).toBe(true)
  } finally {
    dialer.closeAll()
  }
})

it('answers no bytes to the socket server with a 5xx', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(
        '',
        '?EIO=4&transport=polling',
        '?EIO=4&transport=websocket',
        '?EIO=9',
        '?sid=x',
        '?transport=__proto__',
      ),
      fc.constantFrom('GET', 'POST', 'PUT', 'OPTIONS'),
      word,
      async (address, method, sent) => {
        const response = await ask(booted.port, {
          path: `/socket.io/${address}`,
          method,
          headers: { host: `localhost:${booted.port}`, cookie: browser.cookieHeader(), 'content-type': 'text/plain' },
          ...(method === 'GET' ? {} : { body: Buffer.from(sent) }),
        })
        expect(response.status).toBeLessThan(500)
      },
    ),
    { ...settings, numRuns: 300 },
  )
})
