import { afterAll, beforeAll, expect, test } from 'vitest'
import { silentLog } from '#server/platform/log.ts'
import { createTestDatabase, type TestDatabase } from '../../tests/support/database.ts'
import { startTestProcess, type TestProcess } from '../../tests/support/jobs.ts'
import type { Clock } from './clock.ts'
import { createSchedule } from './schedule.ts'

let database: TestDatabase
let running: TestProcess
beforeAll(async () => {
  database = await createTestDatabase()
  running = await startTestProcess(database.database, { start: false })
})
afterAll(async () => {
  await running?.stop()
  await database?.drop()
})

/** A clock whose ticks the test makes. */
function handClock(): Clock & { pass(ms: number): void } {
  let now = 1_000_000_000
  let timers: { at: number; fn: () => void }[] = []
  return {
    now: () => now,
    setTimeout: (fn, ms) => {
      const timer = { at: now + ms, fn }
      timers.push(timer)
      return timer
    },
    clearTimeout: (handle) => {
      timers = timers.filter((timer) => timer !== handle)
    },
    pass(ms) {
      now += ms
      const due = timers.filter((timer) => timer.at <= now)
      timers = timers.filter((timer) => timer.at > now)
      for (const timer of due) timer.fn()
    },
  }
}

test('work runs once a period in one process of all, goes on after a failure, and at each start where it says so', async () => {
  const clock = handClock()
  const ran: string[] = []
  let told: () => void = () => undefined
  const make = (name: string) => {
    const schedule = createSchedule({ db: database.database.db, clock, log: silentLog })
    schedule.add({
      name: 'hourly',
      everySeconds: 3600,
      run: () => {
        ran.push(`${name} hourly`)
        return Promise.reject(new Error('fails'))
      },
    })
    schedule.add({
      name: `start ${name}`,
      everySeconds: 3600,
      atStart: true,
      run: async () => {
        ran.push(`${name} start`)
        told()
      },
    })
    return schedule
  }
  /** Resolves when that process has come to the end of a round. */
  const round = async (act: () => void) => {
    const done = new Promise<void>((resolve) => {
      told = resolve
    })
    act()
    await done
  }
  const one = make('one')
  const two = make('two')
  await round(() => one.start())
  await round(() => two.start())
  expect(ran).toEqual(['one hourly', 'one start', 'two start'])
  await one.stop()
  await two.stop()

  const again = make('one')
  await round(() => again.start())
  expect(ran.slice(3)).toEqual(['one start'])
  await again.stop()

  const later = make('one')
  clock.pass(3_600_000)
  await round(() => later.start())
  expect(ran.slice(4)).toEqual(['one hourly', 'one start'])
  await later.stop()
})
