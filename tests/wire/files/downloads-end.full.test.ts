/** A streamed response ends when its caller loses permissions, even halfway. */
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { download } from '#server/contracts/files.ts'
import type { Method } from '#server/contracts/method.ts'
import { binary } from '#shared/schema.ts'
import { boot, type Booted } from '../booted.ts'
import type { Browser } from '../browser.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'

let opened: Readable[] = []
let ready: PromiseWithResolvers<void>

/** Takes until `ready` to find its content. */
const late: Method = {
  name: 'easydash.api.test.late',
  access: 'verified',
  verbs: ['GET'],
  description: 'An answer that takes its time.',
  returns: binary,
  async run() {
    await ready.promise
    const open = () => {
      const content = Readable.from(['content'])
      opened.push(content)
      return content
    }
    return download({ fileName: 'late.txt', contentType: 'text/plain', length: null, tag: null, open })
  },
}

/** Sends its first line at once, and the second one on request. */
let resume: PromiseWithResolvers<void>
const slow: Method = {
  name: 'easydash.api.test.slow',
  access: 'verified',
  verbs: ['GET'],
  description: 'An answer in two parts.',
  returns: binary,
  run: () =>
    Promise.resolve(
      download({
        fileName: 'slow.txt',
        contentType: 'text/plain',
        length: null,
        tag: null,
        open: () =>
          Readable.from(
            (async function* () {
              yield 'first'
              await resume.promise
              yield 'second'
            })(),
          ),
      }),
    ),
}

let booted: Booted
beforeAll(async () => {
  booted = await boot({ methods: [slow, late] })
  await booted.organization('acme', {
    'member@acme.example': 'Organization User',
    'other@acme.example': 'Organization User',
  })
})
afterAll(() => booted.close())

async function begun(browser: Browser): Promise<{ rest(): Promise<string> }> {
  resume = Promise.withResolvers()
  const response = await browser.fetch('/api/method/easydash.api.test.slow')
  const reader = response.body?.getReader()
  const text = (value: Uint8Array | undefined) => new TextDecoder().decode(value)
  expect(text((await reader?.read())?.value)).toBe('first')
  return { rest: async () => text((await reader?.read())?.value) }
}

const inSystem = <T>(fn: Parameters<typeof booted.documents.transaction<T>>[1]) =>
  booted.documents.transaction(booted.system, fn)

test('it goes on to its end while nothing happens to the caller', async () => {
  const response = await begun(await booted.signedIn('member@acme.example'))
  await inSystem((tx) => tx.update(UserDoctype, 'other@acme.example', { enabled: 0 }))
  resume.resolve()
  expect(await response.rest()).toBe('second')
})

test('it is cut off when its account is disabled, and when its session ends', async () => {
  const ending = async (browser: Browser, end: () => Promise<unknown>): Promise<string> => {
    const response = await begun(browser)
    const rest = response.rest().catch(() => 'cut off')
    await end()
    const found = await rest
    resume.resolve()
    return found
  }
  const browser = await booted.signedIn('member@acme.example')
  expect(await ending(browser, () => browser.app.call().post('logout'))).toBe('cut off')
  const again = await booted.signedIn('member@acme.example')
  const disable = () => inSystem((tx) => tx.update(UserDoctype, 'member@acme.example', { enabled: 0 }))
  expect(await ending(again, disable)).toBe('cut off')
})

test('of callers who hang up before it begins, nothing stays', async () => {
  const browser = await booted.signedIn('owner@acme.example')
  const { sessions } = booted.accounts
  const subscribe = sessions.onRevoked
  let subscribed = 0
  sessions.onRevoked = (listener) => {
    const stop = subscribe(listener)
    subscribed += 1
    return () => {
      subscribed -= 1
      stop()
    }
  }
  try {
    ready = Promise.withResolvers()
    opened = []
    const caller = new AbortController()
    const called = browser.fetch('/api/method/easydash.api.test.late', { signal: caller.signal })
    const arrived = new Promise<void>((resolve) => booted.wire.fastify.server.once('request', () => resolve()))
    const closed = new Promise<void>((resolve) =>
      booted.wire.fastify.server.once('request', (_request, response) => response.once('close', resolve)),
    )
    await arrived
    caller.abort()
    await expect(called).rejects.toThrow()
    await closed
    ready.resolve()
    await expect.poll(() => opened.map((content) => content.destroyed)).toEqual([true])
    await expect.poll(() => subscribed).toBe(0)
  } finally {
    sessions.onRevoked = subscribe
  }
})
