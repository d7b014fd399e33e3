/** No field is taken and then forgotten: each has an effect, is refused by its name, or is declared to be the server's own. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Doctype } from '#shared/doctype.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import type { Field } from '#shared/fields.ts'
import { filled, personOf, putResource } from './cases.ts'
import { doctypeDeclarations } from './declarations.ts'
import { expectedOf } from './expectations.ts'
import { fieldsWithoutEffect } from './fields-without-effect.ts'
import { readMatrix } from './matrix.ts'
import type { PersonKey } from './people.ts'
import { openSuiteContext, type SuiteContext } from './suite-context.ts'
import type { SubjectPlan } from './subject-plan.ts'
import { subjectPlans } from './subjects.ts'
import { call, type ParsedResponse, type TestContext } from './test-context.ts'
import { otherValue } from './write-cases.ts'

let suite: SuiteContext
beforeAll(async () => {
  suite = await openSuiteContext({ withJobs: true })
})
afterAll(() => suite?.close())

const matrix = readMatrix()
const persons = ['owner', 'platform', 'admin', 'manager', 'member'] as const

/** Everybody who can write a document of the doctype, with one that they can; no member row of somebody of the suite. */
function writersOf(doctype: string): readonly (readonly [PersonKey, SubjectPlan])[] {
  const plans = subjectPlans.filter((one) => one.doctype === doctype)
  return persons.flatMap((key) => {
    const plan = plans
      .filter(({ attributes }) => doctype !== 'Organization Member' || attributes.about === undefined)
      .find((one) => expectedOf(matrix, key, one, 'W') === 'allowed')
    return plan ? [[key, plan] as const] : []
  })
}

/** Columns of the document itself; rows of tables are documents of their own. */
const fieldsOf = (type: Doctype): readonly (readonly [string, Field])[] =>
  Object.entries(type.fields).filter(([, { fieldtype }]) => fieldtype !== 'Table')

let made = 0

/** A value that no document has yet, so that it is not taken for the one that is stored. */
function newValue(context: TestContext, name: string, field: Field, stored: unknown): unknown {
  made += 1
  if (name === 'organization') return 'globex'
  // The first choice of some fields is what nothing means, too.
  if (Array.isArray(field.options)) return field.options.findLast((option) => option !== stored) ?? null
  const value = otherValue(context, field, stored)
  if (field.fieldtype === 'Link') return value === stored ? 'stranger@elsewhere.example' : value
  return value === 'written@acme.example' ? `written${made}@acme.example` : value
}

type Effect = 'changed' | 'refused' | 'ignored' | `blind: ${string}`

/** What a call came to for one field: `blind` is an error that does not name it. */
function effectOf(name: string, response: ParsedResponse, before: unknown, after: unknown): Effect {
  if (JSON.stringify(before) !== JSON.stringify(after)) return 'changed'
  if (response.status === 200) return 'ignored'
  const isNamed = response.body['field'] === name || response.text.includes(name)
  return response.status < 500 && isNamed ? 'refused' : `blind: ${response.status} ${response.text.slice(0, 200)}`
}

/** The field of a document as it is for a person: in its row, or their own value beside it. */
async function storedField(context: TestContext, key: PersonKey, type: Doctype, document: string, name: string) {
  const row = await context.stored(type.name, document)
  if (type.fields[name]?.personal !== true) return row?.[name]
  const read = { doctype: type.name, name: document }
  const { body } = await call(context, personOf(context, key), 'GET', '/api/method/frappe.client.get', read)
  return (body['message'] as Record<string, unknown> | undefined)?.[name]
}

/** What each field came to, for everybody who tried it. */
type Effects = ReadonlyMap<string, ReadonlySet<Effect>>

const ignoredOf = (effects: Effects): readonly string[] =>
  [...effects].flatMap(([name, found]) => (found.has('ignored') ? [name] : [])).toSorted()

const blindOf = (effects: Effects): readonly string[] =>
  [...effects].flatMap(([name, found]) =>
    [...found].filter((one) => one.startsWith('blind')).map((one) => `${name} ${one}`),
  )

