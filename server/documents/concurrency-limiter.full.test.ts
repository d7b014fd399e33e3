import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDocuments, sessionOf, type TestDocuments } from '#tests/support/documents.ts'
import { GadgetDoctype } from '#tests/support/gadget.ts'
import type { Session } from '#server/contracts/session.ts'
import { createConcurrencyLimiter } from './concurrency-limiter.ts'

const ann = sessionOf('ann@example.com', 'acme')
const bob = sessionOf('bob@example.com', 'acme')

/** Work that ends when the test decides. */
function createHeldWork() {
  const turns = createConcurrencyLimiter()
  const started: { name: string; end: () => void }[] = []
  const ended: string[] = []
  const add = (session: Session, name: string) =>
    turns
      .run(session, () => new Promise<void>((end) => started.push({ name, end })))
      .then(
        () => void ended.push(name),
        (error: { code?: string }) => void ended.push(`${name} ${error.code}`),
      )
  const settle = () => new Promise(setImmediate)
  return { turns, add, settle, started, ended, names: () => started.map(({ name }) => name) }
}

describe('turns', () => {
  test('runs four calls of a user concurrently and queues the others in order; other users do not wait', async () => {
    const { add, settle, started, names } = createHeldWork()
    for (let n = 0; n < 10; n += 1) void add(ann, `ann${n}`)
    void add(bob, 'bob')
    await settle()
    expect(names()).toEqual(['ann0', 'ann1', 'ann2', 'ann3', 'bob'])
    started[1]?.end()
    await settle()
    expect(names().at(-1)).toBe('ann4')
    started[0]?.end()
    started[2]?.end()
    await settle()
    expect(names().slice(-2)).toEqual(['ann5', 'ann6'])
  })

  test('a person’s tokens and browsers take turns together, guests by their network', async () => {
    const { add, settle, names } = createHeldWork()
    const guest = (ip: string) => sessionOf('Guest', null, { kind: 'guest', ip })
    const token = sessionOf('ann@example.com', 'acme', { kind: 'token', via: 'api' })
    for (let n = 0; n < 3; n += 1) void add(ann, `a${n}`)
    for (let n = 0; n < 3; n += 1) void add(token, `t${n}`)
    for (let n = 0; n < 5; n += 1) void add(guest(`2001:db8::${n + 1}`), `g${n}`)
    void add(guest('2001:db8:1::1'), 'elsewhere')
    await settle()
    expect(names()).toEqual(['a0', 'a1', 'a2', 't0', 'g0', 'g1', 'g2', 'g3', 'elsewhere'])
  })

  test('two hundred wait, more are turned away', async () => {
    const { add, settle, started, ended } = createHeldWork()
    for (let n = 0; n < 207; n += 1) void add(ann, `${n}`)
    await settle()
    expect(ended).toEqual(['204 rate_limited', '205 rate_limited', '206 rate_limited'])
    expect(started).toHaveLength(4)
  })

  test('jobs and internal work are not limited', async () => {
    const { add, settle, names } = createHeldWork()
    for (let n = 0; n < 4; n += 1) void add(ann, `ann${n}`)
    void add({ ...ann, via: 'job' }, 'job')
    void add({ ...ann, kind: 'system' }, 'own')
    await settle()
    expect(names().toSorted()).toEqual(['ann0', 'ann1', 'ann2', 'ann3', 'job', 'own'])
  })

  test('work inside work does not wait for itself, and work that outlives it takes a turn of its own', async () => {
    const { turns, add, settle, names } = createHeldWork()
    const nested = (depth: number): Promise<number> =>
      depth === 0 ? Promise.resolve(1) : turns.run(ann, () => nested(depth - 1))
    expect(await Promise.all(Array.from({ length: 20 }, () => nested(3)))).toEqual(Array<number>(20).fill(1))
    let later: () => void = () => undefined
    await turns.run(ann, async () => {
      void new Promise<void>((resolve) => (later = resolve)).then(() => add(ann, 'later'))
    })
    for (let n = 0; n < 4; n += 1) void add(ann, `ann${n}`)
    later()
    await settle()
    expect(names()).toEqual(['ann0', 'ann1', 'ann2', 'ann3'])
  })

  test('runs every call and at most four per user, even if calls fail', async () => {
    const call = fc.record({ who: fc.constantFrom(ann, bob), fails: fc.boolean(), ticks: fc.nat(5) })
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 60 }), async (calls) => {
        const turns = createConcurrencyLimiter()
        const running = new Map<string, number>()
        const results = await Promise.allSettled(
          calls.map(({ who, fails, ticks }) =>
            turns.run(who, async () => {
              const now = (running.get(who.user) ?? 0) + 1
              running.set(who.user, now)
              expect(now).toBeLessThanOrEqual(4)
              for (let n = 0; n < ticks; n += 1) await Promise.resolve()
              running.set(who.user, (running.get(who.user) ?? 0) - 1)
              if (fails) throw new Error('It failed.')
            }),
          ),
        )
        expect(results.map(({ status }) => status)).toEqual(
          calls.map(({ fails }) => (fails ? 'rejected' : 'fulfilled')),
        )
      }),
      { numRuns: 50 },
    )
  })
})

