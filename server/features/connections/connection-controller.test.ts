import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Session } from '#server/contracts/session.ts'
import { loadConfig } from '#server/platform/config/config.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { ConnectionDoctype } from '#shared/doctypes/connection.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { WpcSiteDoctype } from '#shared/doctypes/wpc-site.ts'
import { startVendor, type Simulator } from '#tests/contracts/vendors/simulator.ts'
import { createTestDocuments, sessionOf, type TestDocuments } from '#tests/support/documents.ts'
import { createConnections, type Connections } from './connections.ts'

const owner = sessionOf('owner@acme.example', 'acme')
const mask = '*****'

let t: TestDocuments
let feature: Connections
let hetzner: Simulator
let manager: Session

beforeAll(async () => {
  hetzner = await startVendor(() => ({ status: 200, body: { servers: [], meta: {} } }))
  feature = createConnections({
    config: loadConfig({ HCLOUD_ENDPOINT: hetzner.url }, '/tmp'),
    documents: () => t.documents,
    rateLimiter: { hit: () => Promise.resolve() },
    log: silentLog,
    publicKey: () => Promise.resolve(''),
  })
  t = await createTestDocuments({ controllers: feature.controllers ?? [] })
  await t.organization('acme')
  await t.organization('globex')
  manager = await t.member('acme', 'manager@acme.example', 'Organization Manager')
})
afterAll(async () => {
  await t.close()
  await hetzner.close()
})
beforeEach(async () => {
  hetzner.seen.length = 0
  await t.documents.transaction(t.system, async (tx) => {
    await tx.deleteWhere(ServerDoctype, [])
    await tx.deleteWhere(WpcSiteDoctype, [])
    await tx.deleteWhere(ConnectionDoctype, [])
  })
})

const add = async (values: Record<string, unknown> = {}, session = owner) =>
  (await t.documents.insert(session, 'Connection', { kind: 'Hetzner', hcloud_token: 'a', ...values })).name
const save = (name: string, values: Record<string, unknown>) => t.documents.save(owner, ConnectionDoctype, name, values)
const organization = (values?: Record<string, unknown>, session = owner) =>
  values ? t.documents.save(session, 'Organization', 'acme', values) : t.documents.get(session, 'Organization', 'acme')
const list = () =>
  t.documents.transaction(t.system, (tx) => tx.list(ConnectionDoctype, [['organization', '=', 'acme']]))
const secret = (name: string, field: string) =>
  t.documents.transaction(t.system, (tx) => tx.secret(ConnectionDoctype, name, field))
const defaults = async () => (await list()).filter((one) => one.is_default === 1).map(({ label }) => label)
let servers = 0
const server = (values: Record<string, unknown>) => {
  servers += 1
  const hostname = `a${servers}.example`
  return t.documents.transaction(owner, (tx) =>
    tx.insert(ServerDoctype, { organization: 'acme', hostname, cloud_provider: 'Hetzner', ...values }),
  )
}

describe('one connection of a kind is the default', () => {
  test('the first, until another one is made it or it is deleted', async () => {
    const first = await add({ is_default: 0 })
    const second = await add()
    const third = await add({ is_default: 1 })
    await add({ kind: 'DigitalOcean', hcloud_token: null, do_token: 'a' })
    expect(await defaults()).toEqual(['Hetzner 3', 'DigitalOcean'])
    await save(second, { is_default: 1 })
    expect(await defaults()).toEqual(['Hetzner 2', 'DigitalOcean'])
    await expect(save(second, { is_default: 0 })).rejects.toMatchObject({ code: 'invalid', field: 'is_default' })
    await t.documents.delete(owner, 'Connection', second)
    expect(await defaults()).toEqual(['Hetzner', 'DigitalOcean'])
    await t.documents.delete(owner, 'Connection', first)
    await t.documents.delete(owner, 'Connection', third)
    expect(await defaults()).toEqual(['DigitalOcean'])
  })

  test('also when several are added, made the default, and deleted at once', async () => {
    const names = await Promise.all([1, 2, 3, 4].map(() => add({ is_default: 1 })))
    expect(await defaults()).toHaveLength(1)
    expect(new Set((await list()).map(({ label }) => label)).size).toBe(4)
    await Promise.all(names.map((name) => save(name, { is_default: 1 }).catch((error: unknown) => error)))
    expect(await defaults()).toHaveLength(1)
    const [first, ...others] = names
    await Promise.all([
      ...others.slice(1).map((name) => t.documents.delete(owner, 'Connection', name)),
      save(others[0] as string, { is_default: 1 }),
      organization({ hcloud_token: 'b' }),
    ])
    expect(new Set((await list()).map(({ name }) => name))).toEqual(new Set([first, others[0]]))
    expect(await defaults()).toHaveLength(1)
  })
})

