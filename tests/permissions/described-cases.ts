import { doctypes } from '#shared/doctypes/registry.ts'
import { personOf, subjectOf, type Case } from './cases.ts'
import { hiddenFields } from './field-declarations.ts'
import { expectedOf } from './expectations.ts'
import { readsField } from './field-cases.ts'
import type { Matrix } from './matrix.ts'
import { everybody, type PersonKey } from './people.ts'
import { askStore } from './store-entry-points.ts'
import type { SubjectPlan } from './subject-plan.ts'
import { subjectPlans } from './subjects.ts'
import { call, type ParsedResponse, type TestContext } from './test-context.ts'

/** Entry points that return an activity entry with the document values it contains. */
const entryPoints: Readonly<
  Record<string, (context: TestContext, key: PersonKey, name: string) => Promise<ParsedResponse>>
> = {
  'client.get': (context, key, name) =>
    call(context, personOf(context, key), 'GET', '/api/method/frappe.client.get', { doctype: 'Activity', name }),
  'the store': (context, key, name) =>
    askStore(context, personOf(context, key), 'get', (store, session) => store.get(session, 'Activity', name)),
  'client.get_list': (context, key, name) =>
    call(context, personOf(context, key), 'POST', '/api/method/frappe.client.get_list', {
      doctype: 'Activity',
      filters: { name },
      fields: ['before', 'after as other'],
    }),
  'a grouped list': (context, key, name) =>
    call(context, personOf(context, key), 'POST', '/api/method/frappe.client.get_list', {
      doctype: 'Activity',
      filters: { name },
      group_by: 'name',
      fields: ['name', 'after', 'count(name) as n'],
    }),
  'the export': (context, key, name) =>
    call(context, personOf(context, key), 'POST', '/api/method/easydash.api.activity.export', {
      format: 'jsonl',
      filters: { name },
    }),
}

/** Everyone who can read an activity entry sees the document values of exactly the fields they can read. */
export function describedCases(matrix: Matrix): Case[] {
  return subjectPlans
    .filter(({ doctype, values }) => doctype === 'Activity' && values['after'])
    .flatMap((plan) =>
      everybody
        .filter((key) => expectedOf(matrix, key, plan, 'R') === 'allowed')
        .flatMap((key) =>
          Object.entries(entryPoints).map(([entryPoint, open]): Case => ({
            title: `${key} reads only visible values of Activity/${plan.key} through ${entryPoint}`,
            doctype: 'Activity',
            kind: 'described',
            async run(context) {
              const response = await open(context, key, subjectOf(context, plan).name)
              const reported = new Set(response.text.match(/\bwas \w+/g))
              const visible = valuesFor(matrix, key, plan)
              const more = [...reported].filter((one) => !visible.has(one))
              const less = [...visible].filter((one) => !reported.has(one))
              const wrong = [...more.map((one) => `+${one}`), ...less.map((one) => `-${one}`)]
              return wrong.length === 0 ? null : `${response.status} ${wrong.join(' ')}`
            },
          })),
        ),
    )
}

/** The values of an entry that a person can read, derived from the fixture alone. */
function valuesFor(matrix: Matrix, key: PersonKey, { attributes, values }: SubjectPlan): ReadonlySet<string> {
  const fields = doctypes.find(({ name }) => name === attributes.reference)?.fields ?? {}
  // Based on what they can read of any document of that doctype in the entry's organization.
  const known = subjectPlans.find((one) => `${one.doctype}/${one.key}` === attributes.aboutPlan)
  const about = known ?? (subjectPlans.find(({ doctype }) => doctype === attributes.reference) as SubjectPlan)
  const document = known ?? { ...about, attributes: { organization: attributes.organization } }
  const hidden = hiddenFields[document.doctype] ?? []
  const visible = (name: string) =>
    !Object.hasOwn(fields, name) || (!hidden.includes(name) && readsField(matrix, key, document, name))
  return new Set(
    Object.entries(values['after'] as Record<string, string>)
      .filter(([name]) => visible(name))
      .map(([, value]) => value),
  )
}
