/**
 * Every field, action argument and method parameter with values of the wrong kind: they must be rejected or stored, never
 * cause an internal error, and stored ones must not flip the text direction on anybody's screen.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Doctype } from '#shared/doctype.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { columnFields, tableName } from '#server/documents/store/schema.ts'
import { filled, personOf } from '#tests/permissions/cases.ts'
import { actionDeclarations, doctypeDeclarations } from '#tests/permissions/declarations.ts'
import type { PersonKey } from '#tests/permissions/people.ts'
import type { SuiteProduct } from '#tests/permissions/product.ts'
import { shuffled } from '#tests/permissions/suite.ts'
import type { SubjectPlan } from '#tests/permissions/subject-plan.ts'
import { subjectPlans } from '#tests/permissions/subjects.ts'
import { openSuiteContext, type SuiteContext } from '#tests/permissions/suite-context.ts'
import { call, type ParsedResponse, type TestContext } from '#tests/permissions/test-context.ts'

let suite: SuiteContext
let product: SuiteProduct
let context: TestContext
beforeAll(async () => {
  suite = await openSuiteContext({ withJobs: true })
  ;({ product, context } = suite)
})
afterAll(() => suite?.close())

const deep = (levels: number): unknown => (levels === 0 ? [] : [deep(levels - 1)])

/** Values, by what is wrong with them. */
const hostile: Readonly<Record<string, unknown>> = {
  constructor: 'constructor',
  proto: '__proto__',
  toString: 'toString',
  'unknown choice': 'ruby',
  empty: '',
  blank: ' \t ',
  NUL: 'a\u0000b',
  'half a character': '\ud800',
  'turned around': 'abc\u202Efed\u2066\u0007\u001B[31m',
  'nothing to see': '\u200B\u2060',
  'line breaks': 'a\r\nb\u2028c',
  long: 'x'.repeat(300),
  'very long': 'é'.repeat(20_000),
  huge: 'y'.repeat(1_100_000),
  SQL: `'; drop table tab_site; --`,
  'JSON text': '{"a":[1]}',
  'half of JSON': '{"a":',
  path: '../../etc/passwd',
  number: 7,
  negative: -1,
  fraction: 0.5,
  'far too much': 1e308,
  'beyond integers': 2 ** 63,
  'number as text': '99999999999999999999',
  'hexadecimal text': '0x10',
  'not a number': 'NaN',
  infinite: '1e999',
  yes: true,
  'no date': '0000-00-00',
  'far date': '99999-01-01 00:00:00',
  infinity: 'infinity',
  null: null,
  list: [],
  'list of anything': [1, 'a', null, {}, []],
  'list of objects': [{ name: 'constructor', idx: 'x', user: {}, organization_role: [] }],
  object: {},
  'nested object': { a: { b: { c: [{}] } } },
  'nested deeply': deep(40),
  'list without end': Array(1200).fill('x'),
}

interface Try {
  readonly title: string
  run(): Promise<ParsedResponse>
}

const resource = (doctype: string, name = '') =>
  `/api/resource/${encodeURIComponent(doctype)}${name && `/${encodeURIComponent(name)}`}`
const as = (key: PersonKey, verb: string, path: string, params: Record<string, unknown>) =>
  call(context, personOf(context, key), verb, path, params)
const method = (key: PersonKey, name: string, params: Record<string, unknown>) =>
  as(key, 'POST', `/api/method/${name}`, params)

/** The user who may write most of a doctype. */
function writerOf({ name, tenant, permissions }: Doctype): PersonKey {
  if (tenant.kind === 'user' || name === 'Saved View') return 'member'
  return permissions.Owner?.write || permissions.Owner?.create || name === 'Activity' ? 'owner' : 'platform'
}

/** A document of the writer's own, or one of `acme`. */
function planOf(type: Doctype): SubjectPlan | undefined {
  const writer = writerOf(type)
  const plans = subjectPlans.filter(({ doctype }) => doctype === type.name)
  const own = plans.find(({ attributes }) => attributes.about === writer || attributes.owner === writer)
  return own ?? plans.find(({ attributes }) => attributes.organization === 'acme') ?? plans[0]
}

const subjectOf = (type: Doctype) => context.subjects.get(`${type.name}/${planOf(type)?.key}`)?.name ?? 'nothing000'

const writes: readonly [
  string,
  (type: Doctype, name: string, values: Record<string, unknown>) => Promise<ParsedResponse>,
][] = [
  ['resource', (type, name, values) => as(writerOf(type), 'PUT', resource(type.name, name), values)],
  [
    'set_value',
    (type, name, values) =>
      method(writerOf(type), 'frappe.client.set_value', { doctype: type.name, name, fieldname: values }),
  ],
  [
    'bulk_update',
    (type, name, values) =>
      method(writerOf(type), 'frappe.client.bulk_update', { docs: [{ doctype: type.name, docname: name, ...values }] }),
  ],
  [
    'save',
    (type, name, values) =>
      method(writerOf(type), 'frappe.client.save', { doc: { doctype: type.name, name, ...values } }),
  ],
]

const creates: readonly [
  string,
  (type: Doctype, key: PersonKey, values: Record<string, unknown>) => Promise<ParsedResponse>,
][] = [
  ['resource', (type, key, values) => as(key, 'POST', resource(type.name), values)],
  ['insert', (type, key, values) => method(key, 'frappe.client.insert', { doc: { doctype: type.name, ...values } })],
  [
    'insert_many',
    (type, key, values) =>
      method(key, 'frappe.client.insert_many', {
        docs: [
          { doctype: type.name, ...values },
          { doctype: type.name, ...values },
        ],
      }),
  ],
]

