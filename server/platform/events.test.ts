import { expect, test } from 'vitest'
import { createEvents } from './events.ts'

test('listeners are called in order, until they leave', () => {
  const events = createEvents<{ saved: { name: string } }>({ error: () => undefined })
  const received: string[] = []
  const off = events.on('saved', ({ name }) => void received.push(`1 ${name}`))
  events.on('saved', ({ name }) => void received.push(`2 ${name}`))
  events.emit('saved', { name: 'a' })
  off()
  events.emit('saved', { name: 'b' })
  expect(received).toEqual(['1 a', '2 a', '2 b'])
})

test('logs a failing listener and runs the others', async () => {
  const logged: unknown[] = []
  const events = createEvents<{ saved: number }>({ error: (_message, fields) => void logged.push(fields?.['error']) })
  const [sync, later] = [new Error('sync'), new Error('later')]
  let received = 0
  events.on('saved', () => {
    throw sync
  })
  events.on('saved', () => Promise.reject(later))
  events.on('saved', (value) => {
    received = value
  })
  events.emit('saved', 7)
  await Promise.resolve()
  expect(received).toBe(7)
  expect(logged).toEqual([sync, later])
})

test('a listener that joins or leaves during an emit counts from the next one', () => {
  const events = createEvents<{ saved: null }>({ error: () => undefined })
  let second = 0
  const off = events.on('saved', () => {
    off()
    events.on('saved', () => void (second += 1))
  })
  events.emit('saved', null)
  expect(second).toBe(0)
  events.emit('saved', null)
  expect(second).toBe(1)
})
