import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { writeCertificate } from '#server/providers/simulator/easyengine/certificates.ts'
import { openDatabase } from '#server/providers/simulator/easyengine/database.ts'
import { addEasyEngine } from '#server/providers/simulator/machine-files.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { serverMonitoring } from '#shared/responses/server-monitoring.ts'
import { sessionOf } from '#tests/support/documents.ts'
import { addMember, testClock } from '#tests/support/jobs.ts'
import { startServersFixture } from '#tests/support/servers.ts'
import { generateFirstHostKey, userData } from '../provision/user-data.ts'

const clock = testClock()
let t: Awaited<ReturnType<typeof startServersFixture>>
let server: string
/** The folder that stands for the machine. */
let root: string
let address: string

beforeAll(async () => {
  t = await startServersFixture({ clock, machines: 1 })
  const key = generateFirstHostKey()
  const machine = { name: 'web-1', vcpu: 2, ramBytes: 4 * 1024 ** 3, diskBytes: 40 * 1024 ** 3 }
  address = t.cloud.start({ ...machine, keys: [t.installationLine], userData: userData(key) }) ?? ''
  root = join(t.folder, address)
  server = await t.documents.transaction(systemSession(), async (tx) => {
    const values = { organization: 'acme', hostname: 'web-1.acme.example', status: 'Healthy', engine: 'ee' } as const
    const doc = await tx.insert(ServerDoctype, { ...values, public_ipv4: address, ssh_host_key: key.publicKey })
    await addMember(tx, 'acme', { email: 'mia@acme.example', name: 'Mia', role: 'Organization Manager' })
    await addMember(tx, 'acme', { email: 'uli@acme.example', name: 'Uli', role: 'Organization User' })
    return doc.name
  })
  await vi.waitFor(async () => expect((await look()).checks['reach']?.verdict).toBe('ok'), 10_000)
  await addEasyEngine(root)
})
afterAll(() => t?.stop())

/** What a manager sees: the answer as it is described, and what is not in order by name. */
async function look(email = 'mia@acme.example') {
  const answer = await t.documents.runAction(sessionOf(email, 'acme'), 'Server', server, 'get_monitoring', {})
  const found = serverMonitoring.parse(answer)
  return {
    ...found,
    checks: Object.fromEntries(found.checks.map((check) => [check.key, check])),
    services: found.services?.map(({ unit, state, verdict }) => `${unit} ${state} ${verdict}`),
    containers: found.containers?.map(({ name, kind, state, verdict }) => `${name} ${kind} ${state} ${verdict}`),
  }
}
const write = (values: Partial<Server>) =>
  t.documents.transaction(systemSession(), (tx) => tx.updateColumns(ServerDoctype, server, values))
const traps = (text: string) => writeFile(join(root, 'var/lib/simulated/traps'), text)

test('what runs on a server is read there, for those who may restart it, and nothing is green that nobody saw', async () => {
  await expect(look('uli@acme.example')).rejects.toMatchObject({ code: 'forbidden' })
  const found = await look()
  expect(found.services).toEqual([
    ...['docker.service', 'ssh.service', 'cron.service'].map((unit) => `${unit} running ok`),
    ...['fail2ban.service', 'ufw.service'].map((unit) => `${unit} missing failed`),
    'easydash-metrics.timer missing none',
  ])
  expect(found).toMatchObject({ docker: 'running', containers: [] })
  expect(found.checks).toMatchObject({
    reach: { verdict: 'ok', detail: null },
    disk: { verdict: 'ok', value: 5.2 },
    memory: { verdict: 'ok' },
    load: { verdict: 'ok', value: 0.4 },
    // Never counted; nothing there says so; no site needs the proxy.
    updates: { verdict: 'unknown', observed: null },
    reboot: { verdict: 'unknown', observed: null },
    proxy: { verdict: 'none', value: 0 },
    certificates: { verdict: 'unknown' },
  })
})

test('what stopped is shown as stopped', async () => {
  const database = openDatabase({ path: (path) => join(root, path) })
  const site = { site_url: 'shop.example', site_type: 'wp', php_version: '8.3', site_enabled: 1, alias_domains: '' }
  database.insert('sites', { ...site, site_fs_path: '', site_container_fs_path: '', app_admin_url: 'Shop' })
  database.close()
  await mkdir(join(root, 'etc/kernel/postinst.d'), { recursive: true })
  await writeFile(join(root, 'etc/kernel/postinst.d/unattended-upgrades'), '')
  const checked_at = formatTimestamp(clock.now())
  const machine = { path: (path: string) => join(root, path) } as Parameters<typeof writeCertificate>[0]
  writeCertificate(machine, 'shop.example', 'R11', ['shop.example'], 90)
  await write({ security_updates: 2, checked_at })
  const healthy = await look()
  expect(healthy.containers?.filter((line) => !line.endsWith(' running ok'))).toEqual([])
  expect(healthy.containers?.map((line) => line.split(' ')[1])).toEqual([
    ...Array.from({ length: 4 }, () => 'global'),
    ...Array.from({ length: 3 }, () => 'site'),
  ])
  expect(healthy.checks).toMatchObject({
    updates: { verdict: 'warn', value: 2, observed: checked_at },
    reboot: { verdict: 'ok' },
    proxy: { verdict: 'ok', value: 503 },
    certificates: { verdict: 'ok', value: 89, detail: 'shop.example' },
  })
  writeCertificate(machine, 'blog.example', 'R11', ['blog.example'], 10)

  await mkdir(join(root, 'var/run'), { recursive: true })
  await writeFile(join(root, 'var/run/reboot-required'), '')
  await appendFile(join(root, 'var/lib/simulated/failed'), 'cron.service\n')
  await writeFile(join(root, 'etc/disk'), '41943040 40400000 1543040 97%')
  await traps('container_killed=services_global-nginx-proxy_1\n')
  const broken = await look()
  expect(broken.services).toContain('cron.service failed failed')
  expect(broken.containers).toContain('services_global-nginx-proxy_1 global exited failed')
  expect(broken.checks).toMatchObject({
    disk: { verdict: 'failed', value: 96.3 },
    reboot: { verdict: 'warn' },
    proxy: { verdict: 'failed', value: 0 },
    certificates: { verdict: 'warn', value: 9, detail: 'blog.example' },
  })

  await traps('docker_down\n')
  expect(await look()).toMatchObject({
    docker: 'down',
    containers: undefined,
    checks: { proxy: { verdict: 'unknown' } },
  })
})

test('a server that is away shows its last sample while that is fresh', async () => {
  await write({ disk_percent: 20, memory_percent: 85, load_1: 9, metrics_at: formatTimestamp(clock.now() - 300_000) })
  t.cloud.power(address, false)
  const away = await look()
  expect(away).toMatchObject({ observed: null, services: undefined, containers: undefined, docker: null })
  expect(away.checks).toMatchObject({
    reach: {
      verdict: 'failed',
      detail: expect.stringMatching(/^No SSH connection to .*\. Check that the server runs/),
    },
    disk: { verdict: 'ok', value: 20 },
    memory: { verdict: 'warn', value: 85 },
    load: { verdict: 'failed' },
    reboot: { verdict: 'unknown' },
    proxy: { verdict: 'unknown' },
  })
  const longAgo = formatTimestamp(clock.now() - 3_600_000)
  await write({ metrics_at: longAgo })
  expect((await look()).checks).toMatchObject({
    disk: { verdict: 'unknown', value: 20, observed: longAgo },
    load: { verdict: 'unknown' },
  })
})
