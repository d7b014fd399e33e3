import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AnyDoc, Doctype, Grant } from '#shared/doctype.ts'
import { tenantField } from '#shared/doctype.ts'
import type { Field, Role } from '#shared/fields.ts'
import { createTestDocuments, sessionOf, type TestDocuments } from '#tests/support/documents.ts'
import { GadgetDoctype } from '#tests/support/gadget.ts'
import type { Operation } from './gate.ts'
import type { Session } from '#server/contracts/session.ts'

/**
 * The store honors a description it never saw: Gadget stands for the next entity. What the product's own doctypes must
 * give is in `tests/permissions`, from a table of its own.
 */
const types: readonly Doctype[] = [GadgetDoctype]

/** The roles a person in the organization has; each is tried on each doctype. */
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
}, 60_000)
afterAll(() => t?.close())

/** A value a field accepts. */
function sample(name: string, field: Field): unknown {
  serial += 1
  // The last value is not the one that rules name (development servers, own organization's defaults).
  if (field.fieldtype === 'Select') return name === 'color' ? 'red' : (field.options as readonly string[]).at(-1)
  if (field.fieldtype === 'Link')
    return field.options === 'Organization' ? 'acme' : field.options === 'User' ? 'owner@acme.example' : 'elsewhere0'
  if (field.format === 'email') return `sample${serial}@acme.example`
  if (field.format === 'slug') return `sample-${serial}`
  if (field.format === 'username') return `user${serial}`
  return ['Int', 'Float'].includes(field.fieldtype) ? 1 : `sample${serial}`
}

/** A stored document of the organization acme, made by our own code for nobody in particular. */
async function stored(type: Doctype): Promise<AnyDoc> {
  const required = Object.entries(type.fields).filter(([, field]) => field.reqd || field.fieldtype === 'Select')
  const values = Object.fromEntries(required.map(([name, field]) => [name, sample(name, field)]))
  const tenant = tenantField(type)
  if (tenant) values[tenant] = 'acme'
  return t.documents.transaction(t.system, async (tx) => {
    // Somebody who is nowhere else a member, so that "own" rules never hold by chance.
    if (type.fields['user']) {
      values['user'] = `somebody${serial}@acme.example`
      await tx.insert('User', { email: values['user'], first_name: 'Some' }, { activity: false })
    }
    return tx.insert(type.name, values, { owner: 'nobody@acme.example', activity: false })
  })
}

/** What the description grants a person, all his roles together. */
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
        // The rows of a rule are others' here: only creating may be possible.
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
