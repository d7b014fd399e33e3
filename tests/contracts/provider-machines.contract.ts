import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { operationLabel, type Machine, type MachineOrder, type Machines } from '#server/providers/provider.ts'
import { failureOf } from './provider.contract.ts'
import { secrets, type MachineFacts, type ProviderCase, type ProviderUnderTest } from './provider-under-test.ts'

export const publicKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDIhz2GK/XCUj4i6Q5yQJNL1MKgZm9UPGNvs2ZDDTWFr easydash'

/** An order of a machine. */
export const orderOf = ({ region, type }: MachineFacts, key: string, operation: string): MachineOrder => ({
  operation,
  name: 'Web 1.acme.example',
  region,
  type,
  diskGigabytes: 40,
  keys: [key],
  userData: '#cloud-config\n',
  labels: { 'easydash-server': 'srv1' },
})

/** Every provider has to pass this as well. */
export function describeMachines(one: ProviderCase): void {
  const { machines: facts } = one
  describe(`machines of ${one.name}`, () => {
    let at: ProviderUnderTest
    let machines: Machines
    let key: string
    const machinesOf = (secret: string): Machines => at.open(secret).machines
    const order = (operation: string) => orderOf(facts, key, operation)
    beforeEach(async () => {
      at = await one.start()
      machines = machinesOf(secrets.full)
      key = await machines.ensureKey(publicKey, facts.region)
    })
    afterEach(async () => {
      await at.vendor.close()
      expect(at.vendor.problems).toEqual([])
    })
    const made = () => at.contentsOf(secrets.full).servers

    /** Repeats a step as a job does, until it succeeds. A request that hangs ends with the deadline. */
    async function untilDone<T>(step: (signal: AbortSignal) => Promise<T>): Promise<T> {
      for (let attempt = 1; attempt < 5; attempt += 1) {
        const deadline = new AbortController()
        void at.vendor.whenHanging().then(() => deadline.abort(new Error('Time is up')))
        const result = await step(deadline.signal).catch(() => null)
        if (result !== null) return result
      }
      return expect.fail('Not done after four attempts')
    }

    test('are created, start, and get their addresses', async () => {
      const created = await machines.create(order('op1'))
      expect(created).toMatchObject({
        status: 'starting',
        region: facts.region,
        type: facts.type,
        labels: { 'easydash-server': 'srv1', [operationLabel]: 'op1' },
      })
      at.pass(facts.actionMs)
      expect(await machines.observe(created.id)).toEqual({
        ...created,
        status: 'running',
        ipv4: expect.stringMatching(/^[\d.]+$/),
        ipv6: facts.ipv6,
      })
    })

    test('are created once for an operation, also by two processes at the same time', async () => {
      const [first, second] = await Promise.all([machines.create(order('op1')), machines.create(order('op1'))])
      expect(second.id).toBe(first.id)
      const before = at.vendor.seen.length
      expect((await machines.create(order('op1'))).id).toBe(first.id)
      const seen = at.vendor.seen.slice(before).map(({ method, path, body }) => `${method} ${path} ${body}`)
      expect(seen).toEqual([expect.stringMatching(new RegExp(`^${facts.listRequest}`))])
      expect(made()).toHaveLength(1)
      await machines.create(order('op2'))
      expect(made()).toHaveLength(2)
    })

    const kinds = ['lose_answer', 'server_error', 'garbage', 'rate_limit', 'hang', 'lag'] as const
    test.each(kinds.flatMap((kind) => [0, 1, 2].map((after) => [kind, after] as const)))(
      'are created once whatever happens: %s at request %i',
      async (kind, after) => {
        at.faults.push({ kind, after })
        const found = await untilDone((signal) => machines.create(order('op1'), signal))
        at.faults.length = 0
        expect((await machines.create(order('op1'))).id).toBe(found.id)
        expect(made()).toHaveLength(1)
      },
    )

    test('are created once if the answer is lost and lists do not show them yet', async () => {
      at.faults.push({ kind: 'lose_answer', on: facts.createRequest }, { kind: 'lag', on: facts.listRequest, times: 3 })
      const found = await machines.create(order('op1'))
      expect(found.labels[operationLabel]).toBe('op1')
      expect(made()).toHaveLength(1)
    })

    test.each(['quota', 'out_of_stock'] as const)('are not created when the vendor refuses: %s', async (kind) => {
      // In all zones of the region, where the vendor has some.
      at.faults.push({ kind, on: facts.createRequest, times: 4 })
      expect(await failureOf(machines.create(order('op1')))).toMatchObject({ kind, retryable: false })
      expect(made()).toEqual([])
    })

    test('of an unknown type are refused by name, and those of a read-only key for its rights', async () => {
      expect(await failureOf(machines.create({ ...order('op1'), type: 'huge' }))).toMatchObject({
        kind: 'invalid',
        words: expect.stringMatching(/type|size/),
      })
      const reading = machinesOf(secrets.read)
      expect(await failureOf(reading.create(order('op1')))).toMatchObject({ kind: 'wrong_scope' })
      expect(await failureOf(reading.ensureKey(publicKey, facts.region))).toMatchObject({ kind: 'wrong_scope' })
    })

    test('that could not be started say so', async () => {
      at.faults.push({ kind: 'fail_later', on: facts.createRequest })
      const { id } = await machines.create(order('op1'))
      expect(await machines.observe(id)).toMatchObject({ status: 'starting' })
      at.pass(facts.actionMs)
      expect(await failureOf(machines.observe(id))).toMatchObject(facts.startFailure)
    })

    test('are deleted, also while they start, twice, or after a lost answer', async () => {
      const starting = await machines.create(order('op1'))
      await machines.delete(starting.id)
      await machines.delete(starting.id)
      at.pass(facts.actionMs)
      expect(await machines.observe(starting.id)).toBeNull()
      const running = await machines.create(order('op2'))
      at.pass(facts.actionMs)
      at.faults.push({ kind: 'lose_answer', on: facts.deleteRequest })
      await machines.delete(running.id)
      at.pass(facts.actionMs)
      expect(await machines.observe(running.id)).toBeNull()
      expect(made()).toEqual([])
    })

    test('are listed by label, each only in its own project', async () => {
      const ids = (list: readonly Machine[]) => list.map(({ id }) => id)
      const first = await machines.create(order('op1'))
      const second = await machines.create({ ...order('op2'), labels: { 'easydash-server': 'srv2' } })
      expect(ids(await machines.list({ name: operationLabel }))).toEqual([first.id, second.id])
      expect(ids(await machines.list({ name: 'easydash-server', value: 'srv2' }))).toEqual([second.id])
      expect(await machines.list({ name: 'other' })).toEqual([])
      const elsewhere = machinesOf(secrets.other)
      expect(await elsewhere.list({ name: operationLabel })).toEqual([])
      expect(await elsewhere.observe(first.id)).toBeNull()
    })

    test.each(['lose_answer', 'server_error', 'rate_limit', 'hang'] as const)(
      'share one key, whatever happens when it is added: %s',
      async (kind) => {
        const project = machinesOf(secrets.other)
        at.faults.push({ kind, after: 1 })
        const id = await untilDone((signal) => project.ensureKey(publicKey, facts.region, signal))
        expect(await project.ensureKey(`${publicKey}-with-another-comment`, facts.region)).toBe(id)
        expect(at.contentsOf(secrets.other).keys).toHaveLength(1)
      },
    )

    describe('that exist', () => {
      let id: string
      beforeEach(async () => {
        ;({ id } = await machines.create(order('op1')))
        at.pass(facts.actionMs)
      })
      const observed = async () => {
        at.pass(facts.actionMs)
        return machines.observe(id)
      }
      const changes = () =>
        at.vendor.seen.filter(({ method, body }) => method === 'POST' && !body.startsWith('Action=Describe')).length
      const expectChanges = (count: number) => {
        if (facts.ignoresRepeats) expect(changes()).toBeGreaterThanOrEqual(count)
        else expect(changes()).toBe(count)
      }
      const turnOff = async () => {
        await machines.powerOff(id)
        expect(await observed()).toMatchObject({ status: 'off' })
      }

      test('are turned off and on, and what is done is not asked for again', async () => {
        await machines.powerOff(id)
        expect(await machines.observe(id)).not.toMatchObject({ status: 'off' })
        expect(await observed()).toMatchObject({ status: 'off' })
        await machines.powerOn(id)
        expect(await observed()).toMatchObject({ status: 'running' })
        const before = changes()
        await machines.powerOn(id)
        await machines.powerOff(id)
        await machines.powerOff(id)
        expectChanges(before + 1)
        expect(await observed()).toMatchObject({ status: 'off' })
      })

      test('get another type when they are off, once', async () => {
        expect(await failureOf(machines.changeType(id, facts.largerType))).toMatchObject({ retryable: false })
        await turnOff()
        await machines.changeType(id, facts.largerType)
        expect(await observed()).toMatchObject({ type: facts.largerType })
        const before = changes()
        await machines.changeType(id, facts.largerType)
        expectChanges(before)
      })

      test.each(['powerOff', 'reset', 'changeType'] as const)(
        'are asked once when an answer is lost: %s',
        async (method) => {
          if (method === 'changeType') await turnOff()
          at.faults.push({ kind: 'lose_answer', on: facts.requests[method] })
          const before = changes()
          await (method === 'changeType' ? machines.changeType(id, facts.largerType) : machines[method](id))
          expectChanges(before + 1)
          expect(at.faults).toEqual([])
        },
      )

      test.runIf(facts.tellsFailures)('say that the vendor could not do what it had accepted', async () => {
        at.faults.push({ kind: 'fail_later', on: facts.requests.powerOff })
        await machines.powerOff(id)
        at.pass(facts.actionMs)
        expect(await failureOf(machines.observe(id))).toMatchObject({ kind: 'unavailable' })
        await turnOff()
      })

      test('are copied to one snapshot for an operation, whatever happens', async () => {
        const snapshot = { operation: 'snap1', machine: id, label: 'web-1 before resize' }
        at.faults.push({ kind: 'lose_answer', on: facts.requests.snapshot }, { kind: 'lag', times: 6 })
        const made = await machines.snapshot(snapshot)
        expect((await machines.snapshot(snapshot)).id).toBe(made.id)
        at.pass(facts.actionMs)
        const ready = await machines.observeSnapshot(made.id)
        expect(ready).toEqual({ id: made.id, status: 'ready', sizeBytes: expect.any(Number) })
        expect(await machines.snapshot(snapshot)).toEqual(ready)
        expect(at.contentsOf(secrets.full).snapshots).toEqual([expect.stringContaining(snapshot.label)])
        await machines.delete(id)
        at.pass(facts.actionMs)
        expect(await machines.observeSnapshot(made.id)).toEqual(ready)
      })

      test('say that a snapshot failed, and make another then', async () => {
        const snapshot = { operation: 'snap1', machine: id, label: 'web-1' }
        at.faults.push({ kind: 'fail_later', on: facts.requests.snapshot })
        const failed = await machines.snapshot(snapshot)
        expect(failed).toMatchObject({ status: 'creating', sizeBytes: null })
        at.pass(facts.actionMs)
        expect(await failureOf(machines.observeSnapshot(failed.id))).toMatchObject({ kind: 'unavailable' })
        expect(await machines.observe(id)).toMatchObject({ status: 'running' })
        const { id: next } = await machines.snapshot(snapshot)
        at.pass(facts.actionMs)
        expect(await machines.observeSnapshot(next)).toMatchObject({ status: 'ready' })
      })

      test('are gone: nothing can be asked of them', async () => {
        await machines.delete(id)
        // AWS still knows it for an hour.
        at.pass(4_000_000)
        expect(await failureOf(machines.powerOff(id))).toMatchObject({ kind: 'not_found' })
        expect(await failureOf(machines.reset(id))).toMatchObject({ kind: 'not_found' })
      })
    })
  })
}
