import type { CodeMutant } from './mutant.ts'

const access = 'server/documents/permissions/access.ts'
const read = 'server/documents/operations/read.ts'
const insert = 'server/documents/operations/insert.ts'
const save = 'server/documents/operations/save.ts'
const bits = 'server/documents/permissions/permission-bits.ts'
const accessErrors = 'server/documents/permissions/access-errors.ts'
const actions = 'server/documents/operations/run-action.ts'
const described = 'server/documents/query/described-values.ts'
const explanations = 'server/documents/permissions/explain.ts'

/** The scope of a list with all rows of all organizations. */
const everyRow = "$it.then(async (scope) => ({ ...scope, rows: (await import('kysely')).sql`true` }))"

/** Mutants of entry points: the methods of the store and the running of actions. */
export const storeMutants: readonly CodeMutant[] = [
  // Entry points: each method of the store without its permission check.
  ...(
    [
      ['list', 'listDocuments', /get_list|reportview/],
      ['count', 'countDocuments', /count/],
      ['search', 'searchDocuments', /search/],
    ] as const
  ).map(([verb, operation, first]): CodeMutant => ({
    what: `the organization and row rules of ${verb}`,
    changes: [{ module: read, in: operation, call: 'listScope', answers: everyRow }],
    first,
  })),
  {
    what: 'reading a document without its rule',
    changes: [
      {
        module: read,
        in: 'getDocument',
        call: 'loadFor',
        answers: `(async () => ({
          doc:
            (await (await import('../store/rows.ts')).readDoc(db, type, name, typeByName)) ??
            (await import('../permissions/access-errors.ts').then(({ notFoundError }) => { throw notFoundError(type, name) })),
          accessContext: {
            ...(await (await import('../permissions/gate.ts')).accessContextIn(db, session, session.organization)),
            roles: ['Owner', 'Organization Admin', 'User'],
          },
        }))()`,
      },
    ],
    first: /through (?:resource|client\.get):/,
  },
  {
    what: 'marks on documents one cannot read',
    changes: [
      {
        module: save,
        in: 'savePersonalValues',
        call: 'loadFor',
        answers: `(async () => ({
          doc: await (await import('../store/rows.ts')).readDoc(connection, type, name, context.typeByName),
          accessContext: await (await import('../permissions/gate.ts')).accessContextIn(
            connection,
            session,
            session.organization,
          ),
        }))()`,
      },
    ],
    first: /as a personal field/,
  },
  {
    what: 'marks by tokens that only read',
    changes: [{ module: save, in: 'savePersonalValues', call: 'rejectGuest', answers: 'undefined' }],
    first: /^tokenReading marks/,
  },
  {
    what: 'creating without the role rule',
    changes: [{ module: insert, in: 'admitInsert', if: ['grant', 'false'], is: 'false' }],
    first: /of wrong values/,
  },
  {
    what: 'creating without the row rule',
    changes: [{ module: insert, in: 'admitInsert', if: ['grantAppliesToNew'], is: 'false' }],
    first: / C (?:Site|SSH|Member)/,
  },
  {
    what: 'creating without the rule for links',
    changes: [{ module: insert, in: 'admitInsert', call: 'checkLinks', answers: 'undefined' }],
    first: / C Site/,
  },
  {
    what: 'creating in an organization with the role one has in the chosen one',
    changes: [{ module: insert, in: 'admitInsert', call: 'accessContextIn', argument: 3, is: 'session.organization' }],
    first: /(?:stranger|elsewhere) C /,
  },
  {
    what: 'changing without its rule',
    changes: [{ module: save, in: 'saveValues', call: 'loadFor', argument: 4, is: "'read'" }],
    first: / W |refused write/,
  },
  {
    what: 'changing without the rules of fields',
    changes: [{ module: save, in: 'saveValues', call: 'writableValues', answers: 'values' }],
    first: /cannot (?:write|move)/,
  },
  {
    what: 'deleting without its rule',
    changes: [
      {
        module: 'server/documents/operations/delete.ts',
        in: 'deleteDocument',
        call: 'loadFor',
        argument: 4,
        is: "'read'",
      },
    ],
    first: / D /,
  },
  {
    what: 'creating without the rules of fields',
    changes: [{ module: insert, in: 'admitInsert', call: 'writableValues', answers: '{ ...values }' }],
    first: /smuggle/,
  },
  {
    what: 'acting on what one cannot read',
    changes: [
      {
        module: actions,
        in: 'admitted',
        call: 'loadFor',
        argument: 1,
        is: '{ ...$it, session: { ...tx.session, platformAdmin: true, verified: true } }',
      },
    ],
    first: / on foreign through /,
  },
  {
    what: 'acting without the rule of the action',
    changes: [{ module: access, in: 'assertMayRun', if: ['grantApplies'], is: 'false' }],
    first: /run_doc_method (?:docs|dt)|run_method/,
  },
  {
    what: 'acting without a fresh password',
    changes: [{ module: actions, in: 'performAction', if: ['reauth'], is: 'false' }],
    first: /staleOwner (?:Organization|Server)\./,
  },
  {
    what: 'permission bits without the gate',
    changes: [
      {
        module: bits,
        in: 'createPermissionBits.loaded',
        call: 'loadFor',
        answers: `(async () => {
          const doc = await (await import('../store/rows.ts')).readDoc(db, type, name, typeByName)
          return doc && { doc, accessContext: await accessContextIn(db, session, session.organization) }
        })()`,
      },
    ],
    first: /permission/,
  },
  {
    what: 'the share bit without its rule',
    changes: [{ module: bits, in: 'createPermissionBits.mayShare', call: 'grantApplies', answers: 'true' }],
    first: /he may share/,
  },
  {
    what: 'guests in the store',
    changes: [{ module: accessErrors, in: 'rejectGuest', if: ['guest'], is: 'false' }],
    first: /^guest R .*the store/,
  },
  {
    what: 'tokens without the scope, before anything is looked at',
    changes: [{ module: accessErrors, in: 'rejectGuest', if: ['scopesAllow'], is: 'true' }],
    first: /^tokenSites [RW] .*foreign/,
  },
  {
    what: 'entries of the log with all values of the documents they are about',
    changes: [{ module: read, in: 'getDocument', call: 'withReadableValues', answers: '$1' }],
    first: /^manager reads only visible values .* through (?:client\.get|the store)$/,
  },
  {
    what: 'values of an entry without a look at what they are values of',
    changes: [{ module: described, in: 'withReadableValues', call: 'readableValues', answers: 'of && $1' }],
    first: /^manager reads only visible values .* through (?:client\.get|the store)$/,
  },
  {
    what: 'lists of the log with all values of the documents they are about',
    changes: [{ module: described, in: 'describedInRows.valueOf', call: 'readableValues', answers: '$1' }],
    first: /^manager reads only visible values .*(?:list|export)/,
  },
  {
    what: 'values in the log without the rules of their fields',
    changes: [{ module: described, in: 'readableValues.isReadable', answers: 'true' }],
    first: /^manager reads only visible values /,
  },
  {
    what: 'contents of private files',
    changes: [
      { module: 'server/features/files/files.ts', in: 'createFiles.readable', call: 'mayRead', answers: 'undefined' },
    ],
    first: / R File\/\w+ through (?:private file|download_file):/,
  },
  {
    what: 'list_invitations without the gate',
    changes: [
      {
        module: 'server/features/organizations/organization-actions.ts',
        in: 'listInvitations',
        call: 'listScope',
        answers: everyRow,
      },
    ],
    first: /in list_invitations /,
  },
  {
    what: 'list_members without the gate',
    changes: [
      {
        module: 'server/features/organizations/list-members.ts',
        in: 'readableMembers',
        call: 'listScope',
        answers: everyRow,
      },
    ],
    first: /in list_members /,
  },
  {
    what: 'explanations of what does not exist for who asks',
    changes: [{ module: explanations, in: 'reasonOf', if: ['own', 'name'], is: 'name !== null && !doc' }],
    first: /explained for a colleague/,
  },
  {
    what: 'titles in explanations',
    changes: [{ module: explanations, in: 'maySee', answers: 'Promise.resolve(true)' }],
    first: /explained/,
  },
  {
    what: 'documents without a look at guests and scopes',
    changes: [{ module: access, in: 'loadFor', call: 'rejectGuest', answers: 'undefined' }],
    first: /^guest R .*the store/,
  },
  {
    what: 'lists without a look at guests and scopes',
    changes: [
      { module: 'server/documents/query/lists.ts', in: 'listScope', call: 'rejectGuest', answers: 'undefined' },
    ],
    first: /^guest R .*the store: list/,
  },
  {
    what: 'creating without a look at guests and scopes',
    changes: [{ module: insert, in: 'admitInsert', call: 'rejectGuest', answers: 'undefined' }],
    first: /^token.* C .*of wrong values/,
  },
]
