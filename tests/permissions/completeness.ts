import type { Doctype } from '#shared/doctype.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import type { Method } from '#server/contracts/method.ts'
import { actionDeclarations, doctypeDeclarations } from './declarations.ts'
import { hiddenFields, plainFields, secretFields } from './field-declarations.ts'
import type { Matrix } from './matrix.ts'
import { methodRow } from './method-cases.ts'
import { subjectPlans } from './subjects.ts'

/** What the product has but the suite has no expectation for, as sentences; empty if the suite is complete. */
export function undeclared(matrix: Matrix, methods: readonly Method[]): string[] {
  const missing: string[] = []
  for (const type of doctypes) {
    if (!doctypeDeclarations[type.name]) missing.push(`doctype ${type.name}`)
    if (!subjectPlans.some((plan) => plan.doctype === type.name)) missing.push(`a document of ${type.name}`)
    for (const action of Object.keys(type.actions ?? {}))
      if (!actionDeclarations[`${type.name}.${action}`]) missing.push(`action ${type.name}.${action}`)
    missing.push(...undeclaredFields(matrix, type))
  }
  for (const { name } of methods) if (!methodRow(matrix, name)) missing.push(`method ${name}`)
  return missing.map((one) => `no expectation declared: ${one}`)
}

/** Fields that some roles can't read, and fields with names that sound like secrets. */
function undeclaredFields(matrix: Matrix, type: Doctype): string[] {
  const grouped = [...matrix.groups.values()].filter((one) => one.doctype === type.name).flatMap((one) => one.fields)
  return Object.entries(type.fields).flatMap(([name, field]) => {
    const id = `${type.name}.${name}`
    const never = [...(secretFields[type.name] ?? []), ...(hiddenFields[type.name] ?? [])]
    if (field.secret && !never.includes(name)) return [`secret ${id}`]
    if (field.hidden && !never.includes(name)) return [`hidden field ${id}`]
    if (field.read_roles && ![...grouped, ...never].includes(name)) return [`field ${id} that not everybody reads`]
    const looksSecret = /secret|password|token|(?:^|_)keys?$|hash|credential/.test(name)
    return looksSecret && !never.includes(name) && !plainFields.has(id) && !grouped.includes(name)
      ? [`field ${id}`]
      : []
  })
}