test('there are at most a hundred of a kind', async () => {
  const connection = { organization: 'acme', kind: 'Hetzner', hcloud_token: 'a' } as const
  await t.documents.transaction(t.system, async (tx) => {
    for (let n = 1; n < 100; n += 1) await tx.insert(ConnectionDoctype, connection)
  })
  await add()
  await expect(add()).rejects.toMatchObject({ code: 'limit_reached' })
  await expect(add({ kind: 'DigitalOcean', hcloud_token: null, do_token: 'a' })).resolves.toEqual(expect.any(String))
})

test('a connection has what its kind needs, and nothing else', async () => {
  const refused = (values: Record<string, unknown>, field: string) =>
    expect(add(values)).rejects.toMatchObject({ code: 'invalid', field })
  await refused({ hcloud_token: null }, 'hcloud_token')
  await refused({ do_token: 'a' }, 'do_token')
  await refused({ kind: 'Fax' }, 'kind')
  await refused({ kind: null }, 'kind')
  await refused({ kind: 'Slack', hcloud_token: null, slack_channel: '#ops' }, 'slack_token')
  const bucket = { kind: 'Bucket', hcloud_token: null, bucket_name: 'a', bucket_access_key: 'a' }
  await refused(bucket, 'bucket_secret_key')
  await refused({ ...bucket, bucket_secret_key: 'a', bucket_endpoint: 'https://10.0.0.1' }, 'bucket_endpoint')
  const name = await add({ label: 'Main' })
  await refused({ label: 'Main' }, 'label')
  await expect(save(name, { hcloud_token: '' })).rejects.toMatchObject({ field: 'hcloud_token' })
  await expect(save(name, { kind: 'AWS' })).rejects.toMatchObject({ field: 'kind' })
  expect(await save(name, { label: 'Other', hcloud_token: mask })).toMatchObject({ hcloud_token: mask })
  expect(await secret(name, 'hcloud_token')).toBe('a')
})

test('keys of a bucket do not follow it to another address', async () => {
  const keys = { bucket_access_key: 'a', bucket_secret_key: 'b' }
  const name = await add({ kind: 'Bucket', hcloud_token: null, bucket_name: 'a', ...keys })
  const bucket_endpoint = 'https://s3.example.com'
  await expect(save(name, { bucket_endpoint })).rejects.toMatchObject({ field: 'bucket_access_key' })
  expect(await save(name, { bucket_endpoint, ...keys })).toMatchObject({ bucket_endpoint, bucket_access_key: mask })
})

test.each([
  ['https://hooks.slack.com/services/T1/B1/x', true],
  ['https://hooks.slack.com.example.org/x', false],
  ['https://a@hooks.slack.com/x', false],
  ['http://hooks.slack.com/x', false],
  ['ftp', false],
])('%s as the address of a webhook: %s', async (slack_webhook_url, isAccepted) => {
  const added = add({ kind: 'Slack', hcloud_token: null, slack_webhook_url })
  if (isAccepted) await expect(added).resolves.toEqual(expect.any(String))
  else await expect(added).rejects.toMatchObject({ field: 'slack_webhook_url' })
})

