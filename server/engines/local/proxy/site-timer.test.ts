import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSiteTimer } from './site-timer.ts'

let now = 0
beforeEach(() => {
  now = 1_000
  vi.spyOn(performance, 'now').mockImplementation(() => now)
})
afterEach(() => vi.restoreAllMocks())

const upstream = () => new EventEmitter() as IncomingMessage
const visitor = () => new EventEmitter() as ServerResponse

test('nothing is measured before the site is asked, or once it had to be started', () => {
  const timer = createSiteTimer()
  expect(timer.ms()).toBeNull()
  timer.start()
  now += 50
  expect(timer.ms()).toBe(50)
  timer.discard()
  expect(timer.ms()).toBeNull()
})

test('it ends with the response, and the connection of the visitor does not count', () => {
  const timer = createSiteTimer()
  const [from, to] = [upstream(), visitor()]
  timer.start()
  timer.follow(from, to)
  now += 100
  from.emit('pause')
  now += 60_000
  to.emit('drain')
  now += 20
  from.emit('end')
  now += 5_000
  to.emit('close')
  expect(timer.ms()).toBe(120)
})

test('a visitor who leaves ends it', () => {
  const timer = createSiteTimer()
  const to = visitor()
  timer.start()
  timer.follow(upstream(), to)
  now += 3_000
  to.emit('close')
  now += 1_000
  expect(timer.ms()).toBe(3_000)
})
