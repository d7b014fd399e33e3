import { childFields, standardFields, type Doctype } from '#shared/doctype.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { personOf, subjectOf, type Case } from './cases.ts'
import { hiddenFields, secretFields } from './field-declarations.ts'
import { columnOf, expectedOf, inScope, isSame, rowOf, columnOfPlan } from './expectations.ts'
import type { FieldGroup, Matrix } from './matrix.ts'
import { everybody, profileOf, type PersonKey } from './people.ts'
import type { SubjectPlan } from './subject-plan.ts'
import { subjectPlans } from './subjects.ts'
import { call, type TestContext } from './test-context.ts'

const standard: ReadonlySet<string> = new Set([...standardFields, ...childFields, 'doctype', 'parent'])

/** The fields of a document that a person can read, derived from the fixture alone. Null if they can't read the document. */
export function readableFields(matrix: Matrix, key: PersonKey, plan: SubjectPlan): ReadonlySet<string> | null {
  if (expectedOf(matrix, key, plan, 'R') !== 'allowed') return null
  const type = doctypes.find(({ name }) => name === plan.doctype) as Doctype
  const fields = Object.keys(type.fields).filter((name) => !(hiddenFields[type.name] ?? []).includes(name))
  return new Set(fields.filter((name) => readsField(matrix, key, plan, name)))
}

/** Whether a person can read a field of a document they can see, according to the table's roles. */
export function readsField(matrix: Matrix, key: PersonKey, plan: SubjectPlan, field: string): boolean {
  const column = columnOfPlan(key, plan) ?? 'US'
  const isOwn =
    isSame(plan.attributes.about, key) &&
    !profileOf(key).token &&
    ['User', 'User Meta', 'SSH Key'].includes(plan.doctype)
  if (isOwn) return true
  const cell = rowOf(matrix, plan.row)[column]
  const group = (name: string) => matrix.groups.get(name) as FieldGroup
  if (cell.only !== null) return group(cell.only).fields.includes(field)
  if (cell.except !== null && group(cell.except).fields.includes(field)) return false
  if (plan.doctype === 'Organization' && group('access token').fields.includes(field))
    return rowOf(matrix, 'server_access_token')[column].verbs.includes('make')
  if (plan.doctype === 'Organization' && group('credentials').fields.includes(field))
    return rowOf(matrix, 'Org credentials and keys')[column].verbs.includes('set')
  if (plan.doctype === 'Server' && group('server keys').fields.includes(field)) {
    const row = 'server decommission, category, authorized_keys, http-auth reveal, owner, resize, host key'
    return rowOf(matrix, row)[column].act === 'all'
  }
  if (plan.doctype === 'Activity' && group('addresses').fields.includes(field))
    return ['PA', 'OW', 'AD'].includes(column)
  if (plan.doctype === 'User' && group('account state').fields.includes(field)) return column === 'PA'
  return true
}

/** JSON fields can be read but not compared. */
const listField = new Set(['roles', 'connections'])

const group = (matrix: Matrix, doctype: string): string[] =>
  [...matrix.groups.values()].filter((one) => one.doctype === doctype).flatMap((one) => one.fields)

/** The fields returned for a document: one assertion per person and document, over the whole set. */
export function presenceCases(matrix: Matrix): Case[] {
  return subjectPlans.flatMap((plan) =>
    everybody.flatMap((key): Case[] => {
      const fields = readableFields(matrix, key, plan)
      if (fields === null) return []
      return [
        {
          title: `${key} reads exactly the visible fields of ${plan.doctype}/${plan.key}`,
          doctype: plan.doctype,
          kind: 'fields',
          async run(context) {
            const { name } = subjectOf(context, plan)
            const response = await call(context, personOf(context, key), 'GET', '/api/method/frappe.client.get', {
              doctype: plan.doctype,
              name,
            })
            const doc = (response.body['message'] ?? {}) as Record<string, unknown>
            const got = Object.keys(doc).filter((field) => !standard.has(field))
            const wanted = [...fields].filter((field) => !standard.has(field))
            const more = got.filter((field) => !fields.has(field))
            const less = wanted.filter((field) => !got.includes(field))
            const clear = (secretFields[plan.doctype] ?? []).filter(
              (field) => field in doc && doc[field] !== null && !/^\*+$/.test(String(doc[field])),
            )
            const wrong = [
              ...more.map((one) => `+${one}`),
              ...less.map((one) => `-${one}`),
              ...clear.map((one) => `clear ${one}`),
            ]
            return wrong.length === 0 ? null : wrong.join(' ')
          },
        },
      ]
    }),
  )
}

