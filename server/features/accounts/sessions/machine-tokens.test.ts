import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDocuments, sessionOf, type TestDocuments } from '#tests/support/documents.ts'
import type { MachineTokens } from '#server/contracts/machine-tokens.ts'
import type { Session } from '#server/contracts/session.ts'
import { accountTables } from '#server/features/accounts/tables.ts'
import { checkAccess } from '#server/wire/methods/method-registry.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { accessContextIn } from '#server/documents/documents.ts'
import { createMachineTokens } from './machine-tokens.ts'

let t: TestDocuments
let tokens: MachineTokens
let server: Server
let other: Server
const owner = sessionOf('owner@acme.example', 'acme')
const ip = '192.0.2.1'
const db = () => t.test.database.db

beforeAll(async () => {
  t = await createTestDocuments()
  await accountTables(db())
  await t.organization('acme')
  await t.organization('globex')
  tokens = createMachineTokens(db())
  const add = (hostname: string) =>
    t.documents.transaction(t.system, (tx) =>
      tx.insert(ServerDoctype, { organization: 'acme', hostname, status: 'Healthy' }),
    )
  server = await add('one.acme.test')
  other = await add('two.acme.test')
})
afterAll(() => t?.close())

const issueFor = (name: string) =>
  t.documents.transaction(owner, (tx) => tokens.issue(tx, { kind: 'server', name, organization: 'acme' }))
const resolved = (name: string, token: string) => tokens.resolve({ kind: 'server', name }, token, ip)

test('a token is stored as its hash and works for its own server only', async () => {
  const token = await issueFor(server.name)
  const rows = await sql`select * from easydash_machine_token`.execute(db())
  expect(JSON.stringify(rows.rows)).not.toContain(token)
  expect(await resolved(server.name, token)).toMatchObject({
    kind: 'server',
    via: 'server',
    machine: server.name,
    organization: 'acme',
    verified: false,
    platformAdmin: false,
  })
  expect(await resolved(other.name, token)).toBeNull()
  expect(await tokens.resolve({ kind: 'webhook', name: server.name }, token, ip)).toBeNull()
  for (const wrong of ['', 'x', `${token.slice(0, -1)}-`, `${token} `, "' or true --"])
    expect(await resolved(server.name, wrong)).toBeNull()
})

test('a token ends when it is revoked, and with its server', async () => {
  const [token, second, kept] = [await issueFor(server.name), await issueFor(server.name), await issueFor(other.name)]
  expect(await resolved(server.name, second)).not.toBeNull()
  await t.documents.transaction(owner, (tx) => tokens.revoke(tx, { kind: 'server', name: server.name }))
  expect([await resolved(server.name, token), await resolved(server.name, second)]).toEqual([null, null])
  expect(await resolved(other.name, kept)).not.toBeNull()
  const write = (values: Partial<Server>) =>
    t.documents.transaction(t.system, (tx) => tx.update(ServerDoctype, other.name, values, { hooks: false }))
  await write({ organization: 'globex' })
  expect(await resolved(other.name, kept)).toBeNull()
  await write({ organization: 'acme', status: 'Decommissioned' })
  expect(await resolved(other.name, kept)).toBeNull()
  await write({ status: 'Healthy' })
  expect(await resolved(other.name, kept)).not.toBeNull()
  await t.documents.transaction(t.system, (tx) => tx.delete(ServerDoctype, other.name))
  expect(await resolved(other.name, kept)).toBeNull()
})

test('actions of a machine are in the activity log with its kind and name', async () => {
  const webhook = { kind: 'webhook', name: 'stripe', organization: null } as const
  const token = await t.documents.transaction(t.system, (tx) => tokens.issue(tx, webhook))
  const session = (await tokens.resolve(webhook, token, ip)) as Session
  await t.documents.transaction(session, (tx) => tx.activity({ action: 'payment.received', organization: 'acme' }))
  const { rows } = await sql`select actor, via, ip from tab_activity where action = 'payment.received'`.execute(db())
  expect(rows).toEqual([{ actor: 'webhook:stripe', via: 'webhook', ip }])
  expect(await t.documents.count(owner, 'Activity', { filters: { via: 'webhook' } })).toBe(1)
})

/** Machines as they are, and with every right a mistake could give their session. */
const machines = (['server', 'webhook'] as const).flatMap((kind) =>
  [false, true].map((isInflated): [string, () => Session] => [
    `${kind}${isInflated ? ', inflated' : ''}`,
    () => ({
      ...sessionOf(isInflated ? owner.user : `${kind}:x`, 'acme'),
      kind,
      via: kind,
      verified: isInflated,
      platformAdmin: isInflated,
      machine: kind === 'server' ? server.name : 'stripe',
    }),
  ]),
)

test.each(machines)('%s: no role, and no operation or action of any doctype', async (_name, make) => {
  const session = make()
  expect((await accessContextIn(db(), session, 'acme')).roles).toEqual([])
  expect((await accessContextIn(db(), session, null)).roles).toEqual([])
  const allowed: string[] = []
  const tried = async (what: string, call: () => Promise<unknown>) => {
    const code = await call().then(
      () => 'done',
      (error: unknown) => String((error as { code?: string }).code),
    )
    if (!['forbidden', 'not_found'].includes(code)) allowed.push(`${what}: ${code}`)
  }
  for (const { name: type, actions } of doctypes) {
    const { rows } = await sql<{ name: string }>`select name from ${sql.id(
      `tab_${type.toLowerCase().replaceAll(' ', '_')}`,
    )} limit 1`.execute(db())
    const doc = rows[0]?.name ?? 'none'
    await tried(`list ${type}`, () => t.documents.list(session, type, {}))
    await tried(`count ${type}`, () => t.documents.count(session, type, {}))
    await tried(`get ${type}`, () => t.documents.get(session, type, doc))
    await tried(`insert ${type}`, () => t.documents.insert(session, type, { title: 'x' }))
    await tried(`save ${type}`, () => t.documents.save(session, type, doc, { title: 'x' }))
    await tried(`delete ${type}`, () => t.documents.delete(session, type, doc))
    await tried(`search ${type}`, () => t.documents.search(session, type, { txt: '' }))
    for (const action of Object.keys(actions ?? {}))
      await tried(`${type}.${action}`, () => t.documents.runAction(session, type, doc, action, {}))
    if (await t.documents.canRead(session, type, doc)) allowed.push(`canRead ${type}`)
    if (
      doc !== 'none' &&
      Object.values(await t.documents.permissions(session, type, doc).catch(() => ({}))).includes(1)
    )
      allowed.push(`permissions ${type}`)
  }
  expect(allowed).toEqual([])
})

test.each(machines)(
  "%s: cannot call a method that does not name its kind, whatever the method's access rule",
  (_name, make) => {
    const session = make()
    const method = { name: 'a.b', verbs: ['GET'], description: 'x', run: () => Promise.resolve(null) } as const
    for (const access of ['guest', 'self', 'verified', 'member', 'platform'] as const) {
      expect(() => checkAccess({ ...method, access }, session)).toThrow('not available')
      const wrong = session.kind === 'server' ? 'webhook' : 'server'
      expect(() => checkAccess({ ...method, access, machines: [wrong] }, session)).toThrow('not available')
      const right = session.kind === 'server' ? 'server' : 'webhook'
      expect(() => checkAccess({ ...method, access, machines: [right] }, session)).not.toThrow()
    }
  },
)
