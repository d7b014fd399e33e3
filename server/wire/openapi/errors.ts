import type { ErrorCode } from '#shared/errors.ts'
import type { JsonSchema } from '#shared/json-schema.ts'
import { jsonSchemaOf, messageDescriptor } from '#shared/schema.ts'
import { byClass, byCode } from '../response/error-response.ts'

/** One row of the error table. */
export interface ErrorRow {
  readonly status: number
  readonly classes: readonly string[]
  readonly codes: readonly string[]
  readonly when: string
}

const when: Readonly<Record<number, string>> = {
  400: 'The CSRF token is missing or wrong, or the Origin is not ours.',
  401: 'Wrong credentials: of a login, or in the Authorization header (then even for calls that guests can make).',
  403: 'Not allowed: no session, no right, a wrong verb for the method, or a method that does not exist.',
  404: 'There is no such document, doctype or address. Documents of other organizations answer exactly alike.',
  405: 'A resource address was called with a verb it does not have; the header Allow names the others.',
  409: 'The name exists already.',
  410: 'The link was used already or has expired.',
  413: 'The request is too large.',
  415: 'The body is neither JSON nor a form nor multipart.',
  417: 'The request is not valid: a missing or wrong value, an unknown field in a filter, a state in which it cannot be done, a limit that is reached. `field` names the field where there is one.',
  429: 'Too many requests; the header Retry-After and `retry_after` say for how many seconds.',
  500: 'A defect of the server. Its log has the details under the id in the message.',
  503: 'The server is busy or restarting; try again in a moment.',
}

/** All errors by status, generated from the tables used for responses. */
export function errorRows(): readonly ErrorRow[] {
  const rows = new Map<number, { classes: Set<string>; codes: Set<string> }>()
  const row = (status: number) => {
    const found = rows.get(status) ?? { classes: new Set<string>(), codes: new Set<string>() }
    rows.set(status, found)
    return found
  }
  for (const [name, status] of byClass) row(status).classes.add(name)
  for (const [code, [name, status]] of Object.entries(byCode) as [ErrorCode, readonly [string, number]][]) {
    row(byClass.get(name) ?? status).classes.add(name)
    row(byClass.get(name) ?? status).codes.add(code)
  }
  row(500).classes.add('InternalServerError')
  row(500).codes.add('internal')
  return [...rows]
    .map(([status, { classes, codes }]) => ({
      status,
      classes: [...classes].toSorted(),
      codes: [...codes].toSorted(),
      when: when[status] ?? 'The request failed.',
    }))
    .toSorted((a, b) => a.status - b.status)
}

/** Body of failed calls, in Frappe's shape plus our own keys. */
export function errorSchema(): JsonSchema {
  const codes = [...Object.keys(byCode), 'internal'].toSorted()
  return {
    type: 'object',
    description: 'What went wrong. Show the first of `_server_messages`, else `exception`, else `message`.',
    required: ['exc_type', 'exception', 'code'],
    properties: {
      exc_type: { type: 'string', description: 'Class of the error; the table of errors lists them by status.' },
      exception: { type: 'string', description: 'frappe.exceptions.CLASS: sentence for people' },
      code: { type: 'string', enum: codes, description: 'Kind of error, from a closed list.' },
      field: { type: 'string', description: 'Field or parameter the error is about.' },
      next_action: { type: 'string', description: 'What the user can do next.' },
      next_action_i18n: jsonSchemaOf(messageDescriptor),
      retry_after: { type: 'number', description: 'Seconds until another try makes sense.' },
      message: { type: 'string', description: 'Failed logins only: the sentence again.' },
      session_expired: { const: 1, description: 'The cookie named a session that has ended.' },
      _server_messages: ref('ServerMessages'),
      _error_message: { type: 'string', description: 'Instead of _server_messages where a document is refused.' },
      message_i18n: {
        ...jsonSchemaOf(messageDescriptor),
        description: 'The parts of the sentence for people, for translation.',
      },
    },
  }
}

const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })

/** `_server_messages` of responses and errors. */
export const serverMessagesSchema: JsonSchema = {
  type: 'string',
  contentMediaType: 'application/json',
  description:
    'JSON text of a list whose entries are JSON texts of objects with `message`, `title` and `indicator`; the first one is for people.',
  examples: [String.raw`["{\"message\":\"Saved\",\"title\":\"Message\",\"indicator\":\"green\"}"]`],
}

/** Additional headers of some errors. */
const headersOf: Readonly<Record<number, object>> = {
  405: { Allow: { description: 'Allowed verbs.', schema: { type: 'string' } } },
  429: { 'Retry-After': { description: 'Seconds to wait.', schema: { type: 'string' } } },
}

/** Key of an error in `components.responses`. */
const responseName = (status: number): string => `Error${status}`

/** `components.responses`: one entry per status. */
export function errorResponses(): Record<string, object> {
  return Object.fromEntries(
    errorRows().map(({ status, classes, when: description }) => [
      responseName(status),
      {
        description,
        ...(headersOf[status] === undefined ? {} : { headers: headersOf[status] }),
        content: {
          'application/json': {
            schema: { allOf: [ref('Error'), { type: 'object', properties: { exc_type: { enum: classes } } }] },
          },
          'text/html': { schema: { type: 'string', description: 'For clients whose Accept header begins with text.' } },
        },
      },
    ]),
  )
}

/** Errors every operation can return; 405 only applies to resource paths. */
export function errorRefs(): Record<string, object> {
  return Object.fromEntries(
    errorRows()
      .filter(({ status }) => status !== 405)
      .map(({ status }) => [String(status), { $ref: `#/components/responses/${responseName(status)}` }]),
  )
}
