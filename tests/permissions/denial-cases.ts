/** Denied calls must have no side effects and reveal nothing. */
import { mayCreateSome, personOf, probeOf, putResource, subjectOf, type Case } from './cases.ts'
import { doctypeDeclarations } from './declarations.ts'
import { creating } from './entry-points.ts'
import { expectedOf, inScope, isGuest, isSame } from './expectations.ts'
import type { Matrix } from './matrix.ts'
import { outcomeOf } from './outcomes.ts'
import { everybody, profileOf, type PersonKey } from './people.ts'
import { subjectPlans } from './subjects.ts'
import { call, type ParsedResponse, type TestContext } from './test-context.ts'

/** A denied write changes nothing. */
export function traceCases(matrix: Matrix): Case[] {
  // Other cases write the only organization at the same time; its fields are tested one by one.
  const plans = subjectPlans.filter((plan) => plan.doctype !== 'Organization')
  return plans.flatMap((plan) =>
    everybody
      .filter((key) => expectedOf(matrix, key, plan, 'W') !== 'allowed')
      .map((key): Case => ({
        title: `${key} leaves no trace in ${plan.doctype}/${plan.key} by a refused write`,
        doctype: plan.doctype,
        kind: 'trace',
        async run(context) {
          const name = await context.fresh(plan)
          const probe = probeOf(plan.doctype)
          // Methods can write the only row of an account or organization at any time, so only the sent fields are compared
          // there.
          const seen = async () => {
            const row = await context.stored(plan.doctype, name)
            return JSON.stringify(plan.single ? Object.keys(probe).map((field) => row?.[field]) : row)
          }
          return context.alone(name, async () => {
            const before = await seen()
            await putResource(context, key, plan.doctype, name, probe)
            return (await seen()) === before ? null : 'the row changed'
          })
        },
      })),
  )
}

/** Refused creations by people outside of an organization leave nothing in its log; they could fill it otherwise. */
export function outsideLogCases(): Case[] {
  return (['stranger', 'former', 'invited'] as const).map((key): Case => ({
    title: `${key} writes nothing to the log of acme by refused creations`,
    doctype: 'Activity',
    kind: 'trace',
    async run(context) {
      const response = await call(context, personOf(context, key), 'POST', '/api/resource/Server', {
        organization: 'acme',
      })
      const { rows } = await context.product.database.pool.query(
        "select action from tab_activity where actor = $1 and organization = 'acme' and result = 'Denied'",
        [profileOf(key).email],
      )
      return response.status === 403 && rows.length === 0 ? null : `${response.status} ${JSON.stringify(rows)}`
    },
  }))
}

