import type { CodeMutant } from './mutant-types.ts'

const access = 'server/documents/permissions/access.ts'
const store = 'server/documents/documents.ts'
const creation = 'server/documents/store/creation.ts'
const bits = 'server/documents/permissions/permission-bits.ts'
const refusals = 'server/documents/permissions/access-errors.ts'
const actions = 'server/documents/store/actions.ts'
const described = 'server/documents/query/described-values.ts'

/** Mutants of entry points: the methods of the store and the running of actions. */
export const storeMutants: readonly CodeMutant[] = [
  // Entry points: each method of the store without its permission check.
  ...(['listRows', 'countRows', 'searchRows'] as const).map((verb): CodeMutant => ({
    what: `${verb} without the organization and row rules`,
    file: store,
    find: `return ${verb}(db, query, await listScope(db, session, type, typeByName))`,
    replace: `const scope = await listScope(db, session, type, typeByName); return ${verb}(db, query, { ...scope, rows: (await import('kysely')).sql\`true\` as never })`,
    first: verb === 'listRows' ? /get_list|reportview/ : verb === 'countRows' ? /count/ : /search/,
  })),
  {
    what: 'reading a document without its rule',
    file: store,
    find: "loadFor(db, session, type, name, 'read', typeByName)\n      return withPersonal(",
    replace:
      "{ doc: (await (await import('./store/rows.ts')).readDoc(db, type, name, typeByName)) ?? missingNow(), accessContext: { ...(await (await import('./permissions/gate.ts')).accessContextIn(db, session, session.organization)), roles: ['Owner', 'Organization Admin', 'User'] as never } }\n      function missingNow(): never { throw new AppError('not_found', say`nothing`) }\n      return withPersonal(",
    first: /through (?:resource|client\.get):/,
  },
  {
    what: 'marks on documents one cannot read',
    file: store,
    find: "const { doc, accessContext } = await loadFor(tx.connection, session, type, name, 'read', typeByName)\n          await writePersonal",
    replace:
      "const doc = (await (await import('./store/rows.ts')).readDoc(tx.connection, type, name, typeByName)) as AnyDoc\n          const accessContext = await (await import('./permissions/gate.ts')).accessContextIn(db, session, session.organization)\n          await writePersonal",
    first: /for himself/,
  },
  {
    what: 'marks by tokens that only read',
    file: store,
    find: "refuseGuest(session, type, 'write')",
    replace: '',
    first: /^tokenReading marks/,
  },
  {
    what: 'creating without the role rule',
    file: creation,
    find: 'if (grant === false) throw creationRefused(type, accessContext)',
    replace: '',
    first: /of wrong values/,
  },
  {
    what: 'creating without the row rule',
    file: creation,
    find: 'if (!(await holdsForNew(trx, grant, type, { ...wanted }, context))) throw creationRefused(type, accessContext)',
    replace: '',
    first: / C (?:Site|SSH|Member)/,
  },
  {
    what: 'creating without the rule for links',
    file: creation,
    find: 'await checkLinks(trx, there, type, tenant ? organization : null, wanted, typeByName)',
    replace: '',
    first: / C Site/,
  },
  {
    what: 'creating in an organization with the role one has in the chosen one',
    file: creation,
    find: 'const accessContext = await accessContextIn(trx, session, organization)',
    replace: 'const accessContext = await accessContextIn(trx, session, session.organization)',
    first: /(?:stranger|elsewhere) C /,
  },
  {
    what: 'changing without its rule',
    file: store,
    find: "loadFor(tx.connection, session, type, name, 'write', typeByName, { lock: true })",
    replace: "loadFor(tx.connection, session, type, name, 'read', typeByName, { lock: true })",
    first: / W |refused write/,
  },
  {
    what: 'changing without the rules of fields',
    file: store,
    find: 'const wanted = writableValues(type, accessContext, values, doc)',
    replace: 'const wanted = values',
    first: /cannot (?:write|move)/,
  },
  {
    what: 'deleting without its rule',
    file: store,
    find: "loadFor(tx.connection, session, type, name, 'delete', typeByName, { lock: true })",
    replace: "loadFor(tx.connection, session, type, name, 'read', typeByName, { lock: true })",
    first: / D /,
  },
  {
    what: 'creating without the rules of fields',
    file: creation,
    find: 'const wanted = writableValues(type, accessContext, values, null)',
    replace: 'const wanted = { ...values }',
    first: /smuggle/,
  },
  {
    what: 'acting on what one cannot read',
    file: actions,
    find: "loadFor(tx.connection, session, type, name, 'read', typeByName, { lock })",
    replace:
      "loadFor(tx.connection, { ...session, platformAdmin: true, verified: true }, type, name, 'read', typeByName, { lock })",
    first: / on foreign through /,
  },
  {
    what: 'acting without the rule of the action',
    file: actions,
    find: 'if (!(await holds(tx.connection, actionGrant(accessContext, type, declared), type, doc, context)))',
    replace: 'if (false)',
    first: /run_doc_method (?:docs|dt)|run_method/,
  },
  {
    what: 'acting without a fresh password',
    file: actions,
    find: 'if (action.reauth && !hasFreshPassword(session)) {',
    replace: 'if (false) {',
    first: /staleOwner Organization\.(?:transfer|make)/,
  },
  {
    what: 'permission bits without the gate',
    file: bits,
    find: 'return await loadFor(db, session, type, name, operation, typeByName)',
    replace:
      "const doc = await (await import('../store/rows.ts')).readDoc(db, type, name, typeByName)\n      return doc && { doc, accessContext: await accessContextIn(db, session, session.organization) }",
    first: /permission/,
  },
  {
    what: 'the share bit without its rule',
    file: bits,
    find: 'return holds(db, actionGrant(accessContext, type, action), type, doc, { accessContext, typeByName })',
    replace: 'return true',
    first: /he may share/,
  },
  {
    what: 'guests in the store',
    file: refusals,
    find: "if (session.kind === 'guest' || session.user === 'Guest') throw notPermitted(type, operation)",
    replace: '',
    first: /^guest R .*the store/,
  },
  {
    what: 'tokens without the scope, before anything is looked at',
    file: refusals,
    find: "if (session.kind !== 'token' || scopesAllow(session.token?.scopes ?? [], type.area, access)) return",
    replace: 'if (session) return',
    first: /^tokenSites [RW] .*foreign/,
  },
  {
    what: 'entries of the log with all values of the documents they are about',
    file: store,
    find: 'withReadableValues(present(doc, accessContext, type), accessContext, type, typeByName)',
    replace: 'present(doc, accessContext, type)',
    first: /^manager is told .* through (?:client\.get|the store)$/,
  },
  {
    what: 'values of an entry without a look at what they are values of',
    file: described,
    find: "return [name, readableValues(doc[name], typeof of === 'string' ? typeByName(of) : null, accessContext)]",
    replace: 'return [name, of && doc[name]]',
    first: /^manager is told .* through (?:client\.get|the store)$/,
  },
  {
    what: 'lists of the log with all values of the documents they are about',
    file: described,
    find: "return readableValues(value, typeof of === 'string' ? typeByName(of) : null, accessContext)",
    replace: 'return value',
    first: /^manager is told .*(?:list|export)/,
  },
  {
    what: 'values in the log without the rules of their fields',
    file: described,
    find: '!Object.hasOwn(type.fields, name) || mayReadField(person, type, name)',
    replace: 'true',
    first: /^manager is told /,
  },
  {
    what: 'contents of private files',
    file: 'server/features/files/files.ts',
    find: 'if (file.is_private === 1) await mayRead(session, file, missing)',
    replace: '',
    first: / R File\/\w+ through (?:private file|download_file):/,
  },
  ...(['list_invitations', 'list_members'] as const).map((action): CodeMutant => ({
    what: `${action} without the gate`,
    file:
      action === 'list_invitations'
        ? 'server/features/organizations/organization-actions.ts'
        : 'server/features/organizations/list-members.ts',
    find: 'const scope = await listScope(tx.trx, { ...session, organization }, ',
    replace:
      "const scope = await (async (...all: Parameters<typeof listScope>) => ({ ...(await listScope(...all)), rows: (await import('kysely')).sql`true` as never }))(tx.trx, { ...session, organization }, ",
    first: new RegExp(`in ${action} `),
  })),
  {
    what: 'explanations of what does not exist for who asks',
    file: 'server/documents/permissions/explain.ts',
    find: 'if (name !== null && (!doc || !own)) return missing(type, name)',
    replace: 'if (name !== null && !doc) return missing(type, name)',
    first: /explained for a colleague/,
  },
  {
    what: 'titles in explanations',
    file: 'server/documents/permissions/explain.ts',
    find: "return holds(db, grantFor(accessContext, type, 'read'), type, doc, { accessContext, typeByName })",
    replace: 'return Promise.resolve(true)',
    first: /explained/,
  },
  {
    what: 'documents without a look at guests and scopes',
    file: access,
    find: 'refuseGuest(session, type, operation)',
    replace: '',
    first: /^guest R .*the store/,
  },
  {
    what: 'lists without a look at guests and scopes',
    file: 'server/documents/query/lists.ts',
    find: "refuseGuest(session, type, 'read')",
    replace: '',
    first: /^guest R .*the store: list/,
  },
  {
    what: 'creating without a look at guests and scopes',
    file: creation,
    find: "refuseGuest(session, type, 'create')",
    replace: '',
    first: /^token.* C .*of wrong values/,
  },
]
