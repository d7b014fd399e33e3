import type { CodeMutant } from './mutant-types.ts'

const gate = 'server/documents/permissions/gate.ts'
const registry = 'server/wire/methods/method-registry.ts'
const subscriptions = 'server/wire/sockets/subscriptions.ts'

/** Mutants of API tokens, methods and sockets. */
export const wireMutants: readonly CodeMutant[] = [
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
    find: 'return accessContext.roles.filter((role) => organizationRoles.some((known) => known === role))',
    replace: 'return accessContext.roles',
    first: /^token/,
  },
  {
    what: 'the role of a token',
    file: gate,
    find: 'lowerRole(member.role, session.token.role)',
    replace: '[member.role as Role]',
    first: /^tokenReading /,
  },
  {
    what: 'actions that tokens never run',
    file: gate,
    find: "if (kind === 'token' && (action.tokens === false || action.reauth)) return false",
    replace: '',
    first: /^token.* (?:Organization|Subscription Organization)\./,
  },
  {
    what: 'people in the answers of actions of tokens',
    file: gate,
    find: "if (kind === 'token' && returnsPeople(action.returns) && !mayLearnOfPeople(token?.scopes ?? [])) return false",
    replace: '',
    first: /^tokenSites Site\.(?:share|list|set_owner)/,
  },
  {
    what: 'invitations of tokens as more than a member',
    file: 'server/features/organizations/invite-controller.ts',
    find: "if (kind !== 'token' || role === tokenInviteRole) return",
    replace: 'return',
    first: /^tokenAll (?:C )?Member Invite/,
  },
  {
    what: 'higher roles by tokens',
    file: 'server/features/organizations/member-controller.ts',
    find: "if (context.session.kind === 'token' && rank(",
    replace: 'if (false && rank(',
    first: /^tokenAll W Organization Member/,
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
    find: "if (tokens !== 'any') requireScope(session, tokens)",
    replace: '',
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
    find: "if (!session.verified) throw new AppError('forbidden', say`Verify your email address first.`)",
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
    find: 'await documents.get(session, JobDoctype, params.job)',
    replace: "{ name: params.job, status: 'Done' as const }",
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
    find: 'if (session === null || !(await documents.canRead(session, doctype, name))) return null',
    replace: 'if (session === null) return null',
    sockets: true,
  },
  {
    what: 'changes of documents one cannot read',
    file: subscriptions,
    find: 'if (await mayRead(doctype, name)) await socket.join(rooms.document',
    replace: 'await socket.join(rooms.document',
    sockets: true,
  },
  {
    what: 'viewers of documents one cannot read',
    file: subscriptions,
    find: 'if (await mayRead(doctype, name)) await viewers.open',
    replace: 'await viewers.open',
    sockets: true,
  },
  {
    what: 'lists one cannot read',
    file: subscriptions,
    find: 'const session = await mayRead(doctype, null)',
    replace: 'const session = await setting.currentSession(socket)',
    sockets: true,
  },
  {
    what: 'progress of jobs one cannot read',
    file: subscriptions,
    find: "if (await mayRead('Job', id)) await socket.join",
    replace: 'await socket.join',
    // Permissions are checked again for each message.
    also: {
      file: 'server/wire/sockets/job-progress.ts',
      find: "documents.get(socket.data.session, 'Job', name)",
      replace:
        "documents.get({ ...socket.data.session, kind: 'cookie', platformAdmin: true, verified: true }, 'Job', name)",
    },
    sockets: true,
  },
  {
    what: 'lists of other organizations',
    file: 'server/documents/permissions/readers.ts',
    find: 'const here = all.filter((one) => one.organization === organization || one.platformAdmin)',
    replace: 'const here = all',
    also: {
      file: 'server/wire/sockets/document-events.ts',
      find: 'const ofList = organization === null ? null : rooms.doctype(organization, doctype)',
      replace:
        "const ofList = organization === null ? null : rooms.doctype(organization === 'acme' ? 'globex' : 'acme', doctype)",
    },
    sockets: true,
  },
  {
    what: 'changes in lists of documents one cannot read',
    file: 'server/wire/sockets/document-events.ts',
    find: 'if (readers !== null && !readers.has(socket.data.session)) continue',
    replace: '',
    sockets: true,
  },
]