/** The response for another organization's document equals that for one that doesn't exist. */
export function sameAnswerCases(matrix: Matrix): Case[] {
  const outsiders = everybody.filter((key) => !isGuest(key))
  return subjectPlans.flatMap((plan) =>
    outsiders
      .filter((key) => !isSame(plan.attributes.about, key) && expectedOf(matrix, key, plan, 'R') === 'missing')
      .flatMap((key) =>
        (['GET', 'PUT', 'DELETE', 'POST'] as const).map((verb): Case => ({
          title: `${verb} of ${plan.doctype}/${plan.key} says the same to ${key} as of nothing`,
          doctype: plan.doctype,
          kind: 'existence',
          async run(context) {
            const { name } = context.subjects.get(`${plan.doctype}/${plan.key}`) as { name: string }
            const nothing = name.includes('@') ? 'nobody-at-all@acme.example' : 'zzzzzzzzzz'
            const params = verb === 'POST' ? { run_method: 'archive' } : verb === 'PUT' ? { title: 'x' } : {}
            const of = async (one: string) => {
              const path = `/api/resource/${encodeURIComponent(plan.doctype)}/${encodeURIComponent(one)}`
              const { status, body } = await call(context, personOf(context, key), verb, path, params)
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

/** Without permission to create, the error is about permissions, not about invalid values: permissions are checked first. */
export function permissionBeforeValidationCases(matrix: Matrix): Case[] {
  return Object.entries(doctypeDeclarations).flatMap(([doctype, { probe }]) =>
    everybody
      .filter((key) => !mayCreateSome(matrix, key, doctype))
      .flatMap((key) =>
        creating.map((entryPoint): Case => ({
          title: `${key} C ${doctype} (of wrong values) through ${entryPoint.name}: refused`,
          doctype,
          kind: 'create',
          async run(context) {
            const wrong = Object.fromEntries(Object.keys(probe).map((field) => [field, ['not', 'one', 'value']]))
            const response = await entryPoint.run(context, personOf(context, key), doctype, {
              organization: 'acme',
              ...wrong,
            })
            // A token's missing scope is reported before its user's permissions are checked.
            const isUnscoped = profileOf(key).token !== undefined && !inScope(matrix, key, doctype, 'C')
            const isReported = !isUnscoped || /lacks the scope|API tokens cannot/.test(response.text)
            return outcomeOf(response) === 'refused' && isReported
              ? null
              : `${response.status} ${response.text.slice(0, 200)}`
          },
        })),
      ),
  )
}

/**
 * The explanation for an unreadable document reveals nothing about it; for one that isn't visible, it only says that it
 * doesn't exist. Only owner and admins get explanations about others.
 */
export function explainCases(matrix: Matrix): Case[] {
  const explained = (
    context: TestContext,
    key: PersonKey,
    doctype: string,
    name: string,
    user?: string,
  ): Promise<ParsedResponse> =>
    call(context, personOf(context, key), 'GET', '/api/method/explain_permission', {
      doctype,
      name,
      operation: 'read',
      ...(user === undefined ? {} : { user }),
    })
  const leads: readonly PersonKey[] = ['owner', 'staleOwner', 'admin']
  // Owner and admins can also ask about others; documents hidden from themselves stay hidden.
  const about = (key: PersonKey) => (leads.includes(key) ? [undefined, 'manager@acme.example'] : [undefined])
  const site = subjectPlans.find((plan) => plan.doctype === 'Site' && plan.attributes.organization === 'acme')
  const denied = everybody
    .filter((key) => !leads.includes(key))
    .map((key): Case => ({
      title: `${key} cannot have access explained for a colleague`,
      doctype: 'Site',
      kind: 'explanation',
      async run(context) {
        if (site === undefined) return 'there is no site to ask about'
        const response = await explained(context, key, 'Site', subjectOf(context, site).name, 'admin@acme.example')
        return response.status >= 400 && response.status < 500
          ? null
          : `${response.status} ${response.text.slice(0, 300)}`
      },
    }))
  const aboutDocuments = subjectPlans.flatMap((plan) =>
    everybody.flatMap((key): Case[] => {
      const expected = expectedOf(matrix, key, plan, 'R')
      if (expected === 'allowed') return []
      return about(key).map((user) => ({
        title: `${key} has ${plan.doctype}/${plan.key} explained${user ? ' for a colleague' : ''} without a word of it`,
        doctype: plan.doctype,
        kind: 'explanation',
        async run(context) {
          const { name } = subjectOf(context, plan)
          const response = await explained(context, key, plan.doctype, name, user)
          if (response.text.includes('-marker')) return response.text.slice(0, 300)
          if (expected !== 'missing') return null
          const nothing = name.includes('@') ? 'nobody-at-all@acme.example' : 'zzzzzzzzzz'
          const none = await explained(context, key, plan.doctype, nothing, user)
          // A name can also be a word of the text: "platform" of "platform settings".
          const unnamed = (one: ParsedResponse) =>
            [name, nothing].reduce((text, each) => text.replaceAll(each, 'NAME'), JSON.stringify(one.body['message']))
          return unnamed(response) === unnamed(none) ? null : `${response.text} instead of ${none.text}`
        },
      }))
    }),
  )
  return [...aboutDocuments, ...denied]
}