/** Ways a query can use a field; all must be rejected if the field isn't readable. */
const touches: Readonly<Record<string, (field: string) => Record<string, unknown>>> = {
  filter: (field) => ({ filters: [[field, 'is', 'set']] }),
  'filter like': (field) => ({ filters: { [field]: ['like', '%a%'] } }),
  or_filter: (field) => ({ or_filters: [[field, 'is', 'not set']] }),
  order: (field) => ({ order_by: `${field} desc` }),
  group: (field) => ({ group_by: field, fields: ['count(name) as n'] }),
  aggregate: (field) => ({ fields: [`max(${field}) as n`] }),
}

/** Every person × restricted field × way of using it in a query. */
export function queryCases(matrix: Matrix): Case[] {
  const cases: Case[] = []
  for (const type of doctypes) {
    const never = [...(secretFields[type.name] ?? []), ...(hiddenFields[type.name] ?? [])]
    const plan = subjectPlans.find((one) => one.doctype === type.name && one.attributes.organization === 'acme')
    if (!plan) continue
    for (const field of new Set([...never, ...group(matrix, type.name)])) {
      for (const key of everybody) {
        // Lists cover the selected organization: only its members and the platform admin see any rows.
        if (columnOf(key, 'acme') === null) continue
        const open = !never.includes(field) && fieldInLists(matrix, key, plan, field)
        for (const [source, query] of listField.has(field) && open ? [] : Object.entries(touches))
          cases.push(fieldWriteCase(type.name, field, key, source, query, open))
        cases.push(selectCase(type.name, field, key, open))
      }
    }
  }
  return cases
}

/** In lists of accounts, the strictest rule applies to all rows: they include colleagues as well as the user. */
function fieldInLists(matrix: Matrix, key: PersonKey, plan: SubjectPlan, field: string): boolean {
  const other = plan.doctype === 'User' ? { ...plan, attributes: { organization: plan.attributes.organization } } : plan
  return inScope(matrix, key, plan.doctype, 'R') && readsField(matrix, key, other, field)
}

function fieldWriteCase(
  doctype: string,
  field: string,
  key: PersonKey,
  way: string,
  query: (field: string) => Record<string, unknown>,
  open: boolean,
): Case {
  return {
    title: `${key} cannot${open ? ' be kept from' : ''} ${way} ${doctype}.${field}`,
    doctype,
    kind: 'query',
    async run(context) {
      const response = await list(context, key, doctype, query(field))
      // Whether max() works on a text or flag isn't a matter of permissions.
      if (open)
        return response.status === 200 || way === 'aggregate'
          ? null
          : `${response.status} ${response.text.slice(0, 200)}`
      const denied = response.status === 417 || response.status === 403
      return denied && (response.status === 403 || response.body['exc_type'] === 'DataError')
        ? null
        : `${response.status} ${response.text.slice(0, 200)}`
    },
  }
}

function selectCase(doctype: string, field: string, key: PersonKey, open: boolean): Case {
  return {
    title: `${key} ${open ? 'is given' : 'is not given'} ${doctype}.${field} in lists`,
    doctype,
    kind: 'query',
    async run(context) {
      const response = await list(context, key, doctype, { fields: ['name', field, `${field} as other`] })
      if (response.status === 403 && !open) return null
      const [row] = (response.body['message'] ?? []) as Record<string, unknown>[]
      // An empty list shows nothing.
      if (row === undefined) return response.status === 200 || response.status === 417 ? null : String(response.status)
      return open === field in row && open === 'other' in row ? null : JSON.stringify(row)
    },
  }
}

function list(context: TestContext, key: PersonKey, doctype: string, query: Record<string, unknown>) {
  return call(context, personOf(context, key), 'POST', '/api/method/frappe.client.get_list', { doctype, ...query })
}