describe('many parallel lists of one person', () => {
  let t: TestDocuments
  beforeAll(async () => {
    t = await createTestDocuments({ extra: [GadgetDoctype] })
    await t.organization('acme')
    await t.organization('globex')
    await t.member('acme', 'member@acme.example', 'Organization User')
  })
  afterAll(() => t?.close())

  /** Blocks lists of gadgets with a lock, as a large table would; `release` lets them continue. */
  async function blockGadgetLists() {
    const { connectionConfig } = t.test.database
    // Separate from the pool, so that the calls can use all of its connections.
    const [holder, watcher] = [new pg.Client(connectionConfig), new pg.Client(connectionConfig)]
    await Promise.all([holder.connect(), watcher.connect()])
    await holder.query('begin')
    await holder.query('lock table tab_gadget in access exclusive mode')
    const waiting = async () => {
      const { rows } = await watcher.query<{ n: number }>(
        "select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
      )
      return rows[0]?.n ?? 0
    }
    return {
      /**
       * The number of calls that wait for the lock once it hasn't changed for several checks. Below `expected` that may be a
       * connection that is still being opened, so that number is waited for.
       */
      async settled(expected: number): Promise<number> {
        let last = -1
        for (let same = 0; same < 50;) {
          const now = await waiting()
          same = now === last && now >= expected ? same + 1 : 0
          last = now
        }
        return last
      },
      release: async () => {
        await holder.query('rollback')
        await Promise.all([holder.end(), watcher.end()])
      },
    }
  }

  test.each([
    ['list', (session: Session) => t.documents.list(session, 'Gadget', {})],
    ['count', (session: Session) => t.documents.count(session, 'Gadget', {})],
    ['search', (session: Session) => t.documents.search(session, 'Gadget', { txt: 'x' })],
    ['transaction', (session: Session) => t.documents.transaction(session, (tx) => tx.list('Gadget', []))],
    // The documents are only read if a rule decides.
    ['readsOneOf', () => t.documents.readsOneOf(sessionOf('member@acme.example', 'acme'), 'Gadget', ['x', 'y'])],
  ])('leave connections to everybody else: %s', async (_verb, call) => {
    const owner = sessionOf('owner@acme.example', 'acme')
    const other = sessionOf('owner@globex.example', 'globex')
    const held = await blockGadgetLists()
    const calls = Array.from({ length: 40 }, () => call(owner))
    const first = Promise.race(calls).then(
      () => 'the lists',
      () => 'the lists',
    )
    expect(await Promise.race([t.documents.list(other, 'Saved View', {}).then(() => 'the other'), first])).toBe(
      'the other',
    )
    expect(await held.settled(4)).toBe(4)
    await held.release()
    expect(await Promise.all(calls)).toHaveLength(40)
  })

  test('are not let through by what the person’s own sockets hear of', async () => {
    const owner = sessionOf('owner@acme.example', 'acme')
    const received: Promise<unknown>[] = []
    const stop = t.documents.onEvent(() => {
      for (let n = 0; n < 30; n += 1) received.push(t.documents.list(owner, 'Gadget', {}))
    })
    const held = await blockGadgetLists()
    await t.documents.insert(owner, 'Saved View', { title: 'v', reference_doctype: 'Site' })
    stop()
    expect(await held.settled(4)).toBe(4)
    await held.release()
    expect(await Promise.all(received)).toHaveLength(60)
  })
})
