import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { silentLog } from '../log/log.ts'
import { remoteLogStart } from './remote-jobs.ts'
import { createTestSsh, manualTimers, noServer, privateKey, startTestServer } from './ssh-fixture.ts'
import { createSsh } from './ssh.ts'

const timers = manualTimers()
const limits = { deadlineMs: 1234 }
let at: Awaited<ReturnType<typeof startTestServer>>
beforeAll(async () => {
  at = await startTestServer(timers)
})
afterAll(() => at.close())
beforeEach(({ skip }) => {
  if (noServer !== null) skip(noServer)
})

const path = (name: string) => join(at.state, '..', name)
const content = (name: string) => (existsSync(path(name)) ? readFileSync(path(name), 'utf8') : '')
const sh = (script: string) => ['sh', '-c', script]
const read = (script: string) => at.ssh.read(at.target, sh(script), limits)

test('one connection serves all calls, and is closed when nobody needs it', async () => {
  const before = at.server.connections()
  const results = await Promise.all(['a', 'b', 'c'].map((word) => read(`echo ${word}`)))
  expect(results.map(({ stdout }) => stdout)).toEqual(['a\n', 'b\n', 'c\n'])
  expect(at.server.connections() - before).toBe(1)
  timers.fire(60_000)
  expect(await read('echo d')).toMatchObject({ stdout: 'd\n' })
  expect(at.server.connections() - before).toBe(2)
})

test('what only reads is repeated on a new connection, what changes something is not', async () => {
  const wait = (name: string) =>
    `echo ran >> ${path(name)}; until [ -e ${path('gate')} ]; do sleep 0.05; done; echo done`
  const reading = read(`if [ -e ${path('read')} ]; then echo again; else ${wait('read')}; fi`)
  await expect.poll(() => content('read')).toBe('ran\n')
  at.server.dropConnections()
  expect(await reading).toMatchObject({ stdout: 'again\n' })

  const running = at.ssh.run(at.target, sh(wait('run')), limits)
  await expect.poll(() => content('run')).toBe('ran\n')
  at.server.dropConnections()
  await expect(running).rejects.toMatchObject({ kind: 'lost', retryable: true })
  // It goes on there, so nothing else may change the server.
  await expect(at.ssh.run(at.target, ['true'], limits)).rejects.toMatchObject({ kind: 'busy' })
  writeFileSync(path('gate'), '')
  await expect.poll(() => at.ssh.run(at.target, ['true'], limits).catch(() => null)).toMatchObject({ code: 0 })
  expect(content('run')).toBe('ran\n')
})

test('a deadline and an abort end the processes of a command', async () => {
  const endless = (name: string) =>
    `trap 'echo ended >> ${path(name)}; exit' TERM; echo runs >> ${path(name)}; while :; do sleep 0.05; done`
  const late = read(endless('late'))
  await expect.poll(() => content('late')).toBe('runs\n')
  timers.fire(limits.deadlineMs)
  await expect(late).rejects.toMatchObject({ kind: 'timeout' })
  await expect.poll(() => content('late')).toBe('runs\nended\n')

  const controller = new AbortController()
  const aborted = at.ssh.run(at.target, sh(endless('aborted')), { ...limits, signal: controller.signal })
  await expect.poll(() => content('aborted')).toBe('runs\n')
  controller.abort(new Error('Canceled.'))
  await expect(aborted).rejects.toThrow('Canceled.')
  await expect.poll(() => content('aborted')).toBe('runs\nended\n')
  await expect(at.ssh.read(at.target, ['true'], { ...limits, signal: controller.signal })).rejects.toThrow('Canceled.')
})

test('output is limited and cleaned', async () => {
  expect(await read(String.raw`printf '\033[31mred\033[0m\007\t\377\n\033]0;title\007two\r\n'`)).toMatchObject({
    stdout: 'red\t\uFFFD\ntwo\n',
  })
  await expect(read('yes')).rejects.toMatchObject({ kind: 'too_much_output', retryable: false })
  const options = { ...limits, maxBytes: 100 }
  const cut = await at.ssh.run(at.target, sh('yes | head -c 100000; exit 3'), options)
  expect(cut).toMatchObject({ code: 3, isTruncated: true, stdout: 'y\n'.repeat(50).slice(0, cut.stdout.length) })
  await expect(at.ssh.run(at.target, ['yes'], options)).rejects.toMatchObject({ kind: 'too_much_output' })
})

test('of a long log the beginning and, after the job, the end are read', async () => {
  const line = 'x'.repeat(5_000)
  const script = `yes ${line} | head -n 600; echo last`
  await at.ssh.start(at.target, { id: 'long', argv: sh(script) }, limits)
  const lines: string[] = []
  for (let from = remoteLogStart, isDone = false; !isDone;) {
    const seen = await at.ssh.follow(at.target, { id: 'long', from }, limits)
    lines.push(...seen.lines)
    from = seen.next
    isDone = seen.state === 'ended' && !seen.more
  }
  expect(lines.at(-1)).toBe('last')
  expect(lines.filter((text) => text.startsWith('…'))).toHaveLength(1)
  expect(Math.max(...lines.map((text) => Buffer.byteLength(text)))).toBe(4096)
  expect(lines.join('').length).toBeLessThan(1_100_000)
  expect(lines.join('').length).toBeGreaterThan(800_000)
})

test('another user works by sudo', async () => {
  expect(await at.ssh.read({ ...at.target, user: 'deploy' }, ['echo', 'by sudo'], limits)).toMatchObject({
    stdout: 'by sudo\n',
  })
})

test('a key that the server does not know, and none, are told apart from an unreachable server', async () => {
  const other = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  const before = at.server.connections()
  for (const key of [null, 'no key']) {
    const unusable = createTestSsh(at.server.port, { key }).read(at.target, ['true'], limits)
    await expect(unusable).rejects.toMatchObject({ kind: 'refused_key' })
  }
  expect(at.server.connections()).toBe(before)
  const refused = createTestSsh(at.server.port, { key: other }).read(at.target, ['true'], limits)
  await expect(refused).rejects.toMatchObject({ kind: 'refused_key', retryable: false })
  await expect(createTestSsh(1).read(at.target, ['true'], limits)).rejects.toMatchObject({
    kind: 'unreachable',
    retryable: true,
  })
})

test('private addresses need the permission of the operator', async () => {
  const direct = { ...at.target, address: '127.0.0.1', port: at.server.port }
  const allowing = (allowPrivateCidrs: readonly string[]) =>
    createSsh({
      config: { addressMap: {}, allowPrivateCidrs },
      readKey: () => Promise.resolve(privateKey),
      timers,
      log: silentLog,
    })
  await expect(allowing([]).read(direct, ['true'], limits)).rejects.toMatchObject({ code: 'invalid' })
  await expect(allowing([]).firstContact(direct)).rejects.toMatchObject({ code: 'invalid' })
  const ssh = allowing(['127.0.0.0/8'])
  expect(await ssh.read(direct, ['true'], limits)).toMatchObject({ code: 0 })
  ssh.close()
})
