import { actionResponse } from '#shared/responses/actions.ts'
import { fieldLabel, type Action, type Doctype } from '#shared/doctype.ts'
import type { JsonSchema } from '#shared/json-schema.ts'
import { jsonSchemaOf } from '#shared/schema.ts'
import { peopleScope, returnsPeople } from '#shared/people.ts'
import { inputSchema, ref, schemaName } from './fields.ts'
import { responseOf, describeParameter } from './operations.ts'
import { rolesOfAction } from './roles.ts'

/** Markdown description of one action. */
export function actionDescription(key: string, action: Action): string {
  return [
    `**${key}** (${action.label}): ${rolesOfAction(action)}.`,
    action.from === undefined ? null : `Possible while the status is ${action.from.join(', ')}.`,
    action.reauth ? 'Needs a password check in the last ten minutes.' : null,
    action.job ? 'Starts a job.' : null,
    action.keeps ? 'It can change what is stored, so GET cannot run it.' : null,
    returnsPeople(actionResponse(action)) ? `API tokens need ${peopleScope} as well.` : null,
  ]
    .filter((one) => one !== null)
    .join(' ')
}

/** Arguments of an action as schema properties. */
export function actionArguments(action: Action): { properties: Record<string, JsonSchema>; required: string[] } {
  const args = Object.entries(action.args ?? {})
  const notes = args.map(([name, field]) => [name, describeParameter(name, field)] as const)
  return {
    properties: {
      ...Object.fromEntries(args.map(([name, field]) => [name, inputSchema(name, field)])),
      ...(action.confirm_field === undefined
        ? {}
        : {
            confirm_name: {
              type: 'string',
              title: fieldLabel('confirm_name', {}),
              description: `Must be the document's ${action.confirm_field}.`,
            } satisfies JsonSchema,
          }),
    },
    required: [
      ...notes.filter(([, note]) => note.reqd).map(([name]) => name),
      ...(action.confirm_field === undefined ? [] : ['confirm_name']),
    ],
  }
}

/** Body of a POST to a document that runs an action. */
export function actionBody(key: string, action: Action): JsonSchema {
  const { properties, required } = actionArguments(action)
  return {
    type: 'object',
    title: key,
    properties: { run_method: { const: key }, ...properties },
    required: ['run_method', ...required],
    additionalProperties: true,
  }
}

/** Schema of an action's result. */
export function actionResult(action: Action): JsonSchema {
  const returns = jsonSchemaOf(actionResponse(action))
  if (returns !== undefined || !action.job) return returns ?? {}
  return {
    type: 'object',
    properties: { job: { type: 'string', description: 'The job that does it.', 'x-link': 'Job' } },
    additionalProperties: true,
  }
}

/** Response of a run of one of a doctype's actions. */
export function actionResponseSchema(type: Doctype, actions: readonly (readonly [string, Action])[]): object {
  const result: JsonSchema = {
    description: 'What the action returned; absent when it returned nothing.',
    anyOf: actions.map(([key, action]) => ({ title: key, ...actionResult(action) })),
  }
  return responseOf(
    'The action was done or its job started.',
    {
      docs: { type: 'array', minItems: 1, maxItems: 1, items: ref(schemaName(type.name)) },
      data: result,
      message: result,
    },
    ['docs'],
  )
}
