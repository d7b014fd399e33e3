import type { Change, CodeMutant } from './mutant.ts'

const gate = 'server/documents/permissions/gate.ts'
const registry = 'server/wire/methods/method-registry.ts'
const subscriptions = 'server/wire/sockets/subscriptions.ts'

/** Rights are checked when a room is joined and again for each event, so that only removing both makes a difference. */
const sendsUnread: Change = {
  module: 'server/wire/sockets/document-events.ts',
  in: 'sendToNamespace',
  if: ['readers', 'has'],
  is: 'false',
}

/** Mutants of API tokens, methods and sockets. */
export const wireMutants: readonly CodeMutant[] = [
  // API tokens.
  {
    what: 'the scopes of tokens',
    changes: [{ module: gate, in: 'rolesFor', if: ['scopesAllow'], is: 'false' }],
    first: /^token(?:Sites|Reading) /,
  },
  {
    what: 'the roles tokens never have',
    changes: [{ module: gate, in: 'rolesFor', return: ['organizationRoles'], is: 'accessContext.roles' }],
    first: /^token/,
  },
  {
    what: 'the role of a token',
    changes: [{ module: gate, in: 'rolesOf', call: 'lowerRole', answers: '[$1]' }],
    first: /^tokenReading /,
  },
  {
    what: 'actions that tokens never run',
    changes: [{ module: gate, in: 'actionGrant', if: ['token', 'tokens', 'reauth'], is: 'false' }],
    first: /^token.* (?:Organization|Subscription Organization)\./,
  },
  {
    what: 'people in the answers of actions of tokens',
    changes: [{ module: gate, in: 'actionGrant', if: ['returnsPeople'], is: 'false' }],
    first: /^tokenSites Site\.(?:share|list|set_owner)/,
  },
  {
    what: 'invitations of tokens as more than a member',
    changes: [
      {
        module: 'server/features/organizations/invite-controller.ts',
        in: 'assertTokenMayInvite',
        answers: 'undefined',
      },
    ],
    first: /^tokenAll (?:C )?Member Invite/,
  },
  {
    what: 'higher roles by tokens',
    changes: [
      {
        module: 'server/features/organizations/member-controller.ts',
        in: 'memberController.validate',
        if: ['token'],
        is: 'false',
      },
    ],
    first: /^tokenAll W Organization Member/,
  },
  {
    what: 'methods closed to tokens',
    changes: [{ module: registry, in: 'checkScope', branch: ['tokens', 'undefined'], throw: [] }],
    first: /^token.* call /,
  },
  {
    what: 'scopes of methods',
    changes: [{ module: registry, in: 'checkScope', call: 'requireScope', answers: 'undefined' }],
    first: /^token.* (?:call|for their organization)/,
  },
  // Methods.
  {
    what: 'methods for guests',
    changes: [{ module: registry, in: 'checkAccess', if: ['kind', 'guest'], is: 'false' }],
    first: /^(?:guest|disabled) .*call/,
  },
  {
    what: 'methods of the platform admin',
    changes: [{ module: registry, in: 'checkAccess', if: ['platformAdmin'], is: 'false' }],
    first: /easydash\.api\.platform/,
  },
  {
    what: 'methods for the unverified',
    changes: [{ module: registry, in: 'checkAccess', call: 'requireVerified', answers: 'undefined' }],
    first: /^unverified .*call/,
  },
  {
    what: 'methods of members',
    changes: [{ module: registry, in: 'checkAccess', if: ['member', 'organization'], is: 'false' }],
    first: /^(?:former|invited) .*call/,
  },
  {
    what: 'methods of members without the two-factor authentication that their organization requires',
    changes: [{ module: registry, in: 'checkAccess', if: ['member', 'needsSecondFactor'], is: 'false' }],
    first: /^withoutFactor .*call/,
  },
  {
    what: 'the log of a job without the job',
    changes: [
      {
        module: 'server/jobs/methods.ts',
        in: 'jobMethods.run',
        call: 'documents.get',
        answers: "{ name: params.job, status: 'Done' }",
      },
    ],
    first: /get_job_logs/,
  },
  {
    what: 'uploads to documents one cannot change',
    changes: [
      { module: 'server/features/files/attach.ts', in: 'attachedFields', call: 'loadFor', argument: 4, is: "'read'" },
    ],
    first: /upload_file/,
  },
  // Sockets.
  {
    what: 'rooms without a look at rights',
    changes: [
      { module: subscriptions, in: 'handleSubscriptions.mayRead', operand: ['canRead'], is: 'false' },
      sendsUnread,
    ],
    sockets: true,
  },
  {
    what: 'changes of documents one cannot read',
    changes: [
      { module: subscriptions, in: 'handleSubscriptions.doc_subscribe', if: ['mayRead'], is: 'true' },
      sendsUnread,
    ],
    sockets: true,
  },
  {
    what: 'viewers of documents one cannot read',
    changes: [
      { module: subscriptions, in: 'handleSubscriptions.doc_open', if: ['mayRead'], is: 'true' },
      {
        module: 'server/wire/sockets/document-viewers.ts',
        in: 'createDocumentViewers.announce',
        if: ['readers', 'has'],
        is: 'true',
      },
    ],
    sockets: true,
  },
  {
    what: 'lists one cannot read',
    changes: [
      {
        module: subscriptions,
        in: 'handleSubscriptions.doctype_subscribe',
        call: 'mayRead',
        answers: 'deps.currentSession(socket)',
      },
      sendsUnread,
    ],
    sockets: true,
  },
  {
    what: 'progress of jobs one cannot read',
    changes: [
      { module: subscriptions, in: 'handleSubscriptions', if: ['mayRead', 'Job'], is: 'true' },
      // Permissions are checked again for each message.
      {
        module: 'server/wire/sockets/job-progress.ts',
        in: 'jobFor',
        call: 'documents.get',
        argument: 1,
        is: "{ ...socket.data.session, kind: 'cookie', platformAdmin: true, verified: true }",
      },
    ],
    sockets: true,
  },
  {
    what: 'lists of other organizations',
    changes: [
      { module: 'server/documents/permissions/readers.ts', in: 'accessContextsTo', variable: 'here', is: 'sessions' },
      {
        module: 'server/wire/sockets/document-events.ts',
        in: 'sendToNamespace',
        variable: 'ofList',
        is: "rooms.doctype(organization === 'acme' ? 'globex' : 'acme', doctype)",
      },
    ],
    sockets: true,
  },
  {
    what: 'changes in lists of documents one cannot read',
    changes: [sendsUnread],
    sockets: true,
  },
]
