import { expect, it } from 'vitest'
import { runningFact } from './widgets.tsx'

it('counts servers that run: the healthy and the degraded ones', () => {
  const rows = [
    { value: 'Healthy', n: 4 },
    { value: 'Degraded', n: 1 },
    { value: 'Disconnected', n: 1 },
    { value: 'Provisioning', n: 1 },
    { value: null, n: 1 },
  ]
  expect(runningFact(rows)).toEqual({ running: 5, all: 8 })
})
