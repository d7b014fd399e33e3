/**
 * The gate with one stone taken out: each entry removes one call, one predicate or one rule of the code. The permission
 * suite must notice every single one. `find` stands exactly once in the file; when code changes, its mutant changes along.
 */
export interface CodeMutant {
  readonly what: string
  readonly file: string
  readonly find: string
  readonly replace: string
  /** A second stone that carries the same: one alone makes no difference. */
  readonly also?: { readonly file: string; readonly find: string; readonly replace: string }
  /** Cases that are tried first; the others follow. */
  readonly first?: RegExp
  /** Only sockets can notice. */
  readonly sockets?: true
}

const gate = 'server/documents/gate.ts'
const access = 'server/documents/access.ts'
const lists = 'server/documents/lists.ts'
const store = 'server/documents/store.ts'
const actions = 'server/documents/actions.ts'
const registry = 'server/wire/registry.ts'
const subscriptions = 'server/wire/sockets/subscriptions.ts'

/** Every mutant of the code. */
export const codeMutants: readonly CodeMutant[] = [
  // Entry points: each verb of the store without its call of the gate.
  ...(['listRows', 'countRows', 'searchRows'] as const).map((verb): CodeMutant => ({
    what: `${verb} without the organization and row rules`,
    file: store,
    find: `return ${verb}(db, query, await listScope(db, session, type, typeByName))`,
    replace: `const scope = await listScope(db, session, type, typeByName); return ${verb}(db, query, { ...scope, rows: sql\`true\` as never })`,
    first: verb === 'listRows' ? /get_list|reportview/ : verb === 'countRows' ? /count/ : /search/,
  })),
  {
    what: 'reading a document without its rule',
    file: store,
    find: "loadFor(db, session, type, name, 'read', typeByName)\n      return present(",
    replace:
      "{ doc: (await readDoc(db, type, name, typeByName)) ?? missingNow(), standing: { ...(await standingIn(db, session, session.organization)), roles: ['Owner', 'Organization Admin', 'User'] as never } }\n      function missingNow(): never { throw new AppError('not_found', 'nothing') }\n      return present(",
    first: /through (?:resource|client\.get):/,
  },
  {
    what: 'creating without the role rule',
    file: store,
    find: 'if (grant === false) throw creationRefused(type, standing)',
    replace: '',
    first: / C /,
  },
  {
    what: 'creating without the row rule',
    file: store,
    find: 'if (!(await holdsForNew(tx.trx, grant, type, { ...wanted }, context))) throw creationRefused(type, standing)',
    replace: '',
    first: / C (?:Site|SSH|Member)/,
  },
  {
    what: 'creating without the rule for links',
    file: store,
    find: 'await checkLinks(tx.trx, there, type, tenant ? organization : null, wanted, typeByName)',
    replace: '',
    first: / C Site/,
  },
  {
    what: 'creating in an organization with the role one has in the chosen one',
    file: store,
    find: 'const standing = await standingIn(tx.trx, session, organization, { hold: true })',
    replace: 'const standing = await standingIn(tx.trx, session, session.organization, { hold: true })',
    first: /(?:stranger|elsewhere) C /,
  },
  {
    what: 'changing without its rule',
    file: store,
    find: "loadFor(tx.trx, session, type, name, 'write', typeByName, { lock: true })",
    replace: "loadFor(tx.trx, session, type, name, 'read', typeByName, { lock: true })",
    first: / W |refused write/,
  },
  {
    what: 'changing without the rules of fields',
    file: store,
    find: 'const wanted = writableValues(type, standing, values, doc)',
    replace: 'const wanted = values',
    first: /cannot (?:write|move)/,
  },
  {
    what: 'deleting without its rule',
    file: store,
    find: "loadFor(tx.trx, session, type, name, 'delete', typeByName, { lock: true })",
    replace: "loadFor(tx.trx, session, type, name, 'read', typeByName, { lock: true })",
    first: / D /,
  },
  {
    what: 'creating without the rules of fields',
    file: store,
    find: 'const wanted = writableValues(type, standing, values, null)',
    replace: 'const wanted = { ...values }',
    first: /smuggle/,
  },
  {
    // Asked twice on the way: by whoever calls it by name, and by the store.
    what: 'acting on what one cannot read',
    file: actions,
    find: "loadFor(tx.trx, session, type, name, 'read', typeByName, { lock })",
    replace:
      "loadFor(tx.trx, { ...session, platformAdmin: true, verified: true }, type, name, 'read', typeByName, { lock })",
    also: {
      file: 'server/wire/methods/run-doc-method.ts',
      find: 'const before = await documents.get(session, doctype, name)',
      replace:
        "const before = await documents.get({ ...session, kind: 'cookie', platformAdmin: true, verified: true }, doctype, name)",
    },
    first: / on foreign through /,
  },
  {
    what: 'acting without the rule of the action',
    file: actions,
    find: 'if (!(await holds(tx.trx, actionGrant(standing, type, action), type, doc, context)))',
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
    file: store,
    find: 'if (name === null) return grantFor(await standingIn(db, session, session.organization), type, operation) !== false\n    try {\n      await loadFor(db, session, type, name, operation, typeByName)',
    replace: 'try {',
    first: /permission/,
  },
  {
    what: 'guests and tokens without scopes in lists and documents',
    file: access,
    find: "if (session.kind === 'guest' || session.user === 'Guest') throw notPermitted(type, operation)",
    replace: '',
    first: /^guest R|create/,
  },
  // What decides: roles, rows, organizations.
  {
    what: 'a document without its grant',
    file: access,
    find: 'if (!(await holds(db, grantFor(standing, type, operation), type, doc, context)))',
    replace: 'if (false)',
    first: /through (?:resource|client)/,
  },
  {
    what: 'documents of organizations one is not in',
    file: access,
    find: 'if (!standing) throw missing(type, name)',
    replace: 'if (!standing) return { doc, standing: await standingIn(db, { ...session, platformAdmin: true }, null) }',
    first: /foreign through (?:resource|client)/,
  },
  {
    what: 'documents of the other organization of the same person',
    file: access,
    find: 'const here = isMember(standing) && organization === session.organization',
    replace: 'const here = isMember(standing)',
    first: /^elsewhere R/,
  },
  {
    what: 'documents of an organization without a member row',
    file: access,
    find: 'const here = isMember(standing) && organization === session.organization',
    replace: 'const here = organization === session.organization || isMember(standing)',
    first: /^elsewhere R|^former R/,
  },
  {
    what: 'organizations one is not a member of',
    file: access,
    find: "if (type.tenant.kind === 'organization') return isMember(standing) || platform ? standing : null",
    replace:
      "if (type.tenant.kind === 'organization') return { ...standing, roles: [...standing.roles, 'Organization User'] }",
    first: /R Organization\/(?:globex|acme) through (?:resource|client\.get)/,
  },
  {
    what: 'rows of the platform for everybody',
    file: access,
    find: "if (type.tenant.kind === 'platform') return grantFor(standing, type, 'read') === false ? null : standing",
    replace: "if (type.tenant.kind === 'platform') return { ...standing, roles: ['Platform Admin'] }",
    first: /Plan\//,
  },
  {
    what: 'accounts of people who are not colleagues',
    file: access,
    find: 'return found.rows.length > 0 ? standing : null\n}\n\n/** Whether a grant',
    replace: 'return standing\n}\n\n/** Whether a grant',
    first: /R User\/(?:invited|stranger) through (?:resource|client\.get)/,
  },
  {
    what: 'accounts seen by people without a role over colleagues',
    file: access,
    find: 'if (!isMember(standing) || !standing.roles.some((role) => type.permissions[role]?.read)) return null',
    replace: '',
    first: /(?:User Meta|SSH Key)\//,
  },
  {
    what: 'one row of the own account opens all',
    file: access,
    find: "if (user === session.user) return { ...standing, roles: [...standing.roles, 'Self'] }",
    replace: "return { ...standing, roles: [...standing.roles, 'Self'] }",
    first: /(?:User|User Meta|SSH Key)\//,
  },
  {
    what: 'files without the organization of what they hang on',
    file: access,
    find: 'if (found.rows.length === 0) return null\n    return doc.owner',
    replace: 'return doc.owner',
    first: /File\//,
  },
  {
    what: 'members of disabled organizations and people who are no members',
    file: gate,
    find: 'left join ${tableRef(\'Organization Member\')} m on m.parent = o.name and m."user" = ${session.user}',
    replace: "left join ${tableRef('Organization Member')} m on m.parent = o.name",
    first: /^(?:former|stranger|member) /,
  },
  {
    what: 'roles of the unverified',
    file: gate,
    find: 'if (session.verified) {\n    if (!session.token)',
    replace: 'if (true) {\n    if (!session.token)',
    first: /^unverified /,
  },
  {
    what: 'the platform admin for everybody',
    file: gate,
    find: "if (session.platformAdmin && !session.token) roles.push('Platform Admin')",
    replace: "if (!session.token) roles.push('Platform Admin')",
  },
  {
    what: 'ownership of everybody who is a member',
    file: gate,
    find: "if (row?.role && row.owner === session.user) roles.push('Owner')",
    replace: "if (row?.role) roles.push('Owner')",
    first: /^(?:admin|manager|member) /,
  },
  {
    what: 'lists of all organizations: rows with a link to one',
    file: gate,
    find: 'return isMember(standing) ? sql`${sql.ref(`${alias}.${type.tenant}`)} = ${organization}` : never',
    replace: 'return always',
    first: /foreign through .*(?:list|count|search)/,
  },
  {
    what: 'lists of all organizations: the organizations themselves',
    file: gate,
    find: 'return isMember(standing) ? sql`${sql.ref(`${alias}.name`)} = ${organization}` : never',
    replace: 'return always',
    first: /Organization\/globex through .*(?:list|count|search)/,
  },
  {
    what: 'lists of all accounts for members',
    file: gate,
    find: 'where m.parent = ${organization} and m."user" = ${sql.ref(`${alias}.${type.tenant.field}`)}))`',
    replace: 'where m."user" = ${sql.ref(`${alias}.${type.tenant.field}`)}) or true)`',
    first: /User\/(?:stranger|invited) through .*(?:list|count|search)/,
  },
  {
    what: 'lists of rows of a person for who has no role over colleagues',
    file: gate,
    find: 'if (!colleagues) return own',
    replace: 'if (!colleagues) return always',
    first: /(?:User|User Meta|SSH Key)\/.*through .*(?:list|count|search)/,
  },
  {
    what: 'the list rule of rows',
    file: lists,
    find: "const rows = allOf([tenantSql(type, 't', standing), grantSql(grant, type, 't', ruleContext)])",
    replace: "const rows = allOf([tenantSql(type, 't', standing)])",
    first: /^(?:member|colleague) R .*through .*(?:list|count|search)/,
  },
  {
    what: 'the list rule of organizations',
    file: lists,
    find: "const rows = allOf([tenantSql(type, 't', standing), grantSql(grant, type, 't', ruleContext)])",
    replace: "const rows = allOf([grantSql(grant, type, 't', ruleContext)])",
    first: /foreign through .*(?:list|count|search)/,
  },
  {
    what: 'the list rule of roles',
    file: lists,
    find: "if (grant === false) throw notPermitted(type, 'read')",
    replace: '',
    first: /^(?:former|invited|colleague) R/,
  },
  {
    what: 'fields of lists without their rule',
    file: lists,
    find: 'const readable: Readable = (of, field) => mayReadField(of === type ? standing : found, of, field)',
    replace: 'const readable: Readable = () => true',
    first: /cannot|is not given/,
  },
  {
    what: 'linked documents without their organization and row rule',
    file: lists,
    find: "const readable = allOf([\n    tenantSql(type, 'l', standing),\n    grantSql(grantFor(standing, type, 'read'), type, 'l', scope.ruleContext),\n  ])",
    replace: 'const readable = sql`true`',
    first: /linked/,
  },
  {
    what: 'the organization of linked documents',
    file: lists,
    find: "    tenantSql(type, 'l', standing),\n",
    replace: '',
    first: /linked/,
  },
  {
    what: 'the row rule of linked documents',
    file: lists,
    find: "    grantSql(grantFor(standing, type, 'read'), type, 'l', scope.ruleContext),\n",
    replace: '',
    first: /linked/,
  },
  {
    what: 'fields of documents without their rule',
    file: access,
    find: 'if (!mayReadField(standing, type, name)) continue',
    replace: '',
    first: /reads exactly/,
  },
  {
    what: 'hidden fields',
    file: gate,
    find: 'if (!field || field.hidden) return false\n  const allowed',
    replace: 'if (!field) return false\n  const allowed',
    first: /reads exactly/,
  },
  {
    what: 'roles that read a field',
    file: gate,
    find: 'if (field.read_roles && !field.read_roles.some((role) => allowed.includes(role))) return false',
    replace: '',
    first: /reads exactly/,
  },
  {
    what: 'the fields of a role',
    file: gate,
    find: "return fields === 'all' || fields.includes(name)",
    replace: 'return true',
    first: /reads exactly/,
  },
  {
    what: 'roles that write a field',
    file: gate,
    find: 'if (field.write_roles) return field.write_roles.some((role) => roles.includes(role))',
    replace: '',
    first: /cannot write/,
  },
  {
    what: 'fields of the server, as far as the gate keeps them',
    file: access,
    find: 'if (field.server_owned || field.hidden) continue',
    replace: 'if (field.server_owned || field.hidden) { wanted[name] = raw; continue }',
    first: /cannot write/,
  },
  {
    what: 'fields the person may not write',
    file: access,
    find: 'if (!mayWriteField(standing, type, name, before === null)) {',
    replace: 'if (false) {',
    first: /cannot write/,
  },
  {
    what: 'secrets in clear',
    file: 'server/documents/rows.ts',
    find: 'type.fields[name]?.secret\n        ? sql`case',
    replace: 'false\n        ? sql`case',
    first: /reads exactly .*(?:Server|Organization)/,
  },
  {
    what: 'queries over secrets',
    file: 'server/documents/columns.ts',
    find: "return !field.hidden && !field.secret && field.fieldtype !== 'Table'",
    replace: "return !field.hidden && field.fieldtype !== 'Table'",
    first: /cannot (?:filter|or_filter|order|group|aggregate)/,
  },
  {
    what: 'links to documents of other organizations',
    file: access,
    find: "const { doc } = await loadFor(trx, session, target, name, 'read', typeByName)",
    replace: 'const doc = await readDoc(trx, target, name, typeByName)\n    if (!doc) return false',
    first: / C Site/,
  },
  {
    what: 'shares of others',
    file: gate,
    find: 's."user" = ${user} and s.${sql.id(rule.shared)} = 1',
    replace: 's.${sql.id(rule.shared)} = 1',
    first: /^colleague R Site/,
  },
  {
    what: 'the bits of shares',
    file: gate,
    find: 's."user" = ${user} and s.${sql.id(rule.shared)} = 1',
    replace: 's."user" = ${user}',
    first: /^member . Site/,
  },
  {
    what: 'the doctype of shares',
    file: gate,
    find: 'where s.share_doctype = ${type.name} and s."user"',
    replace: 'where s."user"',
    first: /Site\/namesake/,
  },
  {
    what: 'links of rules across organizations',
    file: gate,
    find: 'return sql`${sql.ref(`${aliasA}.${fieldA}`)} = ${sql.ref(`${aliasB}.${fieldB}`)}`',
    replace: 'return always',
    first: /^member . (?:Activity|Server)/,
  },
  {
    what: 'log entries about what one cannot read',
    file: gate,
    find: "and ${grantSql(grantFor(context.standing, target, 'read'), target, inner, context)}))`",
    replace: '))`',
    first: /^(?:member|colleague) R Activity/,
  },
  {
    what: 'files of documents of other organizations',
    file: gate,
    find: 'and ${tenantSql(target, inner, standing)} and ${anyOf(grants)}))`',
    replace: 'and ${anyOf(grants)}))`',
    first: /File\//,
  },
  {
    what: 'files of documents one cannot read',
    file: gate,
    find: 'and ${tenantSql(target, inner, standing)} and ${anyOf(grants)}))`',
    replace: 'and ${tenantSql(target, inner, standing)}))`',
    first: /File\//,
  },
  // API tokens.
  {
    what: 'the scopes of tokens',
    file: gate,
    find: 'if (!token || !scopesAllow(token.scopes, area, access)) return []',
    replace: '',
    first: /^token(?:Sites|Reading) /,
  },
  {
    what: 'the roles tokens never have',
    file: gate,
    find: 'return standing.roles.filter((role) => organizationRoles.some((known) => known === role))',
    replace: 'return standing.roles',
    first: /^token/,
  },
  {
    what: 'the role of a token',
    file: gate,
    find: 'roles: lowerRole(row.role, session.token.role)',
    replace: 'roles: [row.role as Role]',
    first: /^tokenReading /,
  },
  {
    what: 'actions that tokens never run',
    file: gate,
    find: "if (standing.session.kind === 'token' && (action.tokens === false || action.reauth)) return false",
    replace: '',
    first: /^token.* (?:Organization|Subscription Organization)\./,
  },
  {
    what: 'methods closed to tokens',
    file: registry,
    find: 'if (tokens === undefined) throw new AppError(',
    replace: 'if (tokens === undefined) return\n  if (false) throw new AppError(',
    first: /^token.* call /,
  },
  {
    what: 'scopes of methods',
    file: registry,
    find: 'if (!scopesAllow(session.token?.scopes ?? [], ...splitScope(tokens)))',
    replace: 'if (false)',
    first: /^token.* (?:call|for his organization)/,
  },
  // Methods.
  {
    what: 'methods for guests',
    file: registry,
    find: "if (session.kind === 'guest') throw notAvailable(method.name)",
    replace: '',
    first: /^(?:guest|disabled) .*call/,
  },
  {
    what: 'methods of the platform admin',
    file: registry,
    find: 'if (!session.platformAdmin) throw notAvailable(method.name)',
    replace: '',
    first: /easydash\.api\.platform/,
  },
  {
    what: 'methods for the unverified',
    file: registry,
    find: "if (!session.verified) throw new AppError('forbidden', 'Verify your e-mail address first.')",
    replace: '',
    first: /^unverified .*call/,
  },
  {
    what: 'methods of members',
    file: registry,
    find: "if (method.access === 'member' && session.organization === null) {",
    replace: 'if (false) {',
    first: /^(?:former|invited) .*call/,
  },
  {
    what: 'the log of a job without the job',
    file: 'server/jobs/methods.ts',
    find: "(await documents.get(session, 'Job', String(params['job']))) as unknown as Job",
    replace: "{ name: String(params['job']), status: 'Done' } as unknown as Job",
    first: /get_job_logs/,
  },
  {
    what: 'uploads to documents one cannot change',
    file: 'server/features/files/attach.ts',
    find: "loadFor(tx.trx, session, type, wish.docname, 'write', typeByName, { lock: true })",
    replace: "loadFor(tx.trx, session, type, wish.docname, 'read', typeByName, { lock: true })",
    first: /upload_file/,
  },
  // Sockets.
  {
    what: 'rooms without a look at rights',
    file: subscriptions,
    find: 'return session !== null && (await documents.canRead(session, doctype, name)) ? session : null',
    replace: 'return session',
    sockets: true,
  },
  {
    what: 'changes of documents one cannot read',
    file: subscriptions,
    find: 'if (await mayRead(doctype as string, name as string))\n      await socket.join(rooms.document',
    replace: 'await socket.join(rooms.document',
    sockets: true,
  },
  {
    what: 'viewers of documents one cannot read',
    file: subscriptions,
    find: 'if (await mayRead(doctype as string, name as string)) await presence.open',
    replace: 'await presence.open',
    sockets: true,
  },
  {
    what: 'lists one cannot read',
    file: subscriptions,
    find: 'const session = await mayRead(doctype as string, null)',
    replace: 'const session = await setting.currentSession(socket)',
    sockets: true,
  },
  {
    what: 'progress of jobs one cannot read',
    file: subscriptions,
    find: "if (await mayRead('Job', id as string)) await socket.join",
    replace: 'await socket.join',
    sockets: true,
  },
  {
    what: 'lists of other organizations',
    file: 'server/wire/sockets/socket-server.ts',
    find: 'if (organization !== null)\n    namespace.local.to(rooms.doctype(organization, doctype))',
    replace:
      "if (organization !== null)\n    namespace.local.to([rooms.doctype('acme', doctype), rooms.doctype('globex', doctype)])",
    sockets: true,
  },
]

/** Calls that decide nothing at present; the reason holds as long as the test of it passes. */
export const idleCalls: readonly { readonly file: string; readonly line: string; readonly because: string }[] = [
  {
    file: store,
    line: 'await checkLinks(tx.trx, session, type, tenantField(type) ? standing.organization : null, wanted, typeByName)',
    because: 'no link can be changed after creation',
  },
]
