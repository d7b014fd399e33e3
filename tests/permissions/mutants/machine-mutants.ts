import type { CodeMutant } from './mutant.ts'

const gate = 'server/documents/permissions/gate.ts'
const accessErrors = 'server/documents/permissions/access-errors.ts'
const registry = 'server/wire/methods/method-registry.ts'
const sessions = 'server/contracts/session.ts'
const tokens = 'server/features/accounts/sessions/machine-tokens.ts'

/** Mutants of callers that are machines: servers and webhooks with tokens of their own. */
export const machineMutants: readonly CodeMutant[] = [
  {
    what: 'the difference between machines and people',
    changes: [{ module: sessions, in: 'isMachine', answers: 'false' }],
    first: /^machine/,
  },
  {
    what: 'the rule that machines have no roles',
    changes: [{ module: gate, in: 'rolesOf', if: ['isMachine'], is: 'false' }],
    first: /^machine .* has no role/,
  },
  {
    what: 'machines in the store',
    changes: [{ module: accessErrors, in: 'rejectGuest', if: ['isMachine'], is: 'false' }],
    first: /^machine .*the store/,
  },
  {
    what: 'methods for machines of one kind only',
    changes: [{ module: registry, in: 'checkAccess', if: ['isMachine'], is: 'false' }],
    first: /^machine .* call /,
  },
  {
    what: 'the kinds of machines that a method names',
    changes: [{ module: registry, in: 'checkAccess', if: ['machines'], is: 'false' }],
    first: /^machine .* call /,
  },
  {
    what: 'the kind of machine that a method names',
    changes: [{ module: registry, in: 'checkAccess', call: 'some', answers: 'true' }],
    first: /^machine .* call /,
  },
  {
    what: 'the server that a token is for',
    changes: [{ module: tokens, in: 'resolve', slot: ['name'], nth: 1, is: "sql.ref('t.subject')" }],
    first: /^the token of /,
  },
  {
    what: 'the kind that a token is for',
    changes: [{ module: tokens, in: 'resolve', slot: ['kind'], nth: 1, is: "sql.ref('t.kind')" }],
    first: /^the token of /,
  },
  {
    what: 'the value of a token',
    changes: [{ module: tokens, in: 'resolve', slot: ['hashToken'], is: "sql.ref('t.hash')" }],
    first: /^the token of /,
  },
  {
    what: 'the end of tokens that are revoked',
    changes: [{ module: tokens, in: 'revoke', slot: ['name'], is: 'null' }],
    first: /^the token of /,
  },
  {
    what: 'tokens that carry no rights of people',
    changes: [
      {
        module: tokens,
        in: 'resolve',
        return: ['platformAdmin'],
        is: '{ ...$it, platformAdmin: true, verified: true }',
      },
    ],
    first: /^the token of /,
  },
]
