import type { CodeMutant } from './mutant.ts'

const gate = 'server/documents/permissions/gate.ts'
const access = 'server/documents/permissions/access.ts'

/** Mutants of the decision code: fields. */
export const fieldMutants: readonly CodeMutant[] = [
  {
    what: 'fields of documents without their rule',
    changes: [{ module: access, in: 'visibleDoc', if: ['mayReadField'], is: 'true' }],
    first: /reads exactly/,
  },
  {
    what: 'hidden fields',
    changes: [{ module: gate, in: 'mayReadField', operand: ['hidden'], is: 'false' }],
    first: /reads exactly/,
  },
  {
    what: 'roles that read a field',
    changes: [{ module: gate, in: 'mayReadField', if: ['read_roles'], is: 'false' }],
    first: /reads exactly/,
  },
  {
    what: 'the fields of a role',
    changes: [{ module: gate, in: 'mayReadField', return: ['fields', 'all'], nth: 2, is: 'true' }],
    first: /reads exactly/,
  },
  {
    what: 'roles that write a field',
    changes: [{ module: gate, in: 'fieldWrite', variable: 'isNamed', is: 'field.write_roles ? true : undefined' }],
    first: /cannot write/,
  },
  {
    what: 'the rule of fields in writes',
    changes: [
      {
        module: access,
        in: 'writableValues',
        call: 'fieldWrite',
        answers: "Object.hasOwn(type.fields, name) ? 'taken' : 'ignored'",
      },
    ],
    first: /cannot write/,
  },
  {
    what: 'fields of the server',
    changes: [{ module: gate, in: 'fieldWrite', if: ['server_owned'], is: 'false' }],
    first: /cannot write|left out/,
  },
  {
    what: 'fields that are read only',
    changes: [{ module: gate, in: 'fieldWrite', operand: ['read_only'], is: 'true' }],
    first: /cannot write/,
  },
  {
    what: 'fields the person may not write',
    changes: [{ module: access, in: 'writableValues', if: ['write', 'refused'], is: 'false' }],
    first: /cannot write/,
  },
  {
    what: 'secrets in clear',
    changes: [{ module: 'server/documents/store/rows.ts', in: 'describedSelectList', if: ['secret'], is: 'false' }],
    first: /reads exactly .*(?:Server|Organization)/,
  },
  {
    what: 'queries over secrets',
    changes: [{ module: 'server/documents/query/columns.ts', in: 'isQueryable', operand: ['secret'], is: 'true' }],
    first: /cannot (?:filter|or_filter|order|group|aggregate)/,
  },
]