describe('the organization’s own fields', () => {
  test('are those of the default connection', async () => {
    expect(await organization({ hcloud_token: 'a', bucket_name: 'backups' })).toMatchObject({
      hcloud_token: mask,
      bucket_name: 'backups',
    })
    const [created] = await list()
    expect(created).toMatchObject({ kind: 'Hetzner', label: 'Hetzner', is_default: 1, status: 'Not Tested' })
    const other = await add({ hcloud_token: 'other', is_default: 1 })
    await organization({ hcloud_token: 'changed' })
    expect(await secret(other, 'hcloud_token')).toBe('changed')
    expect(await secret(created?.name ?? '', 'hcloud_token')).toBe('a')
    await organization({ hcloud_token: '' })
    expect(await defaults()).toEqual(['Hetzner', 'Bucket'])
    expect(await organization()).toMatchObject({ hcloud_token: mask, bucket_name: 'backups', do_token: null })
    expect(await organization({ hcloud_token: '', bucket_name: '' })).toMatchObject({ hcloud_token: null })
    expect(await list()).toEqual([])
  })

  test('can be selected and filtered by, by those who can read them', async () => {
    await organization({ bucket_name: 'backups' })
    const rows = (session: Session, query: Record<string, unknown>) =>
      t.documents.list(session, 'Organization', { fields: ['name', 'bucket_name'], ...query })
    expect(await rows(owner, {})).toEqual([{ name: 'acme', bucket_name: 'backups' }])
    expect(await rows(owner, { filters: { bucket_name: 'other' } })).toEqual([])
    const counted = { fields: ['bucket_name', 'count(name) as n'], group_by: 'bucket_name' }
    expect(await rows(owner, counted)).toEqual([{ bucket_name: 'backups', n: 1 }])
    expect(await rows(manager, {})).toEqual([{ name: 'acme' }])
    await expect(rows(manager, { filters: { bucket_name: 'backups' } })).rejects.toMatchObject({ code: 'invalid' })
    expect(await organization(undefined, manager)).not.toHaveProperty('hcloud_token')
  })

  test('are recorded once, without their values', async () => {
    await organization({ do_token: 'dop_v1_secret' })
    const rows = await t.documents.list(owner, 'Activity', { fields: ['*'], limit: 3, order_by: 'creation desc' })
    expect(rows[0]).toMatchObject({
      action: 'Organization.update',
      before: { do_token: null },
      after: { do_token: mask },
    })
    expect(rows[1]?.['action']).not.toMatch(/^Connection/)
    expect(JSON.stringify(rows)).not.toContain('dop_v1_secret')
  })

  test('clear_credentials ends all connections of a kind; one in use stays without credentials', async () => {
    await add()
    const used = await add()
    await add({ kind: 'DigitalOcean', hcloud_token: null, do_token: 'a' })
    await server({ connection: used })
    await t.documents.runAction(owner, 'Organization', 'acme', 'clear_credentials', { credentials: 'hetzner' })
    expect((await list()).map(({ kind, is_default, hcloud_token }) => [kind, is_default, hcloud_token])).toEqual([
      ['Hetzner', 1, null],
      ['DigitalOcean', 1, null],
    ])
    expect(await organization()).toMatchObject({ hcloud_token: null, do_token: mask })
    const root = sessionOf('root@example.com', 'acme', { platformAdmin: true })
    await expect(t.documents.list(root, 'Connection', {})).rejects.toMatchObject({ code: 'forbidden' })
    await t.documents.runAction(root, 'Organization', 'acme', 'clear_credentials', { credentials: 'digitalocean' })
    expect(await list()).toMatchObject([{ name: used }])
  })
})

test('each connection is tested on its own, with stored or typed credentials', async () => {
  await add()
  const name = await add({ hcloud_token: 'second' })
  const run = (args: Record<string, unknown>) => t.documents.runAction(owner, 'Connection', name, 'test', args)
  expect(await run({ hcloud_token: 'typed' })).toMatchObject({ outcome: 'ok', stored: false })
  expect(await run({})).toMatchObject({ outcome: 'ok', stored: true })
  expect(hetzner.seen.map(({ headers }) => headers['authorization'])).toEqual(['Bearer typed', 'Bearer second'])
  expect((await list()).map(({ status }) => status)).toEqual(['Not Tested', 'Connected'])
  const asked = { connection: 'bucket', only_given: 1, bucket_access_key: 'a', bucket_secret_key: 'b' }
  await add({ kind: 'Bucket', hcloud_token: null, bucket_name: 'a', bucket_access_key: 'a', bucket_secret_key: 'b' })
  expect(await t.documents.runAction(owner, 'Organization', 'acme', 'test_connection', asked)).toMatchObject({
    outcome: 'missing',
    message: 'There is nothing to test yet: Bucket name.',
  })
  await save(name, { hcloud_token: 'third' })
  expect((await list()).map(({ status }) => status)).not.toContain('Connected')
})

