import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { MethodContext } from '#server/contracts/method.ts'
import { systemSession } from '#server/jobs/session.ts'
import { exists } from '#server/platform/files/exists.ts'
import { hashToken } from '#server/platform/secrets/tokens.ts'
import { openDatabase } from '#server/providers/simulator/easyengine/database.ts'
import { addEasyEngine } from '#server/providers/simulator/machine-files.ts'
import { AppError } from '#shared/errors.ts'
import { untranslated } from '#shared/localized-message.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { withPassword } from '#tests/support/documents.ts'
import { shortPauses, until, untilEnded } from '#tests/support/jobs.ts'
import { startServersFixture } from '#tests/support/servers.ts'
import type { ServersContext } from '../servers-context.ts'
import { easyengineMethods } from './callbacks.ts'
import { parseInventory } from './found-site.ts'

let t: Awaited<ReturnType<typeof startServersFixture>>

/** Rows of EasyEngine's database as it has them. */
const inventory = [
  {
    site_url: 'shop.example',
    site_type: 'wp',
    php_version: '8.3',
    alias_domains: 'shop.example,www.shop.example',
    site_enabled: 1,
  },
  {
    ...{ site_url: 'old.example', site_type: 'php', site_enabled: 0, php_version: '7.4' },
    alias_domains: 'old.example,WWW.old.example,Old.example,www.old.example',
  },
  { site_url: '../etc', site_type: 'wp', site_enabled: 1, php_version: '8.3', alias_domains: null },
]

beforeAll(async () => {
  t = await startServersFixture({ clock: shortPauses, machines: 1 })
  await t.documents.transaction(systemSession(), (tx) =>
    tx.update(OrganizationDoctype, 'acme', { access_token_sha256_hash: hashToken('edo_right') }),
  )
})
afterAll(() => t?.stop())

const call = (
  name: string,
  params: Record<string, unknown>,
  token: string | null = 'edo_right:key',
  ip = '192.0.2.1',
) => {
  const method = t.servers.methods?.find((one) => one.name.endsWith(`.${name}`))
  if (!method) throw new Error(`There is no method ${name}`)
  return method.run({ organization: 'acme', ...params }, { machineToken: token, ip } as MethodContext)
}
const sites = () =>
  t.documents.transaction(systemSession(), (tx) => tx.list(SiteDoctype, [['organization', '=', 'acme']]))

test('a stock server announces itself and its sites, and is taken over without a change', async () => {
  for (const token of [null, '', ':', 'edo_wrong:key', 'edo_right '])
    await expect(call('get_server_list', {}, token)).rejects.toMatchObject({ code: 'unauthorized' })
  await expect(call('get_server_list', { organization: 'globex' })).rejects.toMatchObject({ code: 'unauthorized' })
  expect(await call('get_server_list', {})).toEqual([])

  const keys = [t.installationLine]
  const address = t.cloud.start({ name: 'stock', vcpu: 2, ramBytes: 4e9, diskBytes: 8e10, keys, userData: '' })
  const root = join(t.folder, String(address))
  const announced = { hostname: 'stock.example', public_ipv4: address, ee_version: '4.9.0' }
  const { name } = (await call('add_server', announced)) as { name: string }
  expect(await call('add_server', announced)).toEqual({ name })
  expect(await call('get_server_list', {})).toMatchObject([{ hostname: 'stock.example', public_ipv4: address }])

  const site = { domain: 'shop.example', server: 'stock.example', site_type: 'wp', enabled: '1', php_version: '8.3' }
  await call('add_site', site)
  await call('add_site', site)
  expect(await call('get_site_list', {})).toMatchObject([{ domain: 'shop.example' }])
  await expect(call('add_site', { ...site, server: 'unknown' })).rejects.toMatchObject({ field: 'server' })
  await expect(call('add_site', { ...site, domain: 'a b' })).rejects.toMatchObject({ field: 'domain' })

  await addEasyEngine(root)
  const database = openDatabase({ path: (path) => join(root, path) })
  for (const row of inventory)
    database.insert('sites', { ...row, site_fs_path: '', site_container_fs_path: '', app_admin_url: 'Shop' })
  database.close()
  const job = await t.documents.transaction(systemSession(), (tx) =>
    tx.find(JobDoctype, [['reference_name', '=', name]]),
  )
  const shown = await until(t.documents, JobDoctype, job?.name ?? '', (now) => shownIn(now?.steps) !== null)
  await t.documents.runAction(t.owner, 'Server', name, 'confirm_host_key', { fingerprint: shownIn(shown?.steps) })
  expect(await untilEnded(t.documents, job?.name ?? '')).toMatchObject({ status: 'Done' })
  const server = await t.documents.transaction(systemSession(), (tx) => tx.get(ServerDoctype, name))
  expect(server).toMatchObject({
    status: 'Healthy',
    easyengine: '4.10.2',
    // What it says of itself, not how it was announced.
    machine_hostname: 'stock',
    is_imported_with_ee: 1,
    randomised_http_auth: null,
    left_out_sites: ['../etc'],
  })
  const found = (await sites()).map((one) =>
    [one.domain, one.status, one.php_version, one.usr_alias_domains].map(String).join(' '),
  )
  expect(found.toSorted()).toEqual(['old.example Suspended null www.old.example', 'shop.example Live 8.3 null'])

  // Leaving: the sites are forgotten here, and stay there.
  const left = (await t.documents.runAction(withPassword(t.owner), 'Server', name, 'decommission', {
    confirm_name: 'stock.example',
  })) as { job: string }
  expect(await untilEnded(t.documents, left.job)).toMatchObject({ status: 'Done' })
  expect(await sites()).toEqual([])
  expect(await exists(join(root, 'var/lib/easydash'))).toBe(false)
  const after = openDatabase({ path: (path) => join(root, path) })
  expect(after.sites().map(({ site_url: domain }) => domain)).toEqual(inventory.map((row) => row.site_url))
  after.close()
  expect(await readFile(join(root, 'var/lib/simulated/effects.log'), 'utf8').catch(() => '')).toBe('')
})

