import { mkdtemp } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ask, type EventKind, type SimulatedMachine } from './machine-life.ts'
import { startSimulatedCloud } from './simulated-cloud.ts'

test('a machine closes every connection while it is off, and when it is reset', async () => {
  const cloud = await startSimulatedCloud(await mkdtemp(join(tmpdir(), 'easydash-cloud-')), 1)
  const size = { vcpu: 1, ramBytes: 2 ** 30, diskBytes: 25 * 2 ** 30 }
  const ipv4 = cloud.start({ name: 'web-1', ...size, keys: [], userData: '' })
  const machine: SimulatedMachine<null> = { id: 1, name: 'web-1', firstType: null, ipv4, events: [] }
  const change = (kind: EventKind) => ask(machine, { id: 2, kind, fails: false, now: 0, cloud })
  const port = Number(cloud.addressMap[`${ipv4}:22`]?.split(':')[1])
  /** Connects, and gives its first words and its end. */
  const open = () => {
    const socket = connect(port, '127.0.0.1')
    const closed = new Promise<string>((resolve) => socket.once('close', () => resolve('')))
    const greeting = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))))
    return { closed, greeting: Promise.race([greeting, closed]) }
  }
  const greets = expect.stringMatching(/^SSH-2\.0/)
  try {
    await expect.poll(() => open().greeting).toEqual(greets)
    const before = open()
    expect(await before.greeting).toEqual(greets)
    change('stop')
    await before.closed
    expect(await open().greeting).toBe('')
    change('start')
    const after = open()
    expect(await after.greeting).toEqual(greets)
    change('reset')
    await after.closed
    expect(await open().greeting).toEqual(greets)
  } finally {
    await cloud.close()
  }
})
