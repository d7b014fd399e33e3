import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestSites, rejectionOf, type TestSites } from '#tests/support/sites.ts'
import type { ReadCredentials } from '#server/engines/engine.ts'
import { createServers } from '#server/features/servers/servers.ts'
import { systemSession } from '#server/jobs/session.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { siteMethods } from './methods.ts'

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

beforeAll(async () => {
  const readCredentials: ReadCredentials = (handle) =>
    createServers({ documents: () => t.running.documents, engines: {}, log: silentLog }).readCredentials(handle)
  t = await openTestSites([], {
    reach: 'network',
    lacks: ({ version }) => (version === '4.8.0' ? { archive: noArchive } : {}),
    readCredentials,
  })
  old = await addServer({
    hostname: 'old',
    public_ipv4: '203.0.113.1',
    easyengine: '4.8.0',
    ssh_private_key: 'key of the old one',
  })
  fresh = await addServer({
    hostname: 'fresh',
    public_ipv4: '203.0.113.2',
    floating_ip: '203.0.113.20',
    ssh_port: 2222,
    easyengine: '4.10.2',
    ssh_private_key: 'key of the fresh one',
  })
})
afterAll(() => t?.close())

/** Servers the engine connected to since the last call. */
let seen = 0
const connections = () => {
  const all = t.engine.connections.slice(seen)
  seen = t.engine.connections.length
  return [...new Set(all.map(({ server, credentials }) => `${server.address}:${server.port} ${credentials}`))]
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

test('calls of a site go to its own server, with its own credentials', async () => {
  await t.live('on-old', { server: old.name })
  expect(connections()).toEqual(['203.0.113.1:22 key of the old one'])
  await t.live('on-fresh', { server: fresh.name })
  expect(connections()).toEqual(['203.0.113.20:2222 key of the fresh one'])
})

test('an action that one server does not support is refused there only', async () => {
  const site = async (domain: string) => {
    const [row] = await t.running.documents.list(t.owner, 'Site', { fields: ['name'], filters: { domain } })
    return String(row?.['name'])
  }
  const archive = async (domain: string) => t.act(await site(domain), 'archive', { confirm_name: domain })
  expect(await rejectionOf(archive('on-old'))).toMatchObject({ code: 'unsupported', message: noArchive })
  expect((await t.end(await archive('on-fresh'))).status).toBe('Done')
  expect(connections()).toEqual(['203.0.113.20:2222 key of the fresh one'])
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
  expect(connections()).toEqual(['203.0.113.9:22 key of the old one'])
  for (const one of [name, created]) {
    const kept = JSON.stringify(await inTransaction((tx) => tx.get(JobDoctype, one)))
    expect(kept).toContain('203.0.113.1')
    expect(kept).not.toContain('key of')
  }
})
