import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Session } from '#server/contracts/session.ts'
import { createTestDocuments, sessionOf, type TestDocuments } from '#tests/support/documents.ts'
import { doctypes } from '#shared/doctypes/registry.ts'

let t: TestDocuments
const sessions: Record<string, Session> = {}

beforeAll(async () => {
  t = await createTestDocuments()
  await t.organization('acme')
  const owner = sessionOf('owner@acme.example', 'acme')
  const member = await t.member('acme', 'member@acme.example', 'Organization User')
  const founder = sessionOf('founder@acme.example', null)
  Object.assign(sessions, {
    owner,
    member,
    founder,
    unverified: { ...member, verified: false },
    platform: { ...founder, platformAdmin: true },
    'platform admin in an organization': { ...owner, platformAdmin: true },
    guest: sessionOf('Guest', null, { kind: 'guest', verified: false }),
    machine: { ...owner, kind: 'server', via: 'server', machine: 'x' },
  } satisfies Record<string, Session>)
})
afterAll(() => t?.close())

const platform = ['platform', 'platform admin in an organization']

test.each(['owner', 'member', 'founder', 'unverified', ...platform, 'guest', 'machine'])(
  '%s: the right to read a doctype is the right to list it',
  async (person) => {
    const session = sessions[person] as Session
    for (const { name } of doctypes) {
      const listed = await t.documents.list(session, name, { limit: 1 }).then(
        () => 1,
        () => 0,
      )
      expect([name, (await t.documents.permissions(session, name, null)).read]).toEqual([name, listed])
      const { allowed } = await t.documents.explain(session, { doctype: name, operation: 'read' })
      expect([name, allowed ? 1 : 0]).toEqual([name, listed])
    }
  },
)

test('users have the rights of their own rows', async () => {
  const { member, guest } = sessions as { member: Session; guest: Session }
  expect(await t.documents.permissions(member, 'SSH Key', null)).toEqual({
    ...{ read: 1, write: 1, create: 1, delete: 1, share: 0 },
  })
  expect(await t.documents.permissions(guest, 'SSH Key', null)).toEqual({
    ...{ read: 0, write: 0, create: 0, delete: 0, share: 0 },
  })
})
