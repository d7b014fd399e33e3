import { lookup } from 'node:dns/promises'
import { chmod, copyFile, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SiteSpec } from '#server/engines/engine.ts'
import { descriptors } from '#server/engines/local/child/messages.ts'
import { startFixture, until, type EngineFixture } from '#server/engines/local/engine-fixture.ts'
import { sandboxOf } from './attack-scenario.ts'
import type { FloodOrder } from './flooder.ts'

/*
 * The streams that a site's process inherits lead into the dashboard's own: whatever comes through them costs that site,
 * and nobody else. An error that nobody catches fails these tests, as it would end the dashboard.
 */

let dataDir: string
let fixture: EngineFixture
let attacked: SiteSpec
let neighbor: SiteSpec
let ahead = 0
const reasons: string[] = []

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'flooded-'))
  // The one that keeps least from the attacker.
  const sandbox = await sandboxOf('none')
  if (sandbox === null) throw new Error('Every machine can do without a sandbox.')
  const first = await startFixture({ dataDir, sandbox })
  neighbor = await first.create()
  attacked = await first.create()
  await first.end()
  const flooder = join(dataDir, 'flooder.ts')
  await copyFile(fileURLToPath(new URL('./flooder.ts', import.meta.url)), flooder)
  await chmod(flooder, 0o644)
  fixture = await startFixture({
    dataDir,
    sandbox,
    clock: () => Date.now() + ahead,
    nodeArguments: [`--allow-fs-read=${flooder}`, `--import=${flooder}`],
  })
  fixture.engine.events.onProcess(({ id, event, reason }) => {
    if (event === 'crash') reasons.push(`${id}: ${reason?.text}`)
  })
})
afterAll(async () => {
  await fixture?.end()
  await rm(dataDir, { recursive: true, force: true })
})

const pidOf = ({ id }: SiteSpec): number | undefined => fixture.engine.processes().find((one) => one.id === id)?.pid

/** Lets the attacked site send something; resolves when it ended, or when all of it was sent. */
async function flood(order: FloodOrder): Promise<void> {
  const www = join(dataDir, 'local', 'sites', attacked.id, 'www')
  await rm(join(www, 'flooded'), { force: true })
  reasons.length = 0
  // Crashes of earlier attacks are forgiven, and each attack has a process of its own.
  ahead += 11 * 60_000
  await fixture.engine.round()
  await until(async () => (await fixture.fetch(attacked, '/')).status === 200)
  await fixture.fetch(neighbor, '/')
  const before = pidOf(neighbor)
  // Whole or not at all: the process looks for it all the time.
  await fixture.writeFile(attacked, 'flood.new', JSON.stringify(order))
  await rename(join(www, 'flood.new'), join(www, 'flood.json'))
  await until(async () => reasons.length > 0 || (await readFile(join(www, 'flooded'), 'utf8').catch(() => '')) !== '')
  // The dashboard's own look-ups, and the other site, go on.
  await lookup('localhost')
  expect((await fixture.fetch(neighbor, '/')).status).toBe(200)
  expect(pidOf(neighbor)).toBe(before)
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const line = (message: unknown): string => base64(`${JSON.stringify(message)}\n`)

/** So many in one piece: how they are cut on the way decides nothing. */
const many = (piece: string): string[] => Array<string>(1_000).fill(piece)

describe('the stream of messages', () => {
  test.each([
    ['greetings', [line({ type: 'hello' })], 100_000, 'a second greeting'],
    ['a line without end', [base64('x'.repeat(64 * 1024))], 1_000, 'a message of more than 524288 bytes'],
    ['what is no JSON', [base64('{"type":"run-start",\n')], 10, 'a message of unknown form'],
    ['what another site would say', [line({ type: 'crash', site: 'fixture001' })], 10, 'a message of unknown form'],
    [
      'many small values',
      [base64(`{"type":"run-end","run":1,"x":[${'[],'.repeat(100_000)}0]}\n`)],
      100,
      'more than 1048576 bytes a second',
    ],
    ['messages', many(line({ type: 'run-end', run: 1 })), 1_000, 'more than 5000 messages a second'],
    [
      'results nobody waits for',
      many(line({ type: 'result', id: 1, ok: false, reason: 'x' })),
      1_000,
      'more than 5000 messages a second',
    ],
  ])('ends the site that sends %s, and it starts again', async (_what, pieces, times, reason) => {
    await flood({ descriptor: descriptors.control, pieces, times })
    await until(() => reasons.length > 0)
    expect(reasons).toEqual([`${attacked.id}: The site’s process was ended: it sent Easydash ${reason}.`])
    ahead += 15_000
    await until(async () => (await fixture.fetch(attacked, '/')).status === 200)
  })
})

/** A frame of HTTP/2 (RFC 9113, 4.1). */
function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** `CONNECT` as a field section without compression (RFC 7541, 6.2.2): `:method` and `:authority` of the static table. */
function connect(stream: number, authority: string): Buffer {
  const text = (value: string): Buffer => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)])
  return frame(
    1,
    4,
    stream,
    Buffer.concat([Buffer.from([0x02]), text('CONNECT'), Buffer.from([0x01]), text(authority)]),
  )
}
const reset = (stream: number): Buffer => frame(3, 0, stream, Buffer.from([0, 0, 0, 8]))

/** Frames for one stream after the other. */
const streams = (count: number, frames: (stream: number) => Buffer): string[] => [
  Buffer.concat(Array.from({ length: count }, (_, at) => frames(1_001 + 2 * at))).toString('base64'),
]

describe('the stream to the network', () => {
  test.each([
    ['connections that are reset', streams(20_000, (n) => Buffer.concat([connect(n, '127.0.0.1:80'), reset(n)])), 1],
    ['look-ups that are reset', streams(5_000, (n) => Buffer.concat([connect(n, `n${n}.invalid:80`), reset(n)])), 1],
    ['look-ups without end', streams(20_000, (n) => connect(n, `n${n}.invalid:80`)), 1],
    ['the address of the machine’s own data', streams(20_000, (n) => connect(n, '169.254.169.254:80')), 1],
    ['signs of life', many(frame(6, 0, 0, Buffer.alloc(8)).toString('base64')), 200],
    ['settings', many(frame(4, 0, 0, Buffer.alloc(0)).toString('base64')), 200],
    ['credit', many(frame(8, 0, 0, Buffer.from([0, 0, 0, 1])).toString('base64')), 1_000],
    ['what is no HTTP/2', [base64('x'.repeat(64 * 1024))], 100],
  ])('takes its network at most from the site that sends %s', async (_what, pieces, times) => {
    await flood({ descriptor: descriptors.outbound, pieces, times })
    expect(reasons).toEqual([])
    expect((await fixture.fetch(attacked, '/')).status).toBe(200)
  })
})
