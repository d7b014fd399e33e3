import { matchesExpectation, personOf, putResource, subjectOf, type Case } from './cases.ts'
import { doctypeDeclarations } from './declarations.ts'
import { expectedOf, inScope, type Expected } from './expectations.ts'
import type { Matrix } from './matrix.ts'
import { outcomeOf } from './outcomes.ts'
import { everybody, type PersonKey } from './people.ts'
import { askStore } from './store-entry-points.ts'
import type { SubjectPlan } from './subject-plan.ts'
import { subjectPlans } from './subjects.ts'

/** Setting a personal value requires read permission; a token also needs the write scope. */
function expectedMark(matrix: Matrix, key: PersonKey, plan: SubjectPlan): Expected {
  return inScope(matrix, key, plan.doctype, 'W') ? expectedOf(matrix, key, plan, 'R') : 'refused'
}

/** Every person × document with a personal field: settable by everyone who can read it, without affecting others. */
export function personalCases(matrix: Matrix): Case[] {
  return subjectPlans.flatMap((plan) => {
    const field = doctypeDeclarations[plan.doctype]?.personal
    if (field === undefined) return []
    return everybody.flatMap((key) => {
      const expected = expectedMark(matrix, key, plan)
      const one = (entryPoint: string, run: Case['run']): Case => ({
        title: `${key} marks ${plan.doctype}/${plan.key} as a personal field through ${entryPoint}: ${expected}`,
        doctype: plan.doctype,
        kind: 'personal',
        run,
      })
      return [
        one('resource', async (context) => {
          const { name } = subjectOf(context, plan)
          const before = JSON.stringify(await context.stored(plan.doctype, name))
          const outcome = outcomeOf(await putResource(context, key, plan.doctype, name, { [field]: 1 }))
          if (!matchesExpectation(outcome, expected)) return outcome
          return JSON.stringify(await context.stored(plan.doctype, name)) === before ? null : 'the row changed'
        }),
        one('the store', async (context) => {
          const { name } = subjectOf(context, plan)
          const response = await askStore(context, personOf(context, key), 'save', (store, session) =>
            store.save(session, plan.doctype, name, { [field]: 0 }),
          )
          const outcome = outcomeOf(response)
          return matchesExpectation(outcome, expected) ? null : outcome
        }),
      ]
    })
  })
}
