import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Doctype } from '#shared/doctype.ts'
import { data, link } from '#shared/fields.ts'
import { createTestDocuments, sessionOf, type TestDocuments } from '#tests/support/documents.ts'
import { actorLock, lockRights } from './locks.ts'
import { validateDeclarations } from '../startup-validation.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'

let t: TestDocuments
beforeAll(async () => {
  t = await createTestDocuments()
  await t.organization('acme')
})
afterAll(() => t?.close())

const owner = sessionOf('owner@acme.example', 'acme')
const rowOf = (user: string) =>
  t.documents.transaction(t.system, (tx) => tx.find(OrganizationMemberDoctype, [['user', '=', user]]))

test('throws if rights locked for acting are changed in the same transaction', async () => {
  const row = await rowOf(owner.user)
  const change = t.documents.transaction(t.system, async (tx) => {
    await lockRights(tx.trx, 'acme', new Map([actorLock(owner)]))
    await tx.update(OrganizationMemberDoctype, row?.name ?? '', { organization_role: 'Organization Admin' })
  })
  await expect(change).rejects.toThrow(/declare rights_of/)
})

test('a row locked for a change serves for actions, too, and is read once', async () => {
  await t.member('acme', 'anna@acme.example', 'Organization User')
  await t.documents.transaction(t.system, async (tx) => {
    const people = new Map([
      [owner.user, 'act'],
      ['anna@acme.example', 'change'],
    ] as const)
    await lockRights(tx.trx, 'acme', people)
    await lockRights(tx.trx, 'acme', new Map([['anna@acme.example', 'act']]))
    await tx.update(OrganizationMemberDoctype, (await rowOf('anna@acme.example'))?.name ?? '', {
      organization_role: 'Organization Manager',
    })
  })
  expect(await rowOf('anna@acme.example')).toMatchObject({ organization_role: 'Organization Manager' })
})

test('an action says whose rights it changes by names that are there', () => {
  const gadget = (rights_of: string[], more: Partial<Doctype> = {}): Doctype => ({
    name: 'Gadget',
    module: 'core',
    tenant: { kind: 'link', field: 'organization' },
    naming: 'random',
    fields: { organization: data() },
    permissions: {},
    actions: {
      lend: {
        label: 'Lend',
        activity: 'lent the gadget',
        allow: { Owner: true },
        args: { to: link('User') },
        rights_of,
      },
    },
    ...more,
  })
  const check = (type: Doctype) => () =>
    validateDeclarations(
      new Map([['Gadget', type]]),
      new Map([['Gadget', [{ doctype: 'Gadget', actions: { lend: () => Promise.resolve(null) } }]]]),
    )
  expect(check(gadget(['to', '$user']))).not.toThrow()
  expect(check(gadget(['too']))).toThrow('Gadget.lend changes rights of too')
  expect(check(gadget([], { rights_of: 'user' }))).toThrow('Gadget gives rights to user')
  expect(check(gadget([], { reader: 'user' }))).toThrow('Gadget is read by user')
})
