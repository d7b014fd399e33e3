import { sql } from 'kysely'
import type { AnyDoc, Doctype } from '#shared/doctype.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { emptyDoc, insertRow, newName } from '#server/documents/store/rows.ts'
import { columnFields, tableRef } from '#server/documents/store/schema.ts'
import { elsewhereSql, fieldsElsewhere } from '#server/documents/store/stored-elsewhere.ts'
import { connectionKinds } from '#shared/doctypes/connections.ts'
import { profileOf, logInAll, type Person, type PersonKey } from './people.ts'
import type { SuiteProduct } from './product.ts'
import type { SubjectPlan } from './subject-plan.ts'
import { subjectPlans } from './subjects.ts'

/** A document of the suite with its name. */
export interface Subject {
  readonly plan: SubjectPlan
  readonly name: string
}

/** Product, people and documents: everything a case needs. */
export interface TestContext {
  readonly product: SuiteProduct
  readonly people: ReadonlyMap<PersonKey, Person>
  /** By `Doctype/key`. */
  readonly subjects: ReadonlyMap<string, Subject>
  /** Another document of the same kind that no other case uses. */
  fresh(plan: SubjectPlan): Promise<string>
  /** Serializes work on a document that other cases also write, so that each sees only its own effect. */
  alone<T>(document: string, work: () => Promise<T>): Promise<T>
  /** The row in the database; null if it was deleted. */
  stored(doctype: string, name: string): Promise<Record<string, unknown> | null>
}

/** Prefix of all leak markers, which must never leave the product. */
export const leakMarker = 'CANARY'

/** Content of every file of the suite. */
export const fileContent = 'content-of-a-file'

/** Creates the people and documents of the suite on a running product. */
export async function openTestContext(product: SuiteProduct): Promise<TestContext> {
  const people = await logInAll(product)
  const { db } = product.database
  const subjects = new Map<string, Subject>()
  let serial = 0

  const typeOf = (name: string): Doctype => {
    const type = doctypes.find((one) => one.name === name)
    if (!type) throw new Error(`The product has no doctype ${name}.`)
    return type
  }

  /** Writes a row without hooks, with leak markers in its secrets. */
  async function write(doctype: string, values: Record<string, unknown>, owner: string): Promise<string> {
    const type = typeOf(doctype)
    const now = '2026-01-02 03:04:05.000000'
    const doc = { ...emptyDoc(type), ...values, owner, modified_by: owner, creation: now, modified: now } as AnyDoc
    doc.name = type.naming === 'random' ? newName() : String(values[type.naming.slice('field:'.length)])
    const secrets = columnFields(type).filter(([, field]) => field.secret)
    await insertRow(
      db,
      type,
      doc,
      Object.fromEntries(secrets.map(([name]) => [name, `${leakMarker}-${doctype}-${name}`])),
    )
    return doc.name
  }

  /** `@Site/own` names the document of that plan, `@new Site/own` another one of its kind. */
  async function resolve(value: unknown): Promise<unknown> {
    if (typeof value !== 'string' || !value.startsWith('@') || value === '@fresh') return value
    const wanted = subjectPlans.find(({ doctype, key }) => value === `@new ${doctype}/${key}`)
    return wanted ? make(wanted) : (subjects.get(value.slice(1))?.name ?? value)
  }

  async function stored(doctype: string, name: string): Promise<Record<string, unknown> | null> {
    const others = fieldsElsewhere(typeOf(doctype)).map(
      ([field, where]) => sql`, ${sql.raw(elsewhereSql(field, where, 't'))} as ${sql.id(field)}`,
    )
    const found = await sql<Record<string, unknown>>`select t.* ${sql.join(others, sql``)}
      from ${tableRef(doctype)} t where t.name = ${name}`.execute(db)
    return found.rows[0] ?? null
  }

  async function somebody(): Promise<string> {
    serial += 1
    const email = `somebody${serial}@acme.example`
    await write('User', { email, first_name: 'Some', full_name: 'Some Body', enabled: 1 }, email)
    return email
  }

  async function make(plan: SubjectPlan): Promise<string> {
    const { doctype, attributes } = plan
    const ownerEmail = attributes.owner ? profileOf(attributes.owner).email : 'nobody@nowhere.example'
    if (doctype === 'User' && !attributes.about) {
      const values = { parent: 'acme', parenttype: 'Organization', parentfield: 'members', user: await somebody() }
      await write('Organization Member', { ...values, organization_role: 'Organization User' }, ownerEmail)
      return values.user
    }
    if (['Plan', 'Platform Settings', 'Site Quota'].includes(doctype)) return plan.key
    if (['Organization', 'User', 'User Meta'].includes(doctype))
      return doctype === 'Organization'
        ? (attributes.organization as string)
        : profileOf(attributes.about as PersonKey).email
    if (doctype === 'Organization Member' && attributes.about)
      return memberRow(attributes.organization as string, attributes.about)
    serial += 1
    const special: Record<string, unknown> = {
      '@about': attributes.about && profileOf(attributes.about).email,
      '@invited': `invitee${serial}@acme.example`,
      '@unique': `unique-${serial}`,
    }
    const values: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(plan.values))
      values[name] =
        special[String(value)] ??
        (await resolve(typeof value === 'string' ? value.replace('@serial', String(serial)) : value))
    if (doctype === 'Organization Member') values['user'] = await somebody()
    if (doctype === 'File') {
      values['stored_name'] = await product.storeFile(fileContent)
      values['file_url'] = `/private/files/${String(values['stored_name'])}`
    }
    if (doctype === 'DocShare') {
      values['user'] = profileOf(attributes.about as PersonKey).email
      values['share_name'] = newName()
    }
    if (plan.single && (await stored(doctype, String(values['organization'])))) return String(values['organization'])
    const name = await write(doctype, values, ownerEmail)
    if (attributes.shared)
      await shareRow(
        name,
        'acme',
        attributes.shared.with,
        attributes.shared.bits,
        doctype === 'WPC Site' ? doctype : 'Site',
      )
    if (plan.key === 'namesake') await shareRow(name, 'acme', 'member', ['read', 'write', 'share'], 'Server')
    if (attributes.holdsShared) {
      const inside = subjectPlans.find((one) => one.doctype === 'Site' && one.key === 'read') as SubjectPlan
      const site = await write('Site', { ...inside.values, server: name }, ownerEmail)
      await shareRow(site, 'acme', attributes.holdsShared, ['read'])
    }
    return name
  }

  async function shareRow(
    document: string,
    organization: string,
    person: PersonKey,
    bits: readonly string[],
    doctype = 'Site',
  ): Promise<void> {
    const flags = Object.fromEntries(['read', 'write', 'share'].map((bit) => [bit, bits.includes(bit) ? 1 : 0]))
    const values = {
      organization,
      share_doctype: doctype,
      share_name: document,
      user: profileOf(person).email,
      ...flags,
    }
    await write('DocShare', values, 'nobody@nowhere.example')
  }

  async function memberRow(organization: string, person: PersonKey): Promise<string> {
    const found = await sql<{ name: string }>`select name from ${tableRef('Organization Member')}
      where parent = ${organization} and "user" = ${profileOf(person).email}`.execute(db)
    return found.rows[0]?.name ?? ''
  }

  // Servers come first in the plans, because sites need them.
  for (const plan of subjectPlans) subjects.set(`${plan.doctype}/${plan.key}`, { plan, name: await make(plan) })
  for (const type of doctypes.filter(({ name }) => ['Organization', 'User'].includes(name))) {
    for (const [field] of columnFields(type).filter(([, one]) => one.secret))
      await sql`update ${tableRef(type.name)} set ${sql.id(field)} = ${`${leakMarker}-${type.name}-${field}`}`.execute(
        db,
      )
  }

  for (const organization of ['acme', 'globex'])
    for (const kind of Object.values(connectionKinds))
      await write('Connection', { organization, kind, label: 'Default', is_default: 1 }, 'nobody@nowhere.example')
  // A bot without a channel, and an account without a key: nobody is called, which would need credentials that are sealed.
  await sql`update ${tableRef('Connection')} set wpc_api_key = null where kind = ${connectionKinds.wpc}`.execute(db)
  await sql`update ${tableRef('Connection')} set slack_webhook_url = null where kind = 'Slack'`.execute(db)

  const working = new Map<string, Promise<unknown>>()

  return {
    product,
    people,
    subjects,
    alone(document, work) {
      const mine = (working.get(document) ?? Promise.resolve()).then(work)
      // A failure is reported to the waiting case, not to the next one.
      working.set(
        document,
        mine.catch(() => undefined),
      )
      return mine
    },
    async fresh(plan) {
      return plan.single ? (subjects.get(`${plan.doctype}/${plan.key}`) as Subject).name : make(plan)
    },
    stored,
  }
}

