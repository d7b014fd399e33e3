import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { StreamPeer } from '#server/contracts/socket-stream.ts'
import { exists } from '#server/platform/files/exists.ts'
import { newHostKeys } from '#server/platform/ssh/simulated-server.ts'
import { noOpenSsh, spawnOpenSsh } from '#server/platform/ssh/ssh-fixture.ts'
import { machineEnvironment, makeMachine } from '#server/providers/simulator/machine-files.ts'
import type { ServerChecks } from '#shared/responses/servers.ts'
import { withPassword } from '#tests/support/documents.ts'
import { testClock } from '#tests/support/jobs.ts'
import { startServersFixture } from '#tests/support/servers.ts'

const clock = testClock()
const [address, user] = ['198.18.0.50', userInfo().username]

/** A machine behind OpenSSH: its shell and `sh` are those of this machine, the programs that change a system are simulated. */
describe.skipIf(noOpenSsh !== null)(`a machine of one’s own behind OpenSSH (${noOpenSsh ?? 'installed'})`, () => {
  let t: Awaited<ReturnType<typeof startServersFixture>>
  let server: Awaited<ReturnType<typeof spawnOpenSsh>>
  let root: string
  let name = ''
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'own-machine-'))
    const [own, next] = [newHostKeys(), newHostKeys()]
    await makeMachine(root, {
      ...{ hostname: 'own', vcpu: 2, ramBytes: 4 * 1024 ** 3, diskBytes: 40 * 1024 ** 3, keys: [] },
      ...{ hostKey: own.private, nextHostKey: { private: next.private, public: next.public.trim() } },
    })
    server = await spawnOpenSsh({
      folder: root,
      env: machineEnvironment(root),
      hostKeyFile: join(root, 'etc/ssh/ssh_host_ed25519_key'),
      authorizedKeysFile: join(root, 'root/.ssh/authorized_keys'),
    })
    const addressMap = { [`${address}:22`]: `127.0.0.1:${server.port}` }
    t = await startServersFixture({ clock, machines: 0, addressMap })
  })
  afterAll(async () => {
    await t?.stop()
    await server?.close()
    await rm(root, { recursive: true, force: true })
  })

  async function check(host_key?: string) {
    const method = t.servers.methods?.find((one) => one.name.endsWith('.check_server'))
    const params = { public_ipv4: address, ssh_user: user, ...(host_key && { host_key }) }
    const call = { session: t.owner, documents: t.documents }
    const found = (await method?.run(params as never, call as never)) as ServerChecks
    const states = Object.fromEntries(found.checks.map((one) => [one.key, one.state]))
    const system = found.checks.find(({ key }) => key === 'system')?.detail
    return { key: String(found.host_key), states, system }
  }

  test('is checked step by step, and becomes a server', async () => {
    const first = await check()
    expect(first.states).toEqual({ reach: 'ok', login: 'waiting' })
    expect((await check(first.key)).states).toEqual({ reach: 'ok', login: 'failed' })
    await appendFile(join(root, 'root/.ssh/authorized_keys'), `${t.installationLine}\n`)
    const passed = { reach: 'ok', login: 'ok', system: 'ok', memory: 'ok', disk: 'ok', easyengine: 'ok' }
    // Of the simulated machine: otherwise the next commands would change this one.
    expect(await check(first.key)).toMatchObject({ states: passed, system: 'Ubuntu 24.04.3 LTS' })

    const values = { hostname: 'own.example', cloud_provider: 'Custom', public_ipv4: address, ssh_user: user }
    const doc = await t.documents.insert(t.owner, 'Server', { ...values, host_key: first.key })
    name = doc.name
    expect(await t.ended(doc['job'], clock)).toMatchObject({ status: 'Done', error_message: null })
    const healthy = { status: 'Healthy', os: 'Ubuntu 24.04.3 LTS', easyengine: '4.10.2', metrics_agent: 1 }
    expect(await t.read(name)).toMatchObject(healthy)
    expect(await readFile(join(root, 'var/lib/simulated/systemctl.log'), 'utf8')).toContain('easydash-metrics.timer')
  })

  test('has a web terminal, whose output is recorded', async () => {
    const by = { ...t.owner, id: 'a session', reauthAt: Date.now() }
    const act = (action: string, args = {}) => t.documents.runAction(by, 'Server', name, action, args)
    const { terminal } = (await act('open_terminal')) as { terminal: string }
    let seen = ''
    const shown = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<Readonly<Record<string, unknown>>>()
    const peer: StreamPeer = {
      async send(bytes) {
        seen += bytes.toString()
        if (/uid=\d+\(/.test(seen)) shown.resolve()
      },
      end: ended.resolve,
    }
    const stream = await t.servers.streams?.[0]?.open(by, { terminal, columns: 80, rows: 24 }, peer)
    await stream?.receive('id; stty size\n')
    await shown.promise
    await stream?.receive('exit 3\n')
    expect(await ended.promise).toEqual({ end: 'exited', code: 3 })
    const { text } = (await act('get_terminal_recording', { terminal })) as { text: string }
    expect(text).toMatch(/uid=\d+\([^]*24 80/)
  })

  test('keeps running when it is decommissioned, without anything of ours but the key', async () => {
    const answer = await t.documents.runAction(withPassword(t.owner), 'Server', name, 'decommission', {
      hostname: 'own.example',
    })
    expect(await t.ended(Reflect.get(answer ?? {}, 'job'), clock)).toMatchObject({ status: 'Done' })
    expect(await t.read(name)).toMatchObject({ status: 'Decommissioned' })
    expect((await readFile(join(root, 'root/.ssh/authorized_keys'), 'utf8')).trim()).toBe(t.installationLine)
    for (const path of ['etc/easydash-metrics.conf', 'usr/local/lib/easydash', 'var/lib/easydash'])
      expect([path, await exists(join(root, path))]).toEqual([path, false])
    expect(await readFile(join(root, 'var/lib/simulated/systemctl.log'), 'utf8')).toContain(
      'disable --now easydash-metrics.timer',
    )
  })
})
