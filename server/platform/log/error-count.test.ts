import { expect, test, vi } from 'vitest'
import { countErrors } from './error-count.ts'
import { silentLog } from './log.ts'

test('errors are counted with those of child logs, the last hour apart; each still reaches the log', () => {
  let now = Date.parse('2026-01-01T00:00:00Z')
  const error = vi.fn()
  const child = vi.fn(() => ({ ...silentLog, error }))
  const { log, figures } = countErrors({ ...silentLog, error, child }, () => now)
  expect(figures()).toEqual({ since_start: 0, last_hour: 0, last_at: null })
  log.error('one', { a: 1 })
  log.warn('not counted')
  now += 3_600_001
  log.child({ part: 'x' }).error('two')
  expect(figures()).toEqual({ since_start: 2, last_hour: 1, last_at: '2026-01-01T01:00:00.001Z' })
  expect(error.mock.calls).toEqual([
    ['one', { a: 1 }],
    ['two', undefined],
  ])
  expect(child).toHaveBeenCalledWith({ part: 'x' })
})

test('a storm of errors is counted whole', () => {
  const { log, figures } = countErrors(silentLog)
  for (let n = 0; n < 2500; n += 1) log.error('again')
  expect(figures()).toMatchObject({ since_start: 2500, last_hour: 1000 })
})
