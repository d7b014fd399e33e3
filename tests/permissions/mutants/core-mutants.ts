import type { Change, CodeMutant } from './mutant.ts'

const access = 'server/documents/permissions/access.ts'
const bits = 'server/documents/permissions/permission-bits.ts'
const explanations = 'server/documents/permissions/explain.ts'
const gate = 'server/documents/permissions/gate.ts'
const readers = 'server/documents/permissions/readers.ts'
const accessErrors = 'server/documents/permissions/access-errors.ts'
const rows = 'server/documents/permissions/rule-sql.ts'
const scopes = 'shared/rules/token-scopes.ts'
const sessions = 'server/contracts/session.ts'

const one = (what: string, change: Change, first: RegExp): CodeMutant => ({ what, changes: [change], first })

/** Mutants of the small functions that all decisions are made of. */
export const coreMutants: readonly CodeMutant[] = [
  one(
    'the organization that roles are read for',
    { module: gate, in: 'accessContextIn', call: 'accessContextsIn', argument: 3, is: 'session.organization' },
    /(?:stranger|elsewhere) C /,
  ),
  one(
    'the member row that roles come from',
    {
      module: gate,
      in: 'accessContextsIn',
      call: 'rolesOf',
      argument: 2,
      is: "{ owner: session.user, role: 'Organization Admin' }",
    },
    /^(?:member|former|stranger) R/,
  ),
  one(
    'the lower of two roles',
    { module: gate, in: 'lowerRole', call: 'max', answers: 'Math.min(...ranks)' },
    /^tokenReading /,
  ),
  one('membership', { module: gate, in: 'isMember', answers: 'true' }, /^(?:former|stranger|elsewhere) R/),
  one('grants', { module: gate, in: 'grantFor', answers: 'true' }, /^(?:member|colleague) [RW] /),
  one('the union of grants', { module: gate, in: 'combineGrants', answers: 'true' }, /^(?:member|colleague) [RW] /),
  // Every field without writers is readable by those who write its document today, so only the other direction shows.
  one(
    'the right to write what one reads',
    { module: gate, in: 'writesUnnamed', answers: 'false' },
    / W Site\/own .*allowed/,
  ),
  one(
    'the organization of a document',
    { module: gate, in: 'organizationOf', answers: 'session.organization' },
    /^elsewhere R|foreign/,
  ),
  one(
    'row rules of stored documents',
    { module: access, in: 'grantApplies', answers: 'true' },
    /^(?:member|colleague) R Site/,
  ),
  one(
    'row rules of new documents',
    { module: access, in: 'grantAppliesToNew', answers: 'true' },
    / C (?:Site|SSH|Member)/,
  ),
  one(
    'the own account of a new row that names none',
    { module: access, in: 'ownParent', answers: 'null' },
    / C SSH Key \(without an account/,
  ),
  one(
    'the organization of attachments',
    { module: access, in: 'accessContextToDoc', call: 'tenantSql', answers: 'sql`true`' },
    /File\//,
  ),
  one(
    'the one answer for what is elsewhere and what does not exist',
    { module: accessErrors, in: 'notFoundError', answers: "notPermitted(type, 'read')" },
    / R .*missing$/,
  ),
  one(
    'the answer for what is refused',
    { module: accessErrors, in: 'notPermitted', answers: "notFoundError(type, '')" },
    /refused$/,
  ),
  one(
    'the log of an organization, closed to others',
    { module: accessErrors, in: 'creationDenied', operand: ['isMember'], is: 'false' },
    /writes nothing to the log/,
  ),
  one(
    'explanations about other people',
    { module: explanations, in: 'subjectOf', if: ['isOwnerOrAdmin'], is: 'false' },
    /explained for a colleague/,
  ),
  one(
    'explanations without the row rule',
    { module: explanations, in: 'reasonFromRoles', variable: 'met', is: 'true' },
    /explain_permission/,
  ),
  one(
    'links to what one cannot read',
    { module: 'server/documents/permissions/links.ts', in: 'checkLinks', if: ['isLinkable'], is: 'false' },
    / C Site/,
  ),
  one('permission bits', { module: bits, in: 'createPermissionBits.allowed', answers: 'true' }, /permission/),
  one('each permission bit', { module: bits, in: 'createPermissionBits.of.bit', answers: '1' }, /permission/),
  one('compiled grants', { module: rows, in: 'grantSql', answers: 'sqlTrue' }, /^(?:member|colleague) R Site/),
  one('kinds of documents in the log', { module: rows, in: 'activityOf', answers: 'types' }, / R Activity/),
  one(
    'organizations of linked documents',
    { module: rows, in: 'sameTenant', answers: 'sqlTrue' },
    /foreign server|Server/,
  ),
  {
    what: 'the one document a change is about',
    changes: [{ module: rows, in: 'readableNames.isOne', answers: 'sqlTrue' }],
    sockets: true,
  },
  {
    what: 'row rules of readers',
    changes: [{ module: readers, in: 'filterReaders', if: ['may', 'one'], is: 'one' }],
    sockets: true,
  },
  {
    what: 'whose row a change is about',
    changes: [{ module: readers, in: 'accessContextsToPersonal', variable: 'candidates', is: 'sessions' }],
    sockets: true,
  },
  {
    what: 'the user whose row a change is about',
    changes: [{ module: readers, in: 'personalRow', answers: 'undefined' }],
    sockets: true,
  },
  {
    what: 'the organization of a document with viewers',
    changes: [{ module: readers, in: 'storedOrganization', answers: 'null' }],
    sockets: true,
  },
  {
    what: 'lists of own rows',
    changes: [{ module: gate, in: 'withOwnRows', answers: 'accessContext' }],
    sockets: true,
  },
  one(
    'own rows in lists of those without a role',
    { module: gate, in: 'listAccessContext', answers: 'accessContext' },
    / R (?:SSH Key|User Meta)\//,
  ),
  one('all scopes', { module: scopes, in: 'scopesAllow', answers: 'true' }, /^token/),
  one(
    'the difference between scopes to read and to write',
    { module: scopes, in: 'splitScope', answers: "[scope.split(':')[0], 'read']" },
    /^tokenReading/,
  ),
  one('required scopes', { module: sessions, in: 'requireScope', answers: 'undefined' }, /^token.* (?:call|upload)/),
  one('verified addresses', { module: sessions, in: 'requireVerified', answers: 'undefined' }, /^unverified /),
  one('fresh passwords', { module: sessions, in: 'hasFreshPassword', answers: 'true' }, /^staleOwner /),
  one(
    'the question for a password',
    { module: sessions, in: 'assertFreshPassword', answers: 'undefined' },
    /^staleOwner /,
  ),
]
