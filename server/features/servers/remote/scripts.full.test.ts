import { spawnSync } from 'node:child_process'
import { appendFile, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { exists } from '#server/platform/files/exists.ts'
import { openDatabase } from '#server/providers/simulator/easyengine/database.ts'
import { makeMachine } from '#server/providers/simulator/machine-files.ts'
import { settingsFields } from './measure-server.ts'
import { scriptText, type RemoteScript } from './run-script.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'easydash-machine-'))
  const gib = 1024 ** 3
  const keys = { hostKey: '', nextHostKey: { private: '', public: '' }, keys: ['ssh-ed25519 AAAA installation'] }
  await makeMachine(root, { hostname: 'web-1', vcpu: 2, ramBytes: 4 * gib, diskBytes: 40 * gib, ...keys })
})

/** Runs a script as on a machine. */
async function run(script: RemoteScript, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync('sh', ['-s', '--', ...args], {
    input: await scriptText(script),
    env: { EASYDASH_ROOT: root, PATH: `${join(root, 'bin')}:/usr/bin:/bin` },
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}
const file = (path: string) => readFile(join(root, path), 'utf8')
const done = expect.objectContaining({ status: 0, stderr: '' })

describe('an installation of EasyEngine', () => {
  const install = () => run('easyengine', 'https://example.com/setup.sh', 'ann@example.com')
  const renewals = async () => (await file('var/lib/simulated/crontab')).match(/^.*ee site ssl-renew --all/gm)

  test.each([
    ['pull_fails', 'Unable to pull'],
    ['docker_down', 'did not prepare its database'],
  ])('that ended halfway is completed by a retry: %s', async (trap, reason) => {
    await mkdir(join(root, 'var/lib/simulated'), { recursive: true })
    await writeFile(join(root, 'var/lib/simulated/crontab'), '@daily backup\n')
    await writeFile(join(root, 'var/lib/simulated/traps'), trap)
    const failed = await install()
    expect([failed.status, failed.stderr]).toEqual([1, expect.stringContaining(reason)])
    expect(await exists(join(root, 'bin/ee'))).toBe(true)
    await writeFile(join(root, 'var/lib/simulated/traps'), '')
    for (const again of [1, 2]) {
      expect([again, await install()]).toEqual([again, done])
      expect(await renewals()).toEqual(['0 0 * * * /usr/local/bin/ee site ssl-renew --all'])
    }
    expect(await file('var/lib/simulated/crontab')).toContain('@daily backup\n')
    const database = openDatabase({ path: (path) => join(root, path) })
    expect(database.all("SELECT value FROM options WHERE key = 'version'")).toEqual([{ value: '4.10.2' }])
    database.close()
  })

  test('renews certificates by a job that is on', async () => {
    expect(await install()).toEqual(done)
    const path = join(root, 'var/lib/simulated/crontab')
    await writeFile(path, (await readFile(path, 'utf8')).replace(/^0 0/m, '#0 0'))
    expect(await install()).toEqual(done)
    expect(await renewals()).toHaveLength(2)
  })
})

test('swap becomes one file of the size, whatever was there', async () => {
  await writeFile(join(root, 'swap.img'), '')
  await writeFile(join(root, 'etc/fstab'), '/dev/sda1 / ext4 defaults 0 1\n/swap.img none swap sw 0 0\n')
  await appendFile(join(root, 'proc/swaps'), '/swap.img file 2097152 0 -2\n/dev/sdb partition 1048576 0 -3\n')
  expect(await run('swap', '1024', 'keep')).toEqual(done)
  expect(await file('proc/swaps')).toContain('/swap.img')
  for (const again of [1, 2]) {
    expect([again, await run('swap', '1024')]).toEqual([again, done])
    expect(await file('proc/swaps')).toMatch(/^.*\n\/dev\/sdb partition 1048576 0 -3\n\/swapfile file 1048576 0 -2\n$/)
    expect(await file('etc/fstab')).toBe('/dev/sda1 / ext4 defaults 0 1\n/swapfile none swap sw 0 0\n')
    expect(await file('var/lib/simulated/mkswap.log')).toBe(`mkswap ${root}/swapfile\n`)
  }
  await expect(file('swap.img')).rejects.toMatchObject({ code: 'ENOENT' })
  expect(await run('swap', '32768')).toEqual(done)
  expect(await file('proc/swaps')).toContain('/swapfile file 33554432 ')
  expect(await run('swap', '0')).toEqual(done)
  expect(await file('proc/swaps')).not.toContain('/swapfile')
  expect(await file('etc/fstab')).toBe('/dev/sda1 / ext4 defaults 0 1\n')
})

test('swap that does not fit on the disk changes nothing', async () => {
  await run('swap', '512')
  await writeFile(join(root, 'etc/disk'), '4000000 2200000 1800000 55%')
  const { status, stderr } = await run('swap', '2048')
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^Swap of 2048 MB needs a disk with 3072 MB free/)])
  expect(await file('proc/swaps')).toContain('/swapfile file 524288 ')
})