test('calls are counted by the address of the server, whatever token they show', async () => {
  const counted: unknown[] = []
  const hit = async (...[name, key]: unknown[]) => {
    counted.push([name, key])
    throw new AppError('rate_limited', untranslated('Too many'))
  }
  const methods = easyengineMethods({ deps: { rateLimiter: { hit } } } as unknown as ServersContext)
  const from = { machineToken: 'edo_right', ip: '2001:db8:1:1::7' } as MethodContext
  for (const { run } of methods)
    await expect(run({ organization: 'acme' }, from)).rejects.toMatchObject({ code: 'rate_limited' })
  expect(counted).toEqual(methods.map(() => ['easyengine', { address: '2001:db8:1:1::7' }]))
})

test('sites of machines of the same host name are those of the machine that sends them, whatever it is called here', async () => {
  // A server with another engine, which calls itself so, too.
  await t.documents.transaction(systemSession(), (tx) =>
    tx.insert(ServerDoctype, {
      organization: 'acme',
      hostname: 'ubuntu-2',
      engine: 'local',
      engine_host: 'local:this',
    }),
  )
  const machines = ['198.51.100.21', '198.51.100.22'] as const
  const added: string[] = []
  for (const address of machines) {
    const { name } = (await call('add_server', { hostname: 'Ubuntu', public_ipv4: address })) as { name: string }
    added.push(name)
  }
  const read = async () =>
    t.documents.transaction(systemSession(), (tx) =>
      tx.list(ServerDoctype, [['name', 'in', added]], { order_by: 'public_ipv4 asc' }),
    )
  expect((await read()).map(({ hostname }) => hostname)).toEqual(['ubuntu', 'ubuntu-3'])
  await t.documents.transaction(t.owner, (tx) => tx.update(ServerDoctype, added[0] ?? '', { hostname: 'shop-server' }))
  for (const [at, ip] of machines.entries())
    await call('add_site', { domain: `at-${at}.example`, server: 'Ubuntu', site_type: 'html' }, undefined, ip)
  const found = (await sites()).filter(({ domain }) => domain.startsWith('at-'))
  expect(found.map(({ domain, server }) => `${domain} ${server}`).toSorted()).toEqual([
    `at-0.example ${added[0]}`,
    `at-1.example ${added[1]}`,
  ])
  const unclear = { domain: 'at-2.example', server: 'Ubuntu', site_type: 'html' }
  await expect(call('add_site', unclear)).rejects.toMatchObject({ field: 'server' })
})

const shownIn = (steps: unknown): string | null => /SHA256:[\w+/=]+/.exec(JSON.stringify(steps ?? ''))?.[0] ?? null

test('a list of sites is read or refused, never guessed', () => {
  expect(parseInventory('')).toEqual([])
  expect(parseInventory('[]')).toEqual([])
  expect(parseInventory('[{"site_url":1}]')).toBeNull()
  expect(parseInventory('Error: no such table')).toBeNull()
})
