import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Session } from '#server/contracts/session.ts'
import { doctype } from '#shared/doctype.ts'
import { data, link, revealable, secret } from '#shared/fields.ts'
import { revealAction } from '#shared/reveal-action.ts'
import { createTestDocuments, sessionOf, type TestDocuments } from '#tests/support/documents.ts'

const LockerType = doctype('Locker', {
  module: 'core',
  tenant: { kind: 'link', field: 'organization' },
  naming: 'random',
  title_field: 'label',
  plural: 'Lockers',
  fields: {
    organization: link('Organization', { reqd: true, set_only_once: true }),
    label: data(),
    code: revealable(),
    master_code: revealable({ read_roles: ['Owner'] }),
    token: secret(),
  },
  permissions: {
    Owner: { read: true, create: true, write: true },
    'Organization Admin': { read: true },
    'Organization Manager': { read: true },
  },
  actions: {
    reveal: revealAction(
      ['code', 'master_code', 'token'],
      { Owner: true, 'Organization Admin': true },
      'revealed a code',
    ),
  },
})

let t: TestDocuments
let owner: Session
let admin: Session
let manager: Session
let locker: string
const checked = (session: Session): Session => ({ ...session, reauthAt: Date.now() })
const reveal = (session: Session, fieldname: unknown) =>
  t.documents.runAction(session, 'Locker', locker, 'reveal', { fieldname })

beforeAll(async () => {
  t = await createTestDocuments({ extra: [LockerType] })
  await t.organization('acme')
  owner = sessionOf('owner@acme.example', 'acme')
  admin = await t.member('acme', 'admin@acme.example', 'Organization Admin')
  manager = await t.member('acme', 'manager@acme.example', 'Organization Manager')
  const values = { label: 'Left', code: '1234', master_code: '0000', token: 'tok' }
  locker = (await t.documents.insert(owner, 'Locker', values)).name
})
afterAll(() => t?.close())

test('returns a field in clear text and logs the field and the user, never the value', async () => {
  expect(await reveal(checked(admin), 'code')).toEqual({ value: '1234' })
  const entries = await t.documents.transaction(t.system, (tx) =>
    tx.list('Activity', [
      ['action', '=', 'Locker.reveal'],
      ['reference_name', '=', locker],
    ]),
  )
  expect(entries).toHaveLength(1)
  expect(entries[0]).toMatchObject({ actor: admin.user, after: { field: 'code' }, result: 'Done' })
  expect(JSON.stringify(entries)).not.toContain('1234')
  expect((await t.documents.get(admin, 'Locker', locker)).code, 'still masked everywhere else').toBe('*****')
})

test('it wants the password checked a moment ago', async () => {
  await expect(reveal(admin, 'code')).rejects.toMatchObject({ code: 'forbidden', field: 'password' })
  const longAgo = { ...admin, reauthAt: Date.now() - 11 * 60_000 }
  await expect(reveal(longAgo, 'code')).rejects.toMatchObject({ code: 'forbidden', field: 'password' })
})

test('fields hidden from the role, secrets and other fields are never revealed', async () => {
  await expect(reveal(checked(manager), 'code')).rejects.toMatchObject({ code: 'forbidden' })
  await expect(reveal(checked(admin), 'master_code')).rejects.toMatchObject({ code: 'forbidden' })
  expect(await reveal(checked(owner), 'master_code')).toEqual({ value: '0000' })
  await expect(reveal(checked(owner), 'token')).rejects.toMatchObject({ code: 'forbidden' })
  for (const field of ['label', 'name', '__proto__', '', null, ['code']])
    await expect(reveal(checked(owner), field)).rejects.toMatchObject({ code: 'invalid', field: 'fieldname' })
})

test('a field that is not set is null', async () => {
  const empty = await t.documents.insert(owner, 'Locker', { label: 'Empty' })
  expect(await t.documents.runAction(checked(owner), 'Locker', empty.name, 'reveal', { fieldname: 'code' })).toEqual({
    value: null,
  })
})
