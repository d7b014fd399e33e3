import { afterAll, beforeAll, expect, test } from 'vitest'
import { unreachable } from '#tests/support/servers.ts'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'
import { capabilitiesOf } from '#server/engines/facets.ts'
import { serverRef, type ServerRef } from '#server/engines/site-ref.ts'
import { createServers } from '#server/features/servers/servers.ts'
import { systemSession } from '#server/jobs/session.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { siteMethods } from './methods.ts'
import { createSites } from './sites.ts'

const noArchive = 'EasyEngine 4.8 cannot archive. Update it first.'

let t: TestSites
let old: Server
let fresh: Server
const inTransaction = <T>(work: Parameters<TestSites['running']['documents']['transaction']>[1]) =>
  t.running.documents.transaction(systemSession(), work) as Promise<T>

const addServer = (values: Partial<Server>) =>
  inTransaction<Server>((tx) =>
    tx.insert(ServerDoctype, {
      organization: 'acme',
      engine: 'fake',
      engine_host: `fake:${values.hostname}`,
      status: 'Healthy',
      ...values,
    }),
  )

const servers = () =>
  createServers({
    documents: () => t.running.documents,
    engines: { fake: t.engine },
    log: silentLog,
    installationKey: async () => 'key of the installation',
    jobs: () => t.running.jobs,
    ...unreachable,
  })

beforeAll(async () => {
  t = await openTestSites([], {
    reach: 'network',
    lacks: ({ facts }) => (facts['version'] === '4.8.0' ? { archive: noArchive } : {}),
    readCredentials: (handle) => servers().readCredentials(handle),
  })
  old = await addServer({
    hostname: 'old',
    public_ipv4: '203.0.113.1',
    facts: { version: '4.8.0' },
    ssh_private_key: 'key of the old one',
  })
  fresh = await addServer({
    hostname: 'fresh',
    public_ipv4: '203.0.113.2',
    floating_ip: '203.0.113.20',
    ssh_port: 2222,
    facts: { version: '4.10.2' },
    ssh_private_key: 'key of the fresh one',
    ssh_user: 'deploy',
    ssh_host_key: 'ssh-ed25519 AAAA',
  })
})
afterAll(() => t?.close())

/** Servers the engine connected to since the last call. */
let seen = 0
const connections = () => {
  const all = t.engine.connections.slice(seen)
  seen = t.engine.connections.length
  const line = ({ user, address, port, hostKey }: ServerRef) => `${user}@${address}:${port} ${hostKey ?? 'unknown'}`
  return [...new Set(all.map(({ server, credentials }) => `${line(server)}, ${credentials}`))]
}

test('each server of an engine reports its own capabilities', async () => {
  const method = siteMethods(t.deps).find(({ name }) => name === 'easydash.api.engine.capabilities')
  const capabilities = (server: string) =>
    method?.run({ server }, { session: t.owner, documents: t.running.documents } as never)
  expect(await capabilities(old.name)).toMatchObject({
    capabilities: { archive: { supported: false, reason: noArchive }, create_wp: { supported: true } },
  })
  expect(await capabilities(fresh.name)).toMatchObject({ capabilities: { archive: { supported: true } } })
  const { name } = await t.running.documents.insert(t.owner, 'Server', { organization: 'acme', hostname: 'web9' })
  const reason = 'Nothing connects to this server yet.'
  expect(await capabilities(String(name))).toMatchObject({
    capabilities: { create_wp: { supported: false, reason }, facts: { supported: false, reason } },
  })
})

test('each server is measured by itself, and what was measured decides what it can do', async () => {
  const versions = new Map([[fresh.name, '4.8.0']])
  const { hostInfo } = t.engine
  t.engine.hostInfo = async (server) => {
    if (server.id === old.name) throw new Error('No route to host.')
    return { ...(await hostInfo(server)), facts: { version: versions.get(server.id) ?? '4.10.2' } }
  }
  const measure = async () => {
    const [facts] = servers().schedules
    for (const run of ((await facts?.hosts()) ?? new Map<string, () => Promise<void>>()).values()) await run()
  }
  const archive = async () => {
    const row = await inTransaction<Server>((tx) => tx.get(ServerDoctype, fresh.name))
    return capabilitiesOf(t.engine, serverRef(row)).archive
  }
  await measure()
  expect(await archive()).toEqual({ supported: false, reason: noArchive })
  // One that does not answer says so in its own row, and keeps the name that it was given.
  expect(await inTransaction((tx) => tx.get(ServerDoctype, old.name))).toMatchObject({
    hostname: 'old',
    status: 'Degraded',
    facts: { version: '4.8.0' },
  })
  versions.clear()
  t.engine.hostInfo = async (server) => ({
    ...(await hostInfo(server)),
    facts: { version: server.id === old.name ? '4.8.0' : '4.10.2' },
  })
  await measure()
  expect(await archive()).toEqual({ supported: true })
  expect(await inTransaction((tx) => tx.get(ServerDoctype, old.name))).toMatchObject({ status: 'Healthy' })
  t.engine.hostInfo = hostInfo
})

