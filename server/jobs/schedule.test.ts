import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { silentLog } from '#server/platform/log/log.ts'
import { createTestDatabase, type TestDatabase } from '#tests/support/database.ts'
import { formatTimestamp, type Clock } from './clock.ts'
import type { ScheduledWork, WorkOnHosts } from '#server/contracts/schedule.ts'
import { createSchedule } from './schedule.ts'
import { recheckMs } from './schedule-lease.ts'
import { jobTables } from './tables.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await database.database.db.transaction().execute(jobTables)
})
afterAll(() => database?.drop())
beforeEach(() => database.database.pool.query('delete from easydash_schedule'))

/** A manually advanced clock that knows when all pieces of work are waiting for it. */
function createManualClock() {
  let now = 1_000_000_000_000
  let timers: { at: number; fn: () => void }[] = []
  let waiting: { timers: number; resolve: () => void } | null = null
  const notifyWaiting = () => {
    if (waiting === null || timers.length !== waiting.timers) return
    waiting.resolve()
    waiting = null
  }
  const clock: Clock = {
    now: () => now,
    setTimeout: (fn, ms) => {
      const timer = { at: now + ms, fn }
      timers.push(timer)
      notifyWaiting()
      return timer
    },
    clearTimeout: (handle) => {
      timers = timers.filter((timer) => timer !== handle)
    },
  }
  return {
    ...clock,
    /** Resolves when this many pieces of work have checked for their turn and wait for the next. */
    looked: (count: number) =>
      new Promise<void>((resolve) => {
        waiting = { timers: count, resolve }
        notifyWaiting()
      }),
    pass(ms: number) {
      now += ms
      const due = timers.filter((timer) => timer.at <= now)
      timers = timers.filter((timer) => timer.at > now)
      for (const timer of due) timer.fn()
    },
  }
}

/** A process with its worker number; `liveWorkers` are the other live ones. */
function processOf(
  clock: Clock,
  worker: number,
  works: readonly (ScheduledWork | WorkOnHosts)[],
  liveWorkers: number[] = [],
  random = () => 0,
) {
  const schedule = createSchedule({ works, db: database.database.db, clock, log: silentLog, random })
  return {
    schedule,
    start: () => schedule.start({ worker, liveWorkers: () => Promise.resolve(new Set([worker, ...liveWorkers])) }),
  }
}

/** Work that records its runs. */
function recordingWork(name: string, more: Partial<ScheduledWork> = {}) {
  const ran: number[] = []
  const work: ScheduledWork = { name, everySeconds: 3600, run: async () => void ran.push(ran.length + 1), ...more }
  return { ran, work }
}

test('work goes on after a clock was ahead for longer than its period', async () => {
  const clock = createManualClock()
  const { ran, work } = recordingWork('ahead')
  const ahead = processOf({ ...clock, now: () => clock.now() + 40 * 86_400_000 }, 1, [work])
  ahead.start()
  await clock.looked(1)
  await ahead.schedule.stop()
  const { schedule, start } = processOf(clock, 1, [work])
  start()
  await clock.looked(1)
  expect(ran).toEqual([1, 2])
  await schedule.stop()
})

test('runs work once a period in one of all processes, continues after a failure, and at each start if declared', async () => {
  const ran: string[] = []
  const start = async (name: string, worker: number, clock: ReturnType<typeof createManualClock>) => {
    const hourly: ScheduledWork = {
      name: 'hourly',
      everySeconds: 3600,
      run: () => {
        ran.push(`${name} hourly`)
        return Promise.reject(new Error('fails'))
      },
    }
    const first = recordingWork(`start ${name}`, { atStart: true, run: async () => void ran.push(`${name} start`) })
    const { schedule, start: begin } = processOf(clock, worker, [hourly, first.work])
    begin()
    await clock.looked(2)
    return schedule
  }
  const clock = createManualClock()
  const one = await start('one', 1, clock)
  const second = createManualClock()
  const two = await start('two', 2, second)
  expect(ran.toSorted()).toEqual(['one hourly', 'one start', 'two start'])
  await two.stop()
  clock.pass(3_600_000)
  await clock.looked(2)
  expect(ran.slice(3).toSorted()).toEqual(['one hourly', 'one start'])
  await one.stop()
  const again = await start('one', 3, clock)
  expect(ran.slice(5)).toEqual(['one start'])
  await again.stop()
})

test('work every ten seconds runs every ten seconds', async () => {
  const clock = createManualClock()
  const { ran, work } = recordingWork('often', { everySeconds: 10 })
  const { schedule, start } = processOf(clock, 1, [work])
  start()
  await clock.looked(1)
  for (let round = 0; round < 12; round += 1) {
    clock.pass(10_000)
    await clock.looked(1)
  }
  expect(ran).toHaveLength(13)
  await schedule.stop()
})

test('no piece of work waits for another one', async () => {
  const clock = createManualClock()
  let release: () => void = () => undefined
  const slow = new Promise<void>((resolve) => {
    release = resolve
  })
  const quick = recordingWork('quick', { everySeconds: 60 })
  const { schedule, start } = processOf(clock, 1, [{ name: 'slow', everySeconds: 60, run: () => slow }, quick.work])
  start()
  await clock.looked(1)
  clock.pass(60_000)
  await clock.looked(1)
  expect(quick.ran).toHaveLength(2)
  release()
  await clock.looked(2)
  await schedule.stop()
})

