import { afterEach, describe, expect, test } from 'vitest'
import type { RemoteShell } from './shell.ts'
import { noOpenSsh, noServer, startOpenSsh, startTestServer, type TestServer } from './ssh-fixture.ts'

const size = { columns: 91, rows: 27 }
const limits = { deadlineMs: 20_000 }
const open: TestServer[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

async function shellOf(starting: Promise<TestServer>): Promise<{ server: TestServer; shell: RemoteShell }> {
  const server = await starting
  open.push(server)
  return { server, shell: await server.ssh.shell(server.target, size, limits) }
}

/** Reads until a text was printed. */
async function until(shell: RemoteShell, expected: string | RegExp): Promise<string> {
  let seen = ''
  for (;;) {
    const chunk = await shell.read(4096)
    if (chunk === null) throw new Error(`Ended after: ${seen}`)
    seen += chunk.toString()
    if (typeof expected === 'string' ? seen.includes(expected) : expected.test(seen)) return seen
  }
}

describe.each([
  ['the simulated server', noServer, () => startTestServer()],
  ['OpenSSH', noOpenSsh, startOpenSsh],
] as const)('a shell of %s', (_name, reason, start) => {
  const isSkipped = reason !== null

  test.skipIf(isSkipped)('answers in a terminal of the size that was asked for, and of another one later', async () => {
    const { shell } = await shellOf(start())
    await shell.write('test -t 0 && stty size; echo $TERM\n')
    expect(await until(shell, /xterm-256color\r/)).toContain('27 91')
    shell.resize({ columns: 40, rows: 12 })
    await shell.write('sleep 0.3; stty size\n')
    await until(shell, '12 40')
    await shell.write('exit 7\n')
    while ((await shell.read(4096)) !== null);
    expect(shell.exitCode()).toBe(7)
    shell.close()
  })

  test.skipIf(isSkipped)('waits with endless output until it is read, and ends with its connection', async () => {
    const { server, shell } = await shellOf(start())
    await shell.write('echo pid=$$; exec yes 0123456789\n')
    const [, pid] = /pid=(\d+)\r/.exec(await until(shell, /pid=\d+\r[^]*\n0123456789/)) ?? []
    const used = async () => {
      const { stdout } = await server.ssh.read(server.target, ['ps', '-o', 'time=', '-p', String(pid)], limits)
      return stdout.trim()
    }
    // What nobody reads fills the window of SSH and the buffers of the terminal; then the program is blocked.
    let before = ''
    await expect
      .poll(
        async () => {
          const now = await used()
          const isSame = now === before
          before = now
          return isSame && now !== ''
        },
        { interval: 1500 },
      )
      .toBe(true)
    expect((await shell.read(32_768))?.toString()).toContain('0123456789')
    shell.close()
    await expect.poll(used).toBe('')
  })

  test.skipIf(isSkipped)('says that the connection broke', async () => {
    const { shell } = await shellOf(start())
    await until(shell, /[#$] $/)
    shell.close()
    await expect(
      (async () => {
        while ((await shell.read(4096)) !== null);
      })(),
    ).rejects.toMatchObject({ kind: 'lost' })
    await shell.write('too late\n')
  })
})

test.skipIf(noServer !== null)('a server with another host key learns nothing', async () => {
  const server = await startTestServer()
  open.push(server)
  server.server.changeHostKey()
  await expect(server.ssh.shell(server.target, size, limits)).rejects.toMatchObject({ kind: 'host_key_changed' })
})
