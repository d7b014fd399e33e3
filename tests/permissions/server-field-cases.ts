import { doctypes } from '#shared/doctypes/registry.ts'
import type { Field } from '#shared/fields.ts'
import { putResource, subjectOf, type Case } from './cases.ts'
import { doctypeDeclarations } from './declarations.ts'
import { hiddenFields } from './field-declarations.ts'
import { expectedOf } from './expectations.ts'
import type { Matrix } from './matrix.ts'
import { everybody } from './people.ts'
import { subjectPlans } from './subjects.ts'
import { otherValue } from './write-cases.ts'

/**
 * Server-owned and hidden fields in an allowed write are ignored, and sending them isn't an error. Other fields that only the
 * server sets are rejected.
 */
export function serverFieldCases(matrix: Matrix): Case[] {
  return subjectPlans.flatMap((plan) => {
    // For clients, hidden fields must be indistinguishable from ones that don't exist.
    const hidden = hiddenFields[plan.doctype] ?? []
    const declared = doctypeDeclarations[plan.doctype]
    const refused = declared?.refusedFields?.split(' ') ?? []
    const names = [...(declared?.ignoredFields?.split(' ') ?? []), ...hidden, ...refused]
    const type = doctypes.find(({ name }) => name === plan.doctype)
    return everybody
      .filter((key) => expectedOf(matrix, key, plan, 'W') === 'allowed')
      .flatMap((key) =>
        names.map((name): Case => ({
          title: `what ${key} sends for ${plan.doctype}/${plan.key}.${name} is ${refused.includes(name) ? 'refused' : 'ignored'}`,
          doctype: plan.doctype,
          kind: 'ignored',
          async run(context) {
            const document = subjectOf(context, plan).name
            return context.alone(document, async () => {
              const before = await context.stored(plan.doctype, document)
              const value = otherValue(context, type?.fields[name] as Field, before?.[name])
              const response = await putResource(context, key, plan.doctype, document, { [name]: value })
              const after = await context.stored(plan.doctype, document)
              if (JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name])) return 'the field changed'
              return response.status === (refused.includes(name) ? 403 : 200)
                ? null
                : `${response.status} ${response.text.slice(0, 200)}`
            })
          },
        })),
      )
  })
}
