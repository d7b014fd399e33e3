import type { Change, CodeMutant } from './mutant.ts'

const calls = 'server/wire/hooks/call-by-parameters.ts'
const callers = 'server/wire/hooks/identify-caller.ts'
const credentials = 'server/wire/request/authenticate.ts'

const one = (what: string, change: Change, first: RegExp): CodeMutant => ({ what, changes: [change], first })

/** Mutants of the hooks that every request goes through. */
export const requestMutants: readonly CodeMutant[] = [
  one(
    'tokens as callers',
    { module: credentials, in: 'authenticate', if: ['authorization'], nth: 1, is: 'false' },
    /^token/,
  ),
  one(
    'the caller of a request',
    { module: callers, in: 'identifyCallers.onRequest', call: 'authenticate', argument: 1, is: '{}' },
    /^owner R/,
  ),
  one('requests that are not public', { module: callers, in: 'isPublicRead', answers: 'true' }, /^owner R/),
  one('verbs that change data', { module: credentials, in: 'isUnsafe', answers: 'false' }, /forged/),
  one('the origin of a request', { module: credentials, in: 'checkOrigin', answers: 'undefined' }, /forged/),
  one('CSRF tokens', { module: credentials, in: 'checkForgery', if: ['sameSecret'], is: 'false' }, /forged/),
  one(
    'a look at forgery in uploads',
    { module: calls, in: 'dispatchCalls.preHandler', call: 'checkForgery', nth: 1, answers: 'undefined' },
    /forged/,
  ),
  one(
    'a look at forgery in calls',
    { module: calls, in: 'dispatchCalls.preHandler', call: 'checkForgery', nth: 2, answers: 'undefined' },
    /forged/,
  ),
  one('calls by parameter', { module: calls, in: 'commandOf', answers: 'null' }, /cmd/),
]
