import { lstatSync, readdirSync, readFileSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { isAlive } from '../processes/processes.ts'
import { remoteLogStart, type FollowedJob } from './remote-jobs.ts'
import { SshError } from './ssh-error.ts'
import { address, noOpenSsh, noServer, startOpenSsh, startTestServer, type TestServer } from './ssh-fixture.ts'

const limits = { deadlineMs: 60_000 }

const isFull = process.env['EASYDASH_TEST_FULL'] === '1'
const servers = [
  { name: 'a simulated server', start: startTestServer, missing: noServer },
  ...(isFull ? [{ name: 'OpenSSH', start: startOpenSsh, missing: noOpenSsh }] : []),
]

describe.each(servers)('$name', ({ start, missing }) => {
  let at: TestServer
  beforeAll(async () => {
    if (missing === null) at = await start()
  })
  afterAll(() => at?.close())
  beforeEach(({ skip }) => {
    if (missing !== null) skip(missing)
  })

  const job = (id: string, script: string, more: { pty?: boolean; stdin?: string } = {}) =>
    at.ssh.start(at.target, { id, argv: ['sh', '-c', script], ...more }, limits)
  const follow = (id: string, from = remoteLogStart) => at.ssh.follow(at.target, { id, from }, limits)
  /** Follows a job until it is in a state; returns all of its lines. */
  async function until(id: string, state: FollowedJob['state']): Promise<FollowedJob> {
    const lines: string[] = []
    for (let from = remoteLogStart; ;) {
      const seen = await follow(id, from)
      lines.push(...seen.lines)
      from = seen.next
      if (seen.state === state && !seen.more) return { ...seen, lines }
    }
  }
  const cancel = (id: string, graceSeconds: number) => at.ssh.cancel(at.target, { id, graceSeconds }, limits)

  test('runs a command with its arguments and environment as they are', async () => {
    const argv = ['printf', '[%s]', "it's", '$HOME `id` "x" \\ *', '', '--a=-b', 'ünï 😀']
    expect(await at.ssh.read(at.target, argv, limits)).toEqual({
      code: 0,
      signal: null,
      stdout: `[it's][$HOME \`id\` "x" \\ *][][--a=-b][ünï 😀]`,
      stderr: '',
    })
    const shown = await at.ssh.run(at.target, ['sh', '-c', 'echo "$NAME" >&2; exit 3'], {
      ...limits,
      env: { NAME: "a'b" },
    })
    expect(shown).toMatchObject({ code: 3, stdout: '', stderr: "a'b", isTruncated: false })
    expect(await at.ssh.read(at.target, ['no-such-program'], limits)).toMatchObject({ code: 127 })
  })

  test('passes standard input to a command as it is', async () => {
    const stdin = `first's\n\tsecond\\n\n\n`
    const result = await at.ssh.run(at.target, ['cat'], { ...limits, stdin })
    expect(result).toMatchObject({ code: 0, stdout: stdin })
  })

  test('passes any number of bytes to a command that keeps them, again and again', async () => {
    const content = Buffer.from(Uint8Array.from({ length: 3_000_000 }, (_, at) => (at * 7) % 256))
    const path = join(at.state, 'kept')
    const write = (seek: number) => ['dd', `of=${path}`, 'oflag=seek_bytes', 'conv=notrunc', `seek=${seek}`, 'bs=64K']
    for (const seek of [0, 0, content.length])
      expect(await at.ssh.send(at.target, write(seek), { ...limits, content })).toMatchObject({ code: 0 })
    expect(readFileSync(path).equals(Buffer.concat([content, content]))).toBe(true)
  })

  test('ends a job in the background and stores its code, log and command', async () => {
    await job('plain', 'echo out; echo err >&2; printf "no end"; exit 7')
    expect(await until('plain', 'ended')).toMatchObject({ code: 7, lines: ['out', 'err', 'no end'] })
    const folder = join(at.state, 'jobs/plain')
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(readFileSync(join(folder, 'command'), 'utf8')).toContain(`exec 'sh' '-c' 'echo out;`)
    await at.ssh.remove(at.target, 'plain', limits)
    expect(await follow('plain')).toMatchObject({ state: 'absent' })
  })

  test('gives a job its secret, which is nowhere on disk and in no command line', async () => {
    const secret = 'Sw0rdfish'
    // The brackets keep the search from finding itself.
    const script = `IFS= read -r s; echo "\${#s}"; cat /proc/[0-9]*/cmdline 2>/dev/null | grep -ac 'Sw0rdfis[h]'`
    await job('secret', script, { stdin: `${secret}\n` })
    expect(await until('secret', 'ended')).toMatchObject({ lines: ['9', '0'] })
    for (const file of readdirSync(at.state, { recursive: true, encoding: 'utf8' }))
      if (lstatSync(join(at.state, file)).isFile())
        expect(readFileSync(join(at.state, file), 'utf8')).not.toContain(secret)
  })

  test('gives a job a terminal, which does not print its secret', async () => {
    const script = 'IFS= read -r s <&3; test -t 0 && test -t 1 && echo "terminal ${#s}"; exit 4'
    await job('pty', script, { pty: true, stdin: 'Sw0rdfish\n' })
    expect(await until('pty', 'ended')).toMatchObject({ code: 4, lines: ['terminal 9'] })
  })

  test('starts a job once, whoever starts it at the same time', async () => {
    const start = () =>
      job('once', 'echo ran').then(
        () => 'started',
        (error: unknown) => (error instanceof SshError ? error.kind : error),
      )
    // Those that see each other give up.
    let outcomes: unknown[] = []
    while (!outcomes.includes('started')) outcomes = await Promise.all([start(), start(), start()])
    expect(outcomes.filter((outcome) => outcome !== 'started' && outcome !== 'busy')).toEqual([])
    await until('once', 'ended')
    expect(await start()).toBe('started')
    expect(await until('once', 'ended')).toMatchObject({ lines: ['ran'] })
  })

  test('makes one change at a time', async () => {
    const gate = join(at.state, 'gate')
    await job('first', `until [ -e ${gate} ]; do sleep 0.05; done`)
    await expect(job('second', 'true')).rejects.toMatchObject({ kind: 'busy', code: 'locked', retryable: true })
    await expect(at.ssh.run(at.target, ['true'], limits)).rejects.toMatchObject({ kind: 'busy' })
    await expect(at.ssh.remove(at.target, 'first', limits)).rejects.toMatchObject({ kind: 'busy' })
    expect(await at.ssh.read(at.target, ['echo', 'reading'], limits)).toMatchObject({ stdout: 'reading\n' })
    const stdin = `echo "$1" '\\n' \`exit 3\``
    expect(await at.ssh.read(at.target, ['cat'], { ...limits, stdin })).toMatchObject({ stdout: `${stdin}\n` })
    expect(await follow('second')).toMatchObject({ state: 'absent' })
    writeFileSync(gate, '')
    await until('first', 'ended')
    expect(await at.ssh.run(at.target, ['true'], limits)).toMatchObject({ code: 0 })
    expect(readdirSync(join(at.state, 'claims'))).toEqual([])
  })

  test('cancels a job with everything it started', async () => {
    // A child in a process group of its own, and one that ignores the signal.
    const children = ['timeout 1000 sleep 1000', `(trap '' TERM; sleep 1000)`]
    await job('cancel', `${children.map((child) => `${child} & echo $!`).join('; ')}; wait`)
    let pids: readonly string[] = []
    while (pids.length < children.length) pids = (await follow('cancel')).lines
    expect(await cancel('cancel', 0)).toBe('ended')
    expect(await until('cancel', 'ended')).toMatchObject({ code: 137 })
    expect(pids.filter((pid) => isAlive(Number(pid)))).toEqual([])
    expect(await cancel('cancel', 0)).toBe('ended')
    expect(await cancel('never', 0)).toBe('absent')
  })

  test('lets a canceled job clean up, also in a terminal', async () => {
    await job('tidy', 'trap "echo cleaned; exit 5" TERM; echo ready; while :; do sleep 0.05; done', { pty: true })
    while ((await follow('tidy')).lines.length === 0);
    expect(await cancel('tidy', 60)).toBe('ended')
    expect(await until('tidy', 'ended')).toMatchObject({ code: 5, lines: expect.arrayContaining(['cleaned']) })
  })

  test('recognizes a job that is gone without a code', async () => {
    await job('lost', 'echo $$; exec sleep 1000')
    const claim = () => readdirSync(join(at.state, 'claims')).find((name) => name.startsWith('lost.')) ?? ''
    const supervisor = claim().split('.')[1] ?? ''
    await at.ssh.read(at.target, ['kill', '-KILL', supervisor], limits)
    // What it started still changes the server.
    expect(await follow('lost')).toMatchObject({ state: 'running' })
    await expect(at.ssh.run(at.target, ['true'], limits)).rejects.toMatchObject({ kind: 'busy' })
    expect(await cancel('lost', 60)).toBe('lost')
    expect(await follow('lost')).toMatchObject({ state: 'lost', code: null })
    // Another process with its number, now or after a restart of the server.
    const stat = readFileSync(`/proc/${process.pid}/stat`, 'latin1')
    const start = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
    const path = join(at.state, 'claims/lost.1')
    for (const [claimed, state] of [
      [`${process.pid} ${start} ${boot}`, 'running'],
      [`${process.pid} ${Number(start) + 1} ${boot}`, 'lost'],
      [`${process.pid} ${start} ${boot.replaceAll(/\d/g, 'x')}`, 'lost'],
    ] as const) {
      symlinkSync(claimed, path)
      expect(await follow('lost')).toMatchObject({ state })
      unlinkSync(path)
    }
    expect(await at.ssh.run(at.target, ['true'], limits)).toMatchObject({ code: 0 })
  })

  test('shows its host key', async () => {
    const found = await at.ssh.firstContact({ address, port: 22 })
    expect(found.line).toBe(at.target.hostKey)
    expect(found.fingerprint).toMatch(/^SHA256:[A-Za-z0-9+/]{43}$/)
  })
})