const values = Object.entries(hostile)
let turn = 0
/** Alternates between entry points: each value is sent through each of them at some field. */
const next = <T>(list: readonly T[]): T => {
  turn += 1
  return list[turn % list.length] as T
}

function fieldTries(): Try[] {
  return doctypes.flatMap((type) =>
    Object.keys(type.fields).flatMap((field) =>
      values.flatMap(([kind, value]): Try[] => {
        const [way, write] = next(writes)
        const save: Try = {
          title: `${way} ${type.name}.${field}: ${kind}`,
          run: () => write(type, subjectOf(type), { [field]: value }),
        }
        const draft = doctypeDeclarations[type.name]?.drafts?.[0]
        if (!draft) return [save]
        const [entryPoint, create] = next(creates)
        const key = draft.self ?? (type.name === 'Organization' ? 'founder' : 'owner')
        const insert: Try = {
          title: `${entryPoint} new ${type.name}.${field}: ${kind}`,
          run: () => create(type, key, { ...filled(context, draft.values), [field]: value }),
        }
        return [save, insert]
      }),
    ),
  )
}

function actionTries(): Try[] {
  return doctypes.flatMap((type) =>
    Object.entries(type.actions ?? {})
      // Actions that would end the writer's membership are skipped.
      .filter(([action]) => !actionDeclarations[`${type.name}.${action}`]?.lasting)
      .flatMap(([action, { args = {} }]) =>
        [...Object.keys(args), 'confirm_name'].flatMap((name) =>
          values.map(([kind, value]): Try => ({
            title: `${type.name}.${action} ${name}: ${kind}`,
            run: async () => {
              const plan = planOf(type)
              const dn = plan ? await context.fresh(plan) : 'nothing000'
              return method('owner', 'run_doc_method', { dt: type.name, dn, method: action, args: { [name]: value } })
            },
          })),
        ),
      ),
  )
}

/** Methods that would end the caller's session. */
const sessionMethods = /logout|sessions\.end|end_others|update_password|login|sign_up/

function methodTries(): Try[] {
  return product.methods.flatMap(({ name, params = {}, access }) =>
    sessionMethods.test(name)
      ? []
      : Object.keys(params).flatMap((param) =>
          values.map(([kind, value]): Try => ({
            title: `${name} ${param}: ${kind}`,
            run: () => method(access === 'platform' ? 'platform' : 'admin', name, { [param]: value }),
          })),
        ),
  )
}

/** Cases that reached hooks before the field was validated, or once caused an internal error. */
const isAlwaysTried = ({ title }: Try) =>
  /^\S+ new .*: (?:constructor|unknown choice)$/.test(title) || /^(?!.* new ).*\.\w+: null$/.test(title)

const long = process.env['EASYDASH_TEST_LONG'] === '1'

/** Failures of a stalled machine: too busy, or no connection. Run alone, the attempt must succeed. */
const passing = /failed with 503|^fetch failed$/

/** Runs attempts, some concurrently; returns the titles of those that failed. */
async function failuresOf(
  tries: readonly Try[],
  answered: (one: Try, response: ParsedResponse) => void,
): Promise<string[]> {
  const failures: string[] = []
  const again: Try[] = []
  const attempt = async (one: Try, mayBeAccepted: boolean) => {
    try {
      answered(one, await one.run())
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error)
      if (mayBeAccepted && passing.test(what)) again.push(one)
      else failures.push(`${one.title} → ${what.slice(0, 300)}`)
    }
  }
  const waiting = tries.values()
  const work = async () => {
    for (const one of waiting) await attempt(one, true)
  }
  await Promise.all(Array.from({ length: 6 }, work))
  for (const one of again) await attempt(one, false)
  if (again.length > 0) process.stdout.write(`Tried again alone: ${again.map(({ title }) => title).join('; ')}\n`)
  return failures
}

test(
  'no value of whatever kind is a defect, in any field, argument or parameter',
  async () => {
    const all = shuffled([...fieldTries(), ...actionTries(), ...methodTries()], 20_261_122)
    const tries = long
      ? all
      : [...all.filter(isAlwaysTried), ...all.filter((one) => !isAlwaysTried(one)).slice(0, 3000)]
    const statuses = new Map<number, number>()
    const failures = await failuresOf(tries, (_one, { status }) =>
      statuses.set(status, (statuses.get(status) ?? 0) + 1),
    )
    process.stdout.write(`Hostile values: ${tries.length} of ${all.length}, ${JSON.stringify([...statuses])}\n`)
    expect(failures).toEqual([])
    expect(product.defects).toEqual([])
    expect(statuses.get(200), 'some are taken').toBeGreaterThan(tries.length / 20)
    expect(statuses.get(417), 'most are refused for what they are').toBeGreaterThan(tries.length / 4)
  },
  long ? 3_600_000 : 300_000,
)

test('no text that was stored meanwhile holds characters that hide or turn around others', async () => {
  for (const type of doctypes) {
    for (const [name, { fieldtype, secret }] of columnFields(type)) {
      if (secret || !['Data', 'Small Text', 'Long Text', 'Select', 'Link'].includes(fieldtype)) continue
      const { rows } = await product.database.pool.query<{ value: string }>(
        `select "${name}" as value from ${tableName(type.name)} where "${name}" is not null`,
      )
      const lines =
        fieldtype === 'Small Text' || fieldtype === 'Long Text' ? /(?![\n\t])\p{Cc}/u : /[\p{Cc}\p{Zl}\p{Zp}]/u
      const wrong = rows.filter(({ value }) => lines.test(value) || /\p{Bidi_Control}/u.test(value))
      expect(wrong, `${type.name}.${name}`).toEqual([])
    }
  }
})