test('repeated work on sites is done for each server', async () => {
  const site = await t.live('watched', { server: fresh.name })
  const asked: string[] = []
  const { sites } = t.engine.host
  t.engine.host.sites = async (server) => {
    asked.push(server.id)
    return sites(server)
  }
  const swept: string[] = []
  t.engine.host.sweepKept = async (server) => void swept.push(server.id)
  const { schedules } = createSites({ ...t.deps, hosts: servers().hosts })
  const run = async (work: string) => {
    const found = schedules.find(({ name }) => name === work)
    const runs = found && 'hosts' in found ? await found.hosts() : new Map<string, () => Promise<void>>()
    await runs.get(`fake:${fresh.hostname}`)?.()
  }
  await run('sites.check')
  expect(asked).toEqual([fresh.name])
  await run('sites.files')
  expect(swept).toEqual([fresh.name])
  // Nothing answers at the address of a fake site.
  expect((await t.act(site.name, 'uptime', { range: '24h' }))?.['totals']).toMatchObject({ down: 1 })
  t.engine.host.sites = sites
  connections()
})

test('calls of a site go to its own server, with its own credentials', async () => {
  await t.live('on-old', { server: old.name })
  expect(connections()).toEqual(['root@203.0.113.1:22 unknown, key of the old one'])
  await t.live('on-fresh', { server: fresh.name })
  expect(connections()).toEqual(['deploy@203.0.113.20:2222 ssh-ed25519 AAAA, key of the fresh one'])
})

test('a server without a key of its own is entered with that of the installation, and as somebody with a valid name', async () => {
  const plain = await addServer({ hostname: 'plain', public_ipv4: '203.0.113.3' })
  await t.live('on-plain', { server: plain.name })
  expect(connections()).toEqual(['root@203.0.113.3:22 unknown, key of the installation'])
  await expect(addServer({ hostname: 'odd', ssh_user: 'root; reboot' })).rejects.toMatchObject({ field: 'ssh_user' })
})

test('an action that one server does not support is refused there only', async () => {
  const site = async (domain: string) => {
    const [row] = await t.running.documents.list(t.owner, 'Site', { fields: ['name'], filters: { domain } })
    return String(row?.['name'])
  }
  const archive = async (domain: string) => t.act(await site(domain), 'archive', { confirm_name: domain })
  expect(await rejectionOf(archive('on-old'))).toMatchObject({ code: 'unsupported', message: noArchive })
  expect((await t.end(await archive('on-fresh'))).status).toBe('Done')
  expect(connections()).toEqual(['deploy@203.0.113.20:2222 ssh-ed25519 AAAA, key of the fresh one'])
})

test('a job that waits finds its server at the new address; no job holds a key', async () => {
  const site = await t.insert('on-moved', { server: old.name })
  const name = String(site['job'])
  await t.end(site)
  connections()
  const created = await inTransaction<string>(async (tx) => {
    const job = await t.deps.jobs().enqueue(tx, {
      type: 'site.delete',
      organization: 'acme',
      reference_doctype: 'Site',
      reference_name: site.name,
      reference_title: 'on-moved',
      args: (await tx.get(JobDoctype, name))?.args ?? {},
    })
    await tx.update(ServerDoctype, old.name, { public_ipv4: '203.0.113.9' }, { hooks: false })
    return job
  })
  const job = await t.end({ job: created })
  expect(job.status).toBe('Done')
  expect(connections()).toEqual(['root@203.0.113.9:22 unknown, key of the old one'])
  for (const one of [name, created]) {
    const kept = JSON.stringify(await inTransaction((tx) => tx.get(JobDoctype, one)))
    expect(kept).toContain('203.0.113.1')
    expect(kept).not.toContain('key of')
  }
})