/** Response to a person's request. */
export interface ParsedResponse {
  readonly status: number
  readonly text: string
  readonly body: Record<string, unknown>
}

/** Sends a request as a person. Throws if the response contains a leak marker. */
export async function call(
  context: TestContext,
  person: Person,
  verb: string,
  path: string,
  params: Record<string, unknown> = {},
): Promise<ParsedResponse> {
  const url = new URL(path, context.product.url)
  const init: RequestInit = { method: verb, headers: { ...person.headers, accept: 'application/json' } }
  if (verb === 'GET' || verb === 'DELETE') {
    for (const [name, value] of Object.entries(params))
      url.searchParams.set(name, typeof value === 'string' ? value : JSON.stringify(value))
  } else {
    init.body = JSON.stringify(params)
    init.headers = { ...person.headers, accept: 'application/json', 'content-type': 'application/json' }
  }
  return answered(`${verb} ${path} as ${person.key}`, await fetch(url, init))
}

/** Sends a form as a person. */
export async function send(
  context: TestContext,
  person: Person,
  path: string,
  form: FormData,
): Promise<ParsedResponse> {
  const headers = { ...person.headers, accept: 'application/json' }
  const response = await fetch(new URL(path, context.product.url), { method: 'POST', headers, body: form })
  return answered(`POST ${path} as ${person.key}`, response)
}

async function answered(what: string, response: Response): Promise<ParsedResponse> {
  return checkedResponse(what, response.status, await response.text())
}

/** Checks a response. Throws if it contains a leak marker, and for server errors. */
export function checkedResponse(what: string, status: number, text: string): ParsedResponse {
  const leak = new RegExp(`${leakMarker}-[\\w -]+`).exec(text)
  if (leak) throw new Error(`${what} gave away ${leak[0]}`)
  if (status >= 500) throw new Error(`${what} failed with ${status}: ${text}`)
  return { status, text, body: parsed(text) }
}

function parsed(text: string): Record<string, unknown> {
  return text.startsWith('{') && !text.includes('}\n{') ? (JSON.parse(text) as Record<string, unknown>) : {}
}
