/** What a refusal leaves behind and gives away: nothing. */
import { mayCreateSome, personOf, probeOf, putResource, type Case } from './cases.ts'
import { doctypeDeclarations } from './declarations.ts'
import { creating } from './entry-points.ts'
import { expectedOf, isGuest, isSame } from './expectations.ts'
import type { Matrix } from './matrix.ts'
import { outcomeOf } from './outcomes.ts'
import { everybody } from './people.ts'
import { subjectPlans } from './subjects.ts'
import { call } from './world.ts'

/** A refused write leaves nothing behind. */
export function traceCases(matrix: Matrix): Case[] {
  // Others write the one organization at the same time; its fields are tried one by one.
  const plans = subjectPlans.filter((plan) => plan.doctype !== 'Organization')
  return plans.flatMap((plan) =>
    everybody
      .filter((key) => expectedOf(matrix, key, plan, 'W') !== 'allowed')
      .map((key): Case => ({
        title: `${key} leaves no trace in ${plan.doctype}/${plan.key} by a refused write`,
        doctype: plan.doctype,
        kind: 'trace',
        async run(world) {
          const name = await world.fresh(plan)
          const before = JSON.stringify(await world.stored(plan.doctype, name))
          await putResource(world, key, plan.doctype, name, probeOf(plan.doctype))
          return JSON.stringify(await world.stored(plan.doctype, name)) === before ? null : 'the row changed'
        },
      })),
  )
}

/** Another organization's document answers exactly like one that does not exist. */
export function sameAnswerCases(matrix: Matrix): Case[] {
  const outsiders = everybody.filter((key) => !isGuest(key))
  return subjectPlans.flatMap((plan) =>
    outsiders
      .filter((key) => !isSame(plan.facts.about, key) && expectedOf(matrix, key, plan, 'R') === 'missing')
      .flatMap((key) =>
        (['GET', 'PUT', 'DELETE', 'POST'] as const).map((verb): Case => ({
          title: `${verb} of ${plan.doctype}/${plan.key} says the same to ${key} as of nothing`,
          doctype: plan.doctype,
          kind: 'existence',
          async run(world) {
            const { name } = world.subjects.get(`${plan.doctype}/${plan.key}`) as { name: string }
            const nothing = name.includes('@') ? 'nobody-at-all@acme.example' : 'zzzzzzzzzz'
            const params = verb === 'POST' ? { run_method: 'archive' } : verb === 'PUT' ? { title: 'x' } : {}
            const of = async (one: string) => {
              const path = `/api/resource/${encodeURIComponent(plan.doctype)}/${encodeURIComponent(one)}`
              const { status, body } = await call(world, personOf(world, key), verb, path, params)
              const { request_id: _id, ...rest } = body
              return `${status} ${JSON.stringify(rest).replaceAll(one, 'NAME')}`
            }
            const [real, none] = [await of(name), await of(nothing)]
            return real === none ? null : `${real} instead of ${none}`
          },
        })),
      ),
  )
}

/** Who has no right to create is told so, not what is wrong with the values: rights come first. */
export function rightsFirstCases(matrix: Matrix): Case[] {
  return Object.entries(doctypeDeclarations).flatMap(([doctype, { probe }]) =>
    everybody
      .filter((key) => !mayCreateSome(matrix, key, doctype))
      .flatMap((key) =>
        creating.map((door): Case => ({
          title: `${key} C ${doctype} (of wrong values) through ${door.name}: refused`,
          doctype,
          kind: 'create',
          async run(world) {
            const wrong = Object.fromEntries(Object.keys(probe).map((field) => [field, ['not', 'one', 'value']]))
            const answer = await door.run(world, personOf(world, key), doctype, { organization: 'acme', ...wrong })
            return outcomeOf(answer) === 'refused' ? null : `${answer.status} ${answer.text.slice(0, 200)}`
          },
        })),
      ),
  )
}
