/**
 * Runs before each test file of the web app. The files of a worker share one document, because making one takes longer than
 * most of them: what others left in it is removed. Modules of the app are loaded anew.
 */
import { cleanup, configure } from '@testing-library/react'
import * as React from 'react'
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest'

vi.resetModules()
vi.unstubAllGlobals()
localStorage.clear()
sessionStorage.clear()
for (const cookie of document.cookie.split('; '))
  for (const path of ['', '; path=/']) document.cookie = `${cookie.split('=')[0]}=; max-age=-1${path}`
// A link that was followed can have led to any address.
const { happyDOM } = globalThis as unknown as { happyDOM: { setURL(url: string): void } }
happyDOM.setURL('http://localhost:3000/')
history.replaceState(null, '')
document.head.replaceChildren()
document.body.replaceChildren()
for (const element of [document.documentElement, document.body])
  for (const name of element.getAttributeNames()) element.removeAttribute(name)

// How long `findBy…` and `waitFor` wait at most, because code that loads on demand can take seconds.
configure({ asyncUtilTimeout: 60_000 })
// Testing Library does both by itself, but only for the file that loads it first.
Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
afterEach(cleanup)
// As after the first view of a page.
beforeAll(async () => {
  if (expect.getState().testPath?.endsWith('.tsx'))
    await (await import('#web/ui/overlay/later-layers.ts')).layers.load()
})

// React keeps a stack of each element for the words of its warnings, up to this many a second: a sixth of the time of these tests.
const internals: unknown = Reflect.get(React, '__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE')
Object.defineProperty(internals, 'recentlyCreatedOwnerStacks', { get: () => Infinity, set() {}, configurable: true })

// A request that waits to be tried again would reach the next file.
const { setTimeout: start } = globalThis
const started = new Set<ReturnType<typeof start>>()
const startNoted = (...args: Parameters<typeof start>) => {
  const timer = start(...args)
  started.add(timer)
  return timer
}
globalThis.setTimeout = Object.assign(startNoted, start)
afterAll(() => {
  vi.useRealTimers()
  globalThis.setTimeout = start
  for (const timer of started) clearTimeout(timer)
})