/** Work on machines: on which it ran, and what ends it there. */
function workOnHosts(names: () => readonly string[]) {
  const ran: string[] = []
  const ends = new Map<string, () => void>()
  let onRun: () => void = () => undefined
  const run = (host: string) => () =>
    new Promise<void>((resolve) => {
      ends.set(host, resolve)
      ran.push(host)
      onRun()
    })
  const hosts = async () => new Map(names().map((host) => [host, run(host)]))
  const work: WorkOnHosts = { name: 'look', everySeconds: 60, hosts }
  return {
    ran,
    work,
    /** Resolves when it began that often. */
    async begun(count: number) {
      while (ran.length < count)
        await new Promise<void>((resolve) => {
          onRun = resolve
        })
    },
    end: (...all: readonly string[]) => all.forEach((host) => ends.get(host)?.()),
  }
}

test('each machine has its own time: a slow one delays no other, and machines come and go', async () => {
  const clock = createManualClock()
  let names = ['slow', 'quick']
  const { ran, work, begun, end } = workOnHosts(() => names)
  const { schedule, start } = processOf(clock, 1, [work])
  start()
  await begun(2)
  end('quick')
  // One timer is that of the list.
  await clock.looked(2)
  names = ['slow', 'quick', 'new']
  clock.pass(60_000)
  await begun(4)
  expect(ran.slice(2).toSorted()).toEqual(['new', 'quick'])
  end('new')
  await clock.looked(2)
  names = ['slow', 'quick']
  clock.pass(20_000)
  await clock.looked(1)
  end('slow', 'quick')
  await clock.looked(3)
  clock.pass(60_000)
  await begun(6)
  await clock.looked(1)
  expect(ran.slice(4).toSorted()).toEqual(['quick', 'slow'])
  end('slow', 'quick')
  await schedule.stop()
})

test('of many machines that are due, a few at a time are worked on', async () => {
  const clock = createManualClock()
  const { ran, work, begun, end } = workOnHosts(() => Array.from({ length: 20 }, (_, index) => `host-${index}`))
  const { schedule, start } = processOf(clock, 1, [work])
  start()
  for (const count of [8, 16]) {
    await begun(count)
    await clock.looked(1 + 20 - 8)
    expect(ran).toHaveLength(count)
    end(...ran)
    await clock.looked(1 + 20)
    clock.pass(1_000)
  }
  await begun(20)
  expect(new Set(ran).size).toBe(20)
  end(...ran)
  await schedule.stop()
})

test('turns that were missed are made up for once', async () => {
  const clock = createManualClock()
  const before = recordingWork('daily', { everySeconds: 86_400 })
  const first = processOf(clock, 1, [before.work])
  first.start()
  await clock.looked(1)
  await first.schedule.stop()
  clock.pass(5 * 86_400_000)
  const after = recordingWork('daily', { everySeconds: 86_400 })
  const later = processOf(clock, 2, [after.work])
  later.start()
  await clock.looked(1)
  clock.pass(43_200_000)
  expect(after.ran).toHaveLength(1)
  clock.pass(43_200_000)
  await clock.looked(1)
  expect(after.ran).toHaveLength(2)
  await later.schedule.stop()
})

test('work of a lost worker starts again, work of a live one is left to it', async () => {
  const clock = createManualClock()
  const began = (name: string, worker: number) =>
    database.database.pool.query('insert into easydash_schedule (name, last_run, worker) values ($1, $2, $3)', [
      name,
      formatTimestamp(clock.now() - 1000),
      worker,
    ])
  await began('lost', 77)
  await began('held', 88)
  const lost = recordingWork('lost')
  const held = recordingWork('held', { everySeconds: 1 })
  const { schedule, start } = processOf(clock, 1, [lost.work, held.work], [88])
  start()
  await clock.looked(2)
  // A worker that only lost its connection for a moment isn't considered dead.
  expect(lost.ran).toHaveLength(0)
  clock.pass(recheckMs)
  await clock.looked(2)
  expect(lost.ran).toHaveLength(1)
  expect(held.ran).toHaveLength(0)
  await schedule.stop()
})

test('of many processes that see a turn exactly one takes it', async () => {
  const clock = createManualClock()
  const ran: number[] = []
  const processes = Array.from({ length: 6 }, (_, worker) => {
    const shared: ScheduledWork = { name: 'shared', everySeconds: 3600, run: async () => void ran.push(worker) }
    return processOf(clock, worker + 1, [shared], [1, 2, 3, 4, 5, 6])
  })
  for (const { start } of processes) start()
  await clock.looked(6)
  expect(ran).toHaveLength(1)
  await Promise.all(processes.map(({ schedule }) => schedule.stop()))
})

test('runs up to a tenth of its period late, and never early', async () => {
  const clock = createManualClock()
  const { ran, work } = recordingWork('minutely', { everySeconds: 60 })
  const { schedule, start } = processOf(clock, 1, [work], [], () => 1)
  start()
  await clock.looked(1)
  clock.pass(65_999)
  expect(ran).toHaveLength(1)
  clock.pass(1)
  await clock.looked(1)
  expect(ran).toHaveLength(2)
  await schedule.stop()
})

test('a stop waits for the work that is under way, and begins none', async () => {
  const clock = createManualClock()
  let release: () => void = () => undefined
  let onBegin: () => void = () => undefined
  let ended = false
  const begun = new Promise<void>((resolve) => {
    onBegin = resolve
  })
  const long: ScheduledWork = {
    name: 'long',
    everySeconds: 60,
    run: async () => {
      onBegin()
      await new Promise<void>((done) => {
        release = done
      })
      ended = true
    },
  }
  const { schedule, start } = processOf(clock, 1, [long])
  start()
  await begun
  const stopping = schedule.stop()
  release()
  await stopping
  expect(ended).toBe(true)
  clock.pass(3_600_000)
  expect((await database.database.pool.query('select worker from easydash_schedule')).rows).toEqual([{ worker: null }])
})
