/** What connections are told about changes between their reads and their subscriptions. */
import { EventEmitter } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDocuments, sessionOf, type TestDocuments } from '#tests/support/documents.ts'
import type { Session } from '#server/contracts/session.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { createDocumentViewers } from './document-viewers.ts'
import { rememberChanges } from './recent-changes.ts'
import type { WireSocket } from './socket-types.ts'
import { handleSubscriptions } from './subscriptions.ts'

const owner = sessionOf('owner@acme.example', 'acme')
let t: TestDocuments
let member: Session
let time = 0
const changes = rememberChanges(() => time)

const failed = (error: unknown) => {
  throw error
}
const inSystem = <T>(fn: (tx: Tx) => Promise<T>) => t.documents.transaction(t.system, fn)

beforeAll(async () => {
  t = await createTestDocuments()
  await t.organization('acme')
  member = await t.member('acme', 'mia@acme.example', 'Organization User')
  t.documents.onEvent((event) => changes.note(event))
})
afterAll(() => t?.close())

/** A connection; `changed` resolves to what it is told about the changes since it subscribed. */
async function connect(session: Session, ...subscription: readonly string[]) {
  const rooms = new Set<string>()
  const socket = Object.assign(new EventEmitter(), {
    ...{ rooms, connected: true, data: { session, checkedAt: 0 } },
    join(names: string | readonly string[]) {
      for (const name of [names].flat()) rooms.add(name)
    },
  })
  handleSubscriptions(socket as unknown as WireSocket, {
    documents: t.documents,
    viewers: createDocumentViewers(t.documents, () => [], failed),
    changes,
    currentSession: () => Promise.resolve(session),
    failed,
    now: () => time,
  })
  const changed = () => new Promise<string[] | null>((resolve) => socket.emit('catch_up', 0, resolve))
  // Earlier changes are forgotten.
  time += 60_000
  socket.emit(...(subscription as [string]))
  expect(await changed()).toEqual([])
  return { changed }
}

test('a changed document is reported only to those who can read it now', async () => {
  const values = { organization: 'acme', hostname: 'one.test', server_category: 'development' as const }
  const { name } = await inSystem((tx) => tx.insert(ServerDoctype, values))
  const connections = [
    await connect(owner, 'doc_subscribe', 'Server', name),
    await connect(member, 'doc_subscribe', 'Server', name),
  ]
  const reported = () => Promise.all(connections.map(({ changed }) => changed()))
  await inSystem((tx) => tx.update(ServerDoctype, name, { os: 'Debian' }))
  expect(await reported()).toEqual([[`doc:Server/${name}`], [`doc:Server/${name}`]])
  await inSystem((tx) => tx.update(ServerDoctype, name, { server_category: 'production' }))
  expect(await reported()).toEqual([[`doc:Server/${name}`], []])
})

test('an account that left the organization is a change of the list of its colleagues', async () => {
  await t.member('acme', 'leaver@acme.example', 'Organization Manager')
  await t.organization('globex')
  const colleague = await connect(member, 'doctype_subscribe', 'User')
  const stranger = await connect(sessionOf('owner@globex.example', 'globex'), 'doctype_subscribe', 'User')
  await inSystem(async (tx) => {
    const row = await tx.find(OrganizationMemberDoctype, [['user', '=', 'leaver@acme.example']])
    await tx.delete(OrganizationMemberDoctype, row?.name ?? '')
    tx.emitEvents(UserDoctype, [{ name: 'leaver@acme.example', organization: 'acme', modified: '' }], 'delete')
  })
  expect(await colleague.changed()).toEqual(['doctype:User'])
  expect(await stranger.changed()).toEqual([])
})