test('the firewall has our rules once, and those of others stay', async () => {
  await writeFile(join(root, 'etc/ufw/before.rules'), '*filter\n-A ufw-before-input -s 192.0.2.1 -j DROP\nCOMMIT\n')
  const read = async () => settingsFields((await run('settings')).stdout)?.firewall
  const off = { enabled: false, allow: [], block: [], banned: [] }
  expect(await read()).toEqual(off)
  const names = ['before', 'before6', 'after', 'after6']
  const files = () => Promise.all(names.map((name) => file(`etc/ufw/${name}.rules`)))
  const words = ['2222', '198.51.100.7,2001:db8::7', '203.0.113.0/24,2001:db8:1::/48']
  expect(await run('firewall', '1', ...words)).toEqual(done)
  const once = await files()
  expect(await run('firewall', '1', ...words)).toEqual(done)
  expect(await files()).toEqual(once)
  expect(once[0]).toBe(`*filter
-A ufw-before-input -s 192.0.2.1 -j DROP
COMMIT
# easydash begin
*filter
-A ufw-before-input -p tcp --dport 2222 -j ACCEPT
-A ufw-before-input -s 198.51.100.7 -j ACCEPT
-A ufw-before-input -s 203.0.113.0/24 -j DROP
COMMIT
# easydash end
`)
  expect(once[3]).toContain('-A DOCKER-USER -s fe80::/10 -j RETURN\n-A DOCKER-USER -s 2001:db8::7 -j RETURN\n')
  expect(await read()).toEqual({
    ...{ enabled: true, banned: [] },
    allow: ['198.51.100.7', '2001:db8::7'],
    block: ['203.0.113.0/24', '2001:db8:1::/48'],
  })
  expect(await run('firewall', '0', '22', '', '')).toEqual(done)
  expect(await read()).toEqual(off)
  expect(await file('var/lib/simulated/iptables.log')).toContain('iptables --wait --flush DOCKER-USER')
})

test('automatic updates are what apt says of all its files', async () => {
  const read = async () => settingsFields((await run('settings')).stdout)?.automatic_updates
  expect(await read()).toBe(0)
  expect(await run('automatic-updates', '1')).toEqual(done)
  expect(await read()).toBe(1)
  expect(await run('automatic-updates', '0')).toEqual(done)
  expect(await read()).toBe(0)
})

test('a machine that says too much about itself is believed what makes sense', () => {
  expect(settingsFields('automatic_updates=yes\n')).toBeNull()
  const hostile = ['firewall=yes', 'block=<script>', 'block=203.0.113.9', 'banned=', 'complete=yes'].join('\n')
  expect(settingsFields(hostile)).toEqual({
    automatic_updates: 0,
    firewall: { enabled: true, allow: [], block: ['203.0.113.9'], banned: [] },
  })
})
