import type { Socket } from 'socket.io-client'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { personOf } from './cases.ts'
import { profileOf, type PersonKey } from './people.ts'
import type { SuiteProduct } from './product.ts'
import { connectAs, untilProcessed } from './sockets.ts'
import type { SubjectPlan } from './subject-plan.ts'
import { subjectPlans } from './subjects.ts'
import { openSuiteContext, type SuiteContext } from './suite-context.ts'
import { call, type TestContext } from './test-context.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'

let suite: SuiteContext
let product: SuiteProduct
let context: TestContext
const open: Socket[] = []
beforeAll(async () => {
  suite = await openSuiteContext()
  ;({ product, context } = suite)
})
afterEach(() => {
  for (const socket of open.splice(0)) socket.close()
})
afterAll(() => suite?.close())

const plan = (id: string) => subjectPlans.find((one) => `${one.doctype}/${one.key}` === id) as SubjectPlan
const inSystem = <T>(fn: Parameters<typeof product.services.documents.transaction<T>>[1]) =>
  product.services.documents.transaction(product.system, fn)

/** Whether a connection currently receives events about a document. */
async function receivesEvents(socket: Socket, key: PersonKey, doctype: string, name: string): Promise<boolean> {
  const events: unknown[] = []
  const note = (payload: { name: string }) => void (payload.name === name && events.push(payload))
  socket.on('doc_update', note)
  // A closed connection receives nothing either.
  const marker = new Promise<void>((resolve) => {
    if (socket.disconnected) resolve()
    socket.once('test_marker', () => resolve())
    socket.once('disconnect', () => resolve())
  })
  await inSystem(async (tx) =>
    tx.emitEvents(doctype, [{ name, organization: 'acme', modified: '2026-01-02 03:04:05.000000' }]),
  )
  product.emitToUser(profileOf(key).email, 'test_marker')
  await marker
  socket.off('doc_update', note)
  return events.length > 0
}

async function listening(key: PersonKey, doctype: string, name: string): Promise<Socket> {
  const socket = await connectAs(context, personOf(context, key))
  if (!socket) throw new Error(`${key} cannot connect`)
  open.push(socket)
  socket.emit('doc_subscribe', doctype, name)
  await untilProcessed(socket)
  expect(await receivesEvents(socket, key, doctype, name)).toBe(true)
  return socket
}

test('users who lose the share of a site no longer get its events', async () => {
  const site = await context.fresh(plan('Site/read'))
  const [socket, kept] = [await listening('member', 'Site', site), await listening('manager', 'Site', site)]
  const response = await call(context, personOf(context, 'owner'), 'POST', '/api/method/run_doc_method', {
    dt: 'Site',
    dn: site,
    method: 'unshare',
    args: { user: profileOf('member').email },
  })
  expect(response.status).toBe(200)
  await expect.poll(() => receivesEvents(socket, 'member', 'Site', site)).toBe(false)
  expect(await receivesEvents(kept, 'manager', 'Site', site)).toBe(true)
})

test('users who lose a role leave the rooms that only that role could read', async () => {
  const server = context.subjects.get('Server/prod')?.name ?? ''
  const row = context.subjects.get('Organization Member/ofManager')?.name ?? ''
  const socket = await listening('manager', 'Server', server)
  await inSystem((tx) => tx.update(OrganizationMemberDoctype, row, { organization_role: 'Organization User' }))
  await expect.poll(() => receivesEvents(socket, 'manager', 'Server', server)).toBe(false)
  await inSystem((tx) => tx.update(OrganizationMemberDoctype, row, { organization_role: 'Organization Manager' }))
})

test('a site that is transferred is no longer its former owner’s to watch', async () => {
  const site = await context.fresh(plan('Site/own'))
  const socket = await listening('member', 'Site', site)
  const response = await call(context, personOf(context, 'owner'), 'POST', '/api/method/run_doc_method', {
    dt: 'Site',
    dn: site,
    method: 'set_owner',
    args: { new_owner: profileOf('manager').email },
  })
  expect(response.status).toBe(200)
  await expect.poll(() => receivesEvents(socket, 'member', 'Site', site)).toBe(false)
})
