import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Session } from '#server/contracts/session.ts'
import { systemSession } from '#server/jobs/session.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { sessionOf, withPassword } from '#tests/support/documents.ts'
import { addMember, testClock } from '#tests/support/jobs.ts'
import { generateFirstHostKey, userData } from '../provision/user-data.ts'
import { startServersFixture } from '#tests/support/servers.ts'

const clock = testClock()
let t: Awaited<ReturnType<typeof startServersFixture>>
let server: string
/** The folder that stands for the machine. */
let root: string

beforeAll(async () => {
  t = await startServersFixture({ clock, machines: 1 })
  const key = generateFirstHostKey()
  const machine = { name: 'web-1', vcpu: 2, ramBytes: 4 * 1024 ** 3, diskBytes: 40 * 1024 ** 3 }
  const address = t.cloud.start({ ...machine, keys: [t.installationLine], userData: userData(key) }) ?? ''
  root = join(t.folder, address)
  server = await t.documents.transaction(systemSession(), async (tx) => {
    const values = { organization: 'acme', hostname: 'web-1.acme.example', status: 'Healthy', engine: 'ee' } as const
    const doc = await tx.insert(ServerDoctype, { ...values, public_ipv4: address, ssh_host_key: key.publicKey })
    await addMember(tx, 'acme', { email: 'mia@acme.example', name: 'Mia', role: 'Organization Manager' })
    return doc.name
  })
})
afterAll(() => t?.stop())

const start = (action: string, args: Record<string, unknown> = {}, by: Session = t.owner) =>
  t.documents.runAction(by, 'Server', server, action, args)

const act = async (action: string, args?: Record<string, unknown>, by?: Session) =>
  t.ended(Reflect.get((await start(action, args, by)) ?? {}, 'job'), clock)
const file = (path: string) => readFile(join(root, path), 'utf8')

test('a machine is restarted by a manager; meanwhile nothing else is done to it', async () => {
  const before = await file('proc/sys/kernel/random/boot_id').catch(() => '')
  const mia = sessionOf('mia@acme.example', 'acme')
  const { job } = { job: undefined, ...(await start('reboot', {}, mia)) }
  expect(await t.read(server)).toMatchObject({ status: 'Rebooting', locked_by_job: job })
  await expect(start('decommission', { hostname: 'web-1.acme.example' }, withPassword(t.owner))).rejects.toMatchObject({
    code: 'invalid',
  })
  expect(await t.ended(job, clock)).toMatchObject({ status: 'Done' })
  expect(await t.read(server)).toMatchObject({ status: 'Healthy', locked_by_job: null, os: 'Ubuntu 24.04.3 LTS' })
  expect(await file('proc/sys/kernel/random/boot_id')).not.toBe(before)
  await expect(start('set_swap', { megabytes: 0 }, mia)).rejects.toMatchObject({ code: 'forbidden' })
})

test('time zone, swap and automatic updates are set and read back', async () => {
  await expect(start('set_timezone', { timezone: 'europe/berlin' })).rejects.toMatchObject({ field: 'timezone' })
  expect(await act('set_timezone', { timezone: 'Europe/Kiev' })).toMatchObject({ status: 'Done' })
  expect((await t.read(server))?.timezone, 'machines may not know the former name').toBe('Europe/Kyiv')
  expect(await act('set_timezone', { timezone: 'Europe/Berlin' })).toMatchObject({ status: 'Done' })
  await expect(start('set_swap', { megabytes: 32_769 })).rejects.toMatchObject({ field: 'megabytes' })
  expect(await act('set_swap', { megabytes: 1024 })).toMatchObject({ status: 'Done' })
  expect(await act('set_automatic_updates', { enabled: 1 })).toMatchObject({ status: 'Done' })
  expect(await t.read(server)).toMatchObject({
    timezone: 'Europe/Berlin',
    total_swap: 1024 ** 3,
    automatic_updates: 1,
  })
  expect(await file('etc/fstab')).toBe('/swapfile none swap sw 0 0\n')
})

test('the firewall keeps addresses out of sites, too, and never the SSH server', async () => {
  const wrong = ['203.0.113', '10.0.0.7', '203.0.113.0/4', '::/0', '203.0.113.9; reboot']
  for (const address of wrong)
    await expect(start('firewall', { enabled: 1, block: [address] })).rejects.toMatchObject({ field: 'block' })
  const rules = { enabled: 1, allow: ['198.51.100.0/24'], block: ['203.0.113.9', '2001:db8::9'] }
  expect(await act('firewall', rules)).toMatchObject({ status: 'Done' })
  expect(await t.read(server)).toMatchObject({ firewall: { ...rules, enabled: true, banned: [] } })
  const before = await file('etc/ufw/before.rules')
  expect(before.indexOf('--dport 22 -j ACCEPT')).toBeLessThan(before.indexOf('-s 203.0.113.9 -j DROP'))
  expect(await file('etc/ufw/after.rules')).toContain('-A DOCKER-USER -s 203.0.113.9 -j DROP')
  expect(await file('etc/ufw/after6.rules')).toContain('-A DOCKER-USER -s 2001:db8::9 -j DROP')
})

test('a resync says what was changed there by others', async () => {
  await writeFile(join(root, 'etc/timezone'), 'Asia/Tokyo\n')
  await writeFile(join(root, 'var/lib/simulated/banned'), '192.0.2.1 not-an-address\n')
  const job = await act('resync')
  expect(job?.steps?.at(-1)?.kept).toMatchObject({ drift: 'SSH keys, Time zone' })
  expect(await t.read(server)).toMatchObject({ timezone: 'Asia/Tokyo', firewall: { banned: ['192.0.2.1'] } })
})

test('a banned address is let in again, and only such a one', async () => {
  for (const address of ['192.0.2.1; reboot', '--all', '192.0.2.0/24', '192.0.2.9'])
    await expect(start('unban', { address })).rejects.toMatchObject({ field: 'address' })
  expect(await act('unban', { address: '192.0.2.1' })).toMatchObject({ status: 'Done' })
  expect(await file('var/lib/simulated/fail2ban.log')).toBe('fail2ban-client set sshd unbanip 192.0.2.1\n')
  expect(await t.read(server)).toMatchObject({ firewall: { banned: [] } })
})

test('a changed key reaches the machine', async () => {
  const save = (authorized_keys: string) => t.documents.save(t.owner, 'Server', server, { authorized_keys })
  await expect(save('no key')).rejects.toMatchObject({ field: 'authorized_keys' })
  await save('ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f bea')
  await t.ended((await t.read(server))?.locked_by_job, clock)
  expect(await file('root/.ssh/authorized_keys')).toMatch(
    /begin\nssh-ed25519 AAAA ann\nssh-ed25519 AAAAC3.* bea\n# easydash end/,
  )
})
