import { expect, test } from 'vitest'
import { createConnectionSlots } from './connection-slots.ts'

test('processes that share a port divide the connections of a person, and of guests', () => {
  const slots = createConnectionSlots(4)
  const free = Array.from({ length: 50 }, () => slots.take(null))
  expect([free.every((one) => one !== null), slots.isFull(null), slots.take(null)]).toEqual([true, true, null])
  free[0]?.()
  expect([slots.isFull(null), slots.isFull('a@acme.example')]).toEqual([false, false])
  expect([slots.mostAdmitted, createConnectionSlots().mostAdmitted]).toEqual([25, 100])
})
