import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AnyDoc, Doctype, Grant } from '#shared/doctype.ts'
import { tenantField } from '#shared/doctype.ts'
import type { Field, Role } from '#shared/fields.ts'
import { createTestDocuments, sessionOf, type TestDocuments } from '#tests/support/documents.ts'
import { GadgetDoctype } from '#tests/support/gadget.ts'
import type { Operation } from './gate.ts'
import type { Session } from '#server/contracts/session.ts'

/**
 * The store enforces a description it has never seen: Gadget stands for a future entity. The permissions of the product's
 * own doctypes are tested in `tests/permissions`, from a separate table.
 */
const types: readonly Doctype[] = [GadgetDoctype]

/** The roles of each user in the organization; each user is tried on each doctype. */
const people: Readonly<Record<string, readonly Role[]>> = {
  owner: ['Owner', 'Organization Admin', 'User'],
  admin: ['Organization Admin', 'User'],
  manager: ['Organization Manager', 'User'],
  member: ['Organization User', 'User'],
}

let t: TestDocuments
const sessions: Record<string, Session> = {}
let serial = 0

beforeAll(async () => {
  t = await createTestDocuments({ extra: [GadgetDoctype] })
  await t.organization('acme')
  await t.organization('globex')
  sessions['owner'] = sessionOf('owner@acme.example', 'acme')
  sessions['admin'] = await t.member('acme', 'admin@acme.example', 'Organization Admin')
  sessions['manager'] = await t.member('acme', 'manager@acme.example', 'Organization Manager')
  sessions['member'] = await t.member('acme', 'member@acme.example', 'Organization User')
  sessions['stranger'] = sessionOf('owner@globex.example', 'globex')
  sessions['unverified'] = { ...(sessions['owner'] as Session), verified: false }
  sessions['guest'] = sessionOf('Guest', null, { kind: 'guest', verified: false })
})
afterAll(() => t?.close())

/** A value the field accepts. */
function sample(name: string, field: Field): unknown {
  serial += 1
  // The last option isn't one that rules mention (development servers, defaults of the own organization).
  if (field.fieldtype === 'Select') return name === 'color' ? 'red' : (field.options as readonly string[]).at(-1)
  if (field.fieldtype === 'Link')
    return field.options === 'Organization' ? 'acme' : field.options === 'User' ? 'owner@acme.example' : 'elsewhere0'
  if (field.format === 'email') return `sample${serial}@acme.example`
  if (field.format === 'slug') return `sample-${serial}`
  if (field.format === 'username') return `user${serial}`
  return ['Int', 'Float'].includes(field.fieldtype) ? 1 : `sample${serial}`
}

/** A stored document of the organization acme, created internally and owned by none of the users. */
async function stored(type: Doctype): Promise<AnyDoc> {
  const required = Object.entries(type.fields).filter(([, field]) => field.reqd || field.fieldtype === 'Select')
  const values = Object.fromEntries(required.map(([name, field]) => [name, sample(name, field)]))
  const tenant = tenantField(type)
  if (tenant) values[tenant] = 'acme'
  return t.documents.transaction(t.system, async (tx) => {
    // A user who isn't a member anywhere else, so that "own" rules never match by chance.
    if (type.fields['user']) {
      values['user'] = `somebody${serial}@acme.example`
      await tx.insert('User', { email: values['user'], first_name: 'Some' }, { activity: false })
    }
    return tx.insert(type.name, values, { owner: 'nobody@acme.example', activity: false })
  })
}

/** The grants of a user's roles, according to the description. */
function granted(type: Doctype, roles: readonly Role[], operation: Operation): Grant[] {
  return roles.map((role) => type.permissions[role]?.[operation] ?? false)
}

async function outcome(session: Session, type: Doctype, doc: AnyDoc, operation: Operation): Promise<string> {
  const { documents } = t
  try {
    if (operation === 'read') await documents.get(session, type.name, doc.name)
    else if (operation === 'write') await documents.save(session, type.name, doc.name, {})
    else if (operation === 'delete') await documents.delete(session, type.name, doc.name)
    else return (await documents.permissions(session, type.name, null)).create ? 'ok' : 'forbidden'
    return 'ok'
  } catch (error) {
    return (error as { code?: string }).code ?? String(error)
  }
}

describe.each(types.map((type) => [type.name, type] as const))('%s', (_name, type) => {
  test.each(Object.entries(people))('gives %s what the description says', async (person, roles) => {
    for (const operation of ['read', 'write', 'create', 'delete'] as const) {
      const doc = await stored(type)
      const grants = granted(type, roles, operation)
      const seen = await outcome(sessions[person] as Session, type, doc, operation)
      const label = `${person} ${operation} ${type.name}`
      if (grants.includes(true)) expect([label, seen]).toEqual([label, 'ok'])
      else if (grants.some((grant) => typeof grant === 'object')) {
        // The rules match other users' rows only, so at most creating is allowed.
        expect(operation === 'create' ? ['ok', 'forbidden'] : ['forbidden'], label).toContain(seen)
      } else expect(['forbidden', 'not_found'], label).toContain(seen)
    }
  })

  test('does not exist for strangers, the unverified and guests', async () => {
    const doc = await stored(type)
    for (const person of ['stranger', 'unverified', 'guest']) {
      for (const operation of ['read', 'write', 'delete'] as const) {
        const seen = await outcome(sessions[person] as Session, type, doc, operation)
        expect([person, operation, seen]).toEqual([person, operation, person === 'guest' ? 'forbidden' : 'not_found'])
      }
      const listed = await t.documents
        .list(sessions[person] as Session, type.name, { fields: ['name'], limit: 0 })
        .catch(() => [])
      expect(listed.map((row) => row['name'])).not.toContain(doc.name)
    }
  })
})

test('a platform admin’s roles in one organization give no rights to documents of another', async () => {
  const gadget = await stored(GadgetDoctype)
  const session = await t.member('globex', 'platform@globex.example', 'Organization Admin')
  // Gadgets give platform admins nothing, and admins of their organization everything.
  const reading = t.documents.get({ ...session, platformAdmin: true }, 'Gadget', gadget.name)
  await expect(reading).rejects.toMatchObject({ code: 'forbidden' })
})
