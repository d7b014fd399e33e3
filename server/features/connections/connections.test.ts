import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Session } from '#server/contracts/session.ts'
import { loadConfig } from '#server/platform/config/config.ts'
import { silentLog } from '#server/platform/log/log.ts'
import type { AnyDoc } from '#shared/doctype.ts'
import type { SimulatedResponse } from '#server/providers/simulator/simulated-vendor.ts'
import { ConnectionDoctype } from '#shared/doctypes/connection.ts'
import type { ConnectionCheck } from '#shared/doctypes/connections.ts'
import { startVendor, type Simulator } from '#tests/contracts/vendors/simulator.ts'
import { createTestDocuments, sessionOf, type TestDocuments } from '#tests/support/documents.ts'
import { createConnections } from './connections.ts'

const secret = 'hcloud-token-that-nobody-may-see'
const owner = sessionOf('owner@acme.example', 'acme')

let hetzner: Simulator
let response: () => SimulatedResponse | Promise<SimulatedResponse>
let t: TestDocuments
let hits: string[]

const works: SimulatedResponse = { status: 200, body: { servers: [], meta: {} } }

beforeAll(async () => {
  hetzner = await startVendor(() => response())
  const feature = createConnections({
    config: loadConfig({ HCLOUD_ENDPOINT: hetzner.url, EASYDASH_EGRESS_IPS: '192.0.2.10' }, '/tmp'),
    documents: () => t.documents,
    rateLimiter: { hit: (bucket, key) => Promise.resolve(void hits.push(`${bucket} ${key}`)) },
    log: silentLog,
    publicKey: () => Promise.resolve('ssh-ed25519 AAAA'),
    minMs: 40,
    resolve: (name) =>
      name.startsWith('inside') ? Promise.resolve(['127.0.0.1']) : Promise.reject(new Error(`ENOTFOUND ${name}`)),
  })
  t = await createTestDocuments({ controllers: feature.controllers ?? [] })
  await t.organization('acme')
  await t.organization('globex')
  for (const role of ['Admin', 'Manager', 'User'])
    await t.member('acme', `${role.toLowerCase()}@acme.example`, `Organization ${role}` as 'Organization Admin')
})
afterAll(async () => {
  await t.close()
  await hetzner.close()
})
beforeEach(async () => {
  hits = []
  hetzner.seen.length = 0
  response = () => works
  await t.documents.save(owner, 'Organization', 'acme', { hcloud_token: '' })
  await t.documents.save(owner, 'Organization', 'acme', { hcloud_token: secret })
})
afterEach(() => {
  expect(hetzner.problems).toEqual([])
})

const run = (session: Session, args: Record<string, unknown> = {}, name = 'acme') =>
  t.documents.runAction(session, 'Organization', name, 'test_connection', { connection: 'hetzner', ...args })
const stored = () =>
  t.documents.transaction(t.system, (tx) =>
    tx.find(ConnectionDoctype, [
      ['organization', '=', 'acme'],
      ['kind', '=', 'Hetzner'],
      ['is_default', '=', 1],
    ]),
  )
const untested = { status: 'Not Tested', outcome: null, message: null, checked_at: null }

test('the vendor’s answer about the stored key is returned and stored', async () => {
  expect(await stored()).toMatchObject({ set_at: expect.any(String), ...untested })
  const result = await run(owner)
  expect(result).toMatchObject({ outcome: 'ok', message: 'The token works: 0 servers in its project.', stored: true })
  expect(result).toMatchObject({ message_i18n: { values: [0], count: 0 }, advice: null, advice_i18n: null })
  const { outcome, message, message_i18n, advice, advice_i18n, checked_at } = result as unknown as ConnectionCheck
  const kept = { outcome, message, message_i18n, advice, advice_i18n, checked_at }
  expect(await stored()).toMatchObject({ status: 'Connected', ...kept })
  expect(hetzner.seen[0]?.headers['authorization']).toBe(`Bearer ${secret}`)
  expect(hits).toEqual(['connection_test acme'])
})

test('a key that was typed is tested without being stored or remembered', async () => {
  response = () => ({ status: 401, body: { error: { code: 'unauthorized', message: 'unable to authenticate' } } })
  expect(await run(owner, { hcloud_token: ' typed-key ' })).toMatchObject({ outcome: 'wrong_key', stored: false })
  expect(hetzner.seen[0]?.headers['authorization']).toBe('Bearer typed-key')
  expect(await stored()).toMatchObject(untested)
  response = () => works
  expect(await run(owner, { hcloud_token: '*****' })).toMatchObject({ outcome: 'ok', stored: true })
})

test('new credentials have not been tested, and other settings change nothing', async () => {
  await run(owner)
  await t.documents.save(owner, 'Organization', 'acme', { title: 'Acme Inc' })
  expect((await stored())?.outcome).toBe('ok')
  await t.documents.save(owner, 'Organization', 'acme', { hcloud_token: 'another' })
  expect(await stored()).toMatchObject(untested)
  await t.documents.save(owner, 'Organization', 'acme', { hcloud_token: '' })
  expect(await stored()).toBeNull()
})

test('a test says nothing about credentials that came meanwhile', async () => {
  // The vendor delays its response until the other key is stored.
  let change: Promise<unknown> | null = null
  response = async () => {
    change = t.documents.save(owner, 'Organization', 'acme', { hcloud_token: 'another' })
    await change
    return works
  }
  expect(await run(owner)).toMatchObject({ outcome: 'ok', stored: true })
  expect(change).not.toBeNull()
  expect(await stored()).toMatchObject(untested)
})