describe('a server is of a connection', () => {
  test('of its provider: the one it names, or the default', async () => {
    expect((await server({})).connection).toBeNull()
    const first = await add()
    const second = await add()
    expect((await server({})).connection).toBe(first)
    expect((await server({ connection: second })).connection).toBe(second)
    expect((await server({ cloud_provider: 'Custom' })).connection).toBeNull()
    const foreign = await add({}, sessionOf('owner@globex.example', 'globex'))
    for (const values of [
      { connection: foreign },
      { connection: first, cloud_provider: 'AWS' },
      { connection: 'none' },
    ])
      await expect(server(values)).rejects.toMatchObject({ code: 'invalid', field: 'connection' })
  })

  test('which is not deleted while a server needs it', async () => {
    const name = await add()
    const { name: machine } = await server({})
    await expect(t.documents.delete(owner, 'Connection', name)).rejects.toMatchObject({
      excType: 'LinkExistsError',
      message: 'Cannot delete Connection because Servers link to it.',
    })
    await organization({ hcloud_token: '' })
    expect(await list()).toMatchObject([{ name, hcloud_token: null }])
    await t.documents.transaction(t.system, (tx) => tx.delete(ServerDoctype, machine))
    await t.documents.delete(owner, 'Connection', name)
    expect(await list()).toEqual([])
  })
})

describe('a site at WP Cloud is of a connection', () => {
  const credentials = { wpc_api_key: 'key', wpc_client_id: 'acme' }
  const connect = () => add({ kind: 'WP Cloud', hcloud_token: null, ...credentials })
  const site = (values: Record<string, unknown>) =>
    t.documents.transaction(t.system, (tx) =>
      tx.insert(WpcSiteDoctype, { organization: 'acme', domain: 'one.example', ...values }),
    )

  test('of the account at WP Cloud: the one it names, or the default', async () => {
    expect((await site({})).connection).toBeNull()
    const [first, second] = [await connect(), await connect()]
    expect((await site({ domain: 'two.example' })).connection).toBe(first)
    expect((await site({ domain: 'three.example', connection: second })).connection).toBe(second)
    await expect(site({ domain: 'four.example', connection: await add() })).rejects.toMatchObject({
      code: 'invalid',
      field: 'connection',
    })
  })

  test('which is not deleted while a site needs it, and opens no account once its credentials are cleared', async () => {
    const name = await connect()
    const { name: made } = await site({})
    const account = { organization: 'acme', connection: name }
    const open = () => t.documents.transaction(t.system, (tx) => feature.wpCloudOf(tx, account))
    expect((await open()).client).toBe('acme')
    await expect(t.documents.delete(owner, 'Connection', name)).rejects.toMatchObject({
      excType: 'LinkExistsError',
      message: 'Cannot delete Connection because WP Cloud sites link to it.',
    })
    await t.documents.runAction(owner, 'Organization', 'acme', 'clear_credentials', { credentials: 'wpc' })
    expect(await list()).toMatchObject([{ name, wpc_api_key: null, wpc_client_id: null }])
    await expect(open()).rejects.toMatchObject({ code: 'invalid', field: 'connection' })
    await organization(credentials)
    await organization({ wpc_api_key: '', wpc_client_id: '' })
    expect(await list()).toMatchObject([{ name, wpc_api_key: null }])
    await t.documents.transaction(t.system, (tx) => tx.delete(WpcSiteDoctype, made))
    await t.documents.delete(owner, 'Connection', name)
    expect(await list()).toEqual([])
  })
})
