import { callerShape, textShape } from '#shared/json-schema.ts'
import type { Method, Session } from '#server/documents/types.ts'
import type { WireMethod } from '../registry.ts'

/** `ping`, the call that needs nothing. */
export const pingMethod: Method = {
  name: 'ping',
  description: 'Answers "pong".',
  returns: { const: 'pong' },
  access: 'guest',
  tokens: 'any',
  verbs: ['GET', 'POST'],
  run: () => Promise.resolve('pong'),
}

/**
 * The facts a page is delivered with, for clients that do not load it again after signing in: `csrf_token` (empty for
 * guests), `user`, and what `boot` adds.
 */
export function bootMethod(boot: (session: Session) => Promise<Record<string, unknown>>): WireMethod {
  return {
    name: 'easydash.api.session.boot',
    description: 'The CSRF token of the session and the public facts a page is delivered with.',
    returns: {
      type: 'object',
      properties: {
        csrf_token: { ...textShape, description: 'Empty for guests.' },
        user: { ...callerShape, description: 'Email of the caller, or Guest.' },
      },
      required: ['csrf_token', 'user'],
      additionalProperties: true,
    },
    access: 'guest',
    verbs: ['GET', 'POST'],
    rawParams: true,
    run: async (_params, { session, csrfToken }) => ({
      ...(await boot(session)),
      csrf_token: csrfToken ?? '',
      user: session.user,
    }),
  }
}