test('only the owner and admins can test; others learn nothing', async () => {
  await expect(run(sessionOf('admin@acme.example', 'acme'))).resolves.toMatchObject({ outcome: 'ok' })
  for (const user of ['manager@acme.example', 'user@acme.example'])
    await expect(run(sessionOf(user, 'acme'))).rejects.toMatchObject({ code: 'forbidden' })
  const before = hetzner.seen.length
  await expect(run(sessionOf('owner@globex.example', 'globex'))).rejects.toMatchObject({ code: 'not_found' })
  await expect(run(owner, {}, 'nowhere')).rejects.toMatchObject({ code: 'not_found' })
  await expect(run(owner, { connection: 'paypal' })).rejects.toMatchObject({ code: 'invalid', field: 'connection' })
  for (const [connection, field] of [
    ['bucket', 'bucket_endpoint'],
    ['slack', 'slack_webhook_url'],
  ] as const)
    for (const address of ['s3.example.com', 'https://', 'https://a b/', 'https://s3.example.com:99999'])
      await expect(run(owner, { connection, [field]: address }), address).rejects.toMatchObject({
        code: 'invalid',
        field,
      })
  expect(hetzner.seen.length).toBe(before)
})

test('neither answer, nor document, nor activity holds the key', async () => {
  response = () => ({ status: 401, body: { error: { code: 'unauthorized', message: `no such token` } } })
  const result = await run(owner, { hcloud_token: 'typed-key' })
  await run(owner)
  const log = await t.documents.list(owner, 'Activity', { fields: ['*'], limit: 0 })
  const doc: AnyDoc = await t.documents.get(owner, 'Organization', 'acme')
  const text = JSON.stringify([result, log, doc])
  expect(text).toContain('Organization.test_connection')
  expect(text).not.toContain(secret)
  expect(text).not.toContain('typed-key')
})

test('the keys every server lets in are keys, line by line', async () => {
  const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f ann@laptop'
  const save = (default_authorized_keys: string) =>
    t.documents.save(owner, 'Organization', 'acme', { default_authorized_keys })
  await expect(save(`# ours\n${key}\n\n`)).resolves.toMatchObject({
    default_authorized_keys: expect.stringContaining(key),
  })
  const wrong = { code: 'invalid', field: 'default_authorized_keys' }
  await expect(save(`${key}\nsomething else`)).rejects.toMatchObject({
    ...wrong,
    message: expect.stringMatching(/^Line 2: /),
  })
  await expect(save(`command="x" ${key}`)).rejects.toMatchObject(wrong)
})

describe('keys of a bucket go to the address they were entered for', () => {
  const keys = { bucket_access_key: 'AKIASTORED', bucket_secret_key: 'stored-secret' }
  const set = { bucket_access_key: '*****', bucket_secret_key: '*****' }
  const endpoint = 'https://s3.example.com'
  const save = (values: Record<string, unknown>) => t.documents.save(owner, 'Organization', 'acme', values)
  beforeEach(() => save({ bucket_name: 'backups', bucket_endpoint: endpoint, ...keys }))
  afterEach(() => save({ bucket_name: '', bucket_endpoint: '', bucket_access_key: '', bucket_secret_key: '' }))

  test.each([['https://elsewhere.example.com'], ['https://s3.example.com:8443']])(
    'a test of %s needs its own',
    async (to) => {
      const ask = (args: Record<string, unknown>) => run(owner, { connection: 'bucket', bucket_endpoint: to, ...args })
      for (const args of [
        {},
        { bucket_access_key: '*****', bucket_secret_key: '*****' },
        { bucket_access_key: 'AKIATYPED' },
      ])
        expect(await ask(args)).toMatchObject({ outcome: 'missing', status: null, stored: false })
    },
  )

  test('another address is saved with its keys, or without any', async () => {
    expect(await save({ bucket_endpoint: `${endpoint}/`, bucket_name: 'other' })).toMatchObject(set)
    const elsewhere = 'https://elsewhere.example.com'
    expect(await save({ bucket_endpoint: elsewhere, ...keys })).toMatchObject({ bucket_endpoint: elsewhere, ...set })
    const echo = { bucket_access_key: 'AKIANEW', bucket_secret_key: '*****' }
    expect(await save({ bucket_endpoint: endpoint, ...echo })).toMatchObject({ ...set, bucket_secret_key: null })
    await save(keys)
    expect(await save({ bucket_endpoint: '' })).toMatchObject({ bucket_access_key: null, bucket_secret_key: null })
    expect(await run(owner, { connection: 'bucket' })).toMatchObject({ outcome: 'missing' })
    await save({ bucket_endpoint: endpoint, ...keys })
    expect(await save({ bucket_name: 'third', bucket_region: 'eu-1' })).toMatchObject(set)
  })
})

test('an own address is answered alike, whether its name is unknown or leads inside, at every port', async () => {
  const keys = { bucket_name: 'backups', bucket_access_key: 'AKIATYPED', bucket_secret_key: 'typed-secret' }
  const ask = async (host: string) => {
    const response = await run(owner, { connection: 'bucket', bucket_endpoint: `https://${host}`, ...keys })
    const { took_ms, checked_at: _checked, ...result } = response as Record<string, unknown>
    expect(took_ms).toBeGreaterThanOrEqual(39)
    return result
  }
  const unknown = await ask('nowhere.example.com')
  expect(unknown).toMatchObject({ outcome: 'unreachable', status: null })
  expect(JSON.stringify(unknown)).not.toContain('nowhere')
  const port = new URL(hetzner.url).port
  for (const host of [
    'inside.example.com',
    `inside.example.com:${port}`,
    'inside.example.com:1',
    'nowhere.example.com:1',
  ])
    expect(await ask(host)).toEqual(unknown)
})