const declaredOf = (doctype: string): readonly string[] =>
  fieldsWithoutEffect[doctype]?.trim().split(/\s+/).toSorted() ?? []

test('what is declared to be without effect is described as the server’s own', () => {
  const wrong = Object.keys(fieldsWithoutEffect).flatMap((doctype) => {
    const type: Doctype | undefined = doctypes.find(({ name }) => name === doctype)
    // The organization of a document is never changed (frappe-wire.md section 5).
    const isOwn = (name: string) =>
      type?.fields[name]?.server_owned || type?.fields[name]?.hidden || name === 'organization'
    return declaredOf(doctype)
      .filter((name) => !isOwn(name))
      .map((name) => `${doctype}.${name}`)
  })
  expect(wrong).toEqual([])
  // Those that the matrix tries as every person are among them.
  for (const [doctype, { ignoredFields = '' }] of Object.entries(doctypeDeclarations))
    expect(declaredOf(doctype)).toEqual(expect.arrayContaining(ignoredFields.split(' ').filter(Boolean)))
})

test.each(doctypes.map((type) => [type.name, type] as const))(
  'each field of %s in an update',
  async (doctype, type) => {
    const { context } = suite
    const effects = new Map<string, Set<Effect>>()
    for (const [key, plan] of writersOf(doctype)) {
      for (const [name, field] of fieldsOf(type)) {
        const document = await context.fresh(plan)
        const before = await storedField(context, key, type, document, name)
        const values = { [name]: newValue(context, name, field, before) }
        const response = await putResource(context, key, doctype, document, values)
        const after = await storedField(context, key, type, document, name)
        effects.set(name, (effects.get(name) ?? new Set()).add(effectOf(name, response, before, after)))
      }
    }
    expect(blindOf(effects)).toEqual([])
    // Those that nobody can write are only created.
    if (effects.size > 0) expect(ignoredOf(effects)).toEqual(declaredOf(doctype))
  },
)

/** Who creates the documents of a draft. */
const creatorOf = (doctype: string): PersonKey => (doctype === 'Organization' ? 'founder' : 'owner')

const creatable = doctypes.flatMap((type) => {
  const draft = doctypeDeclarations[type.name]?.drafts?.find(({ foreignLink }) => !foreignLink)
  return draft && type.name !== 'Organization Member' ? [[type.name, type, draft] as const] : []
})

test.each(creatable)('each field of %s in an insert', async (doctype, type, draft) => {
  const { context } = suite
  const key = draft.self ?? creatorOf(doctype)
  const insert = async (values: Record<string, unknown>) => {
    const path = `/api/resource/${encodeURIComponent(doctype)}`
    const response = await call(context, personOf(context, key), 'POST', path, {
      ...filled(context, draft.values),
      ...values,
    })
    const { name } = (response.body['data'] ?? {}) as { name?: string }
    const row = name === undefined ? null : await context.stored(doctype, name)
    // A site has one, and an organization one for each metric.
    if (['Backup Schedule', 'Alert Rule'].includes(doctype) && name)
      await call(context, personOf(context, key), 'DELETE', `${path}/${name}`)
    return { response, row, name }
  }
  const plain = await insert({})
  expect(plain.response.status, plain.response.text).toBe(200)
  const effects = new Map<string, Set<Effect>>()
  for (const [name, field] of fieldsOf(type)) {
    if (name in draft.values) continue
    // A zero is what forms send for what nobody entered.
    const value = field.fieldtype === 'Check' && !field.default ? 1 : newValue(context, name, field, plain.row?.[name])
    const { response, row, name: document } = await insert({ [name]: value })
    const isOwn = document !== undefined && field.personal === true
    const after = isOwn ? await storedField(context, key, type, document, name) : row?.[name]
    const isKept = row !== null && JSON.stringify(after) === JSON.stringify(value)
    effects.set(name, new Set([isKept ? 'changed' : effectOf(name, response, row && plain.row?.[name], row && after)]))
  }
  expect(blindOf(effects)).toEqual([])
  // Times and states that the server sets differ each time, so that not each of its fields can be told to be ignored.
  expect(ignoredOf(effects).filter((name) => !declaredOf(doctype).includes(name))).toEqual([])
})
