import * as z from 'zod/mini'
import { caller, described } from '#shared/schema.ts'
import type { Method } from '#server/contracts/method.ts'
import type { Session } from '#server/contracts/session.ts'
import type { WireMethod } from './method-registry.ts'

/** `ping`, which needs no permission. */
export const pingMethod: Method = {
  name: 'ping',
  description: 'Answers "pong".',
  returns: z.literal('pong'),
  access: 'guest',
  tokens: 'any',
  verbs: ['GET', 'POST'],
  run: () => Promise.resolve('pong'),
}

/**
 * The bootstrap data a page is delivered with, for clients that do not reload after signing in: `csrf_token` (empty for
 * guests), `user`, and what `boot` adds.
 */
export function bootMethod(boot: (session: Session) => Promise<Record<string, unknown>>): WireMethod {
  return {
    name: 'easydash.api.session.boot',
    description: 'The CSRF token of the session and the public facts a page is delivered with.',
    returns: z.looseObject({
      csrf_token: described(z.string(), 'Empty for guests.'),
      user: described(caller, 'Email of the caller, or Guest.'),
    }),
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
