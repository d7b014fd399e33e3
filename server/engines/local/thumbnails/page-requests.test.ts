import { setImmediate as soon } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Devtools, DevtoolsListener } from '#server/platform/browser/devtools.ts'
import type { SourceResponse } from '../../screenshots.ts'
import { interceptRequests } from './page-requests.ts'

const origin = 'http://x.localhost'

/** The requests of a page and their outcome. */
function openPage(read: (path: string) => Promise<SourceResponse>) {
  const listeners: DevtoolsListener[] = []
  const sent: { method: string; params: Record<string, unknown> }[] = []
  const devtools: Devtools = {
    send: async (method, params = {}) => {
      sent.push({ method, params })
      return {}
    },
    on: (_event, listener) => void listeners.push(listener),
    fail: () => undefined,
    ended: new Promise(() => undefined),
  }
  const requests = interceptRequests(devtools, { origin, read }, 'page')
  return {
    requests,
    sent,
    ask: (requestId: string, request: object) => {
      for (const listener of listeners) listener({ requestId, resourceType: 'Image', request }, 'page')
    },
    fulfilled: () => sent.filter(({ method }) => method === 'Fetch.fulfillRequest'),
  }
}

const large = 8 * 1024 * 1024

test('does not buffer all responses of a page with many concurrent requests', async () => {
  let reading = 0
  let most = 0
  let read = 0
  const waiting: (() => void)[] = []
  const page = openPage(async () => {
    reading += 1
    read += 1
    most = Math.max(most, reading)
    await new Promise<void>((resolve) => waiting.push(resolve))
    reading -= 1
    return { status: 200, headers: {}, body: Buffer.alloc(large) }
  })
  for (let n = 0; n < 150; n += 1) page.ask(String(n), { method: 'GET', url: `${origin}/${n}.bin` })
  for (let rounds = 0; page.sent.length < 150 && rounds < 1_000; rounds += 1) {
    for (const go of waiting.splice(0)) go()
    await soon()
  }
  expect(page.sent).toHaveLength(150)
  expect(most).toBeLessThanOrEqual(6)
  expect(read).toBeLessThan(12)
  expect(page.fulfilled(), '24 MB in all').toHaveLength(3)
})

test('requests still waiting when the screenshot is taken are not sent', async () => {
  const read: string[] = []
  const waiting: (() => void)[] = []
  const page = openPage(async (path) => {
    read.push(path)
    await new Promise<void>((resolve) => waiting.push(resolve))
    return { status: 200, headers: {}, body: Buffer.from('x') }
  })
  for (let n = 0; n < 20; n += 1) page.ask(String(n), { method: 'GET', url: `${origin}/${n}` })
  await soon()
  page.requests.stop()
  for (const go of waiting.splice(0)) go()
  for (let rounds = 0; rounds < 20; rounds += 1) await soon()
  expect(read).toHaveLength(6)
  expect(page.sent).toEqual([])
})

test('blocks everything except reads from the site itself, without sending a request', async () => {
  const read: string[] = []
  const page = openPage((path) => {
    read.push(path)
    return Promise.reject(new Error('no'))
  })
  const strange = [
    { method: 'POST', url: `${origin}/` },
    { method: 'GET', url: 'http://y.localhost/' },
    { method: 'GET', url: 'http://x.localhost:81/' },
    { method: 'GET', url: 'http://user:word@x.localhost/' },
    { method: 'GET', url: 'file:///etc/passwd' },
    { method: 'GET', url: 'nonsense' },
  ]
  strange.forEach((request, n) => page.ask(String(n), request))
  await soon()
  expect(read).toEqual([])
  expect(page.sent.map(({ method }) => method)).toEqual(strange.map(() => 'Fetch.failRequest'))
})
