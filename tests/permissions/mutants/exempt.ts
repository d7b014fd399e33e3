import type { FunctionLocation } from './mutant.ts'

/** Calls that currently decide nothing; the reason holds as long as its test passes. */
export const idleCalls: readonly (Pick<FunctionLocation, 'module' | 'in'> & {
  readonly call: string
  readonly because: string
})[] = [
  {
    module: 'server/documents/operations/insert.ts',
    in: 'mayInsert',
    call: 'grantAppliesToNew',
    because: 'it adds DNS records to an answer, which has a test of its own',
  },
  {
    module: 'server/documents/operations/save.ts',
    in: 'saveValues',
    call: 'checkLinks',
    because: 'no link can be changed after creation',
  },
  {
    module: 'server/documents/permissions/access.ts',
    in: 'lockBefore',
    call: 'loadFor',
    because: 'only avoids waiting for locks; checked again while they are held',
  },
]

/** Functions of deciding modules without a mutant. */
export const exempt: readonly {
  readonly module: string
  readonly functions: readonly string[] | 'all'
  readonly because: string
}[] = [
  {
    module: 'server/contracts/session.ts',
    functions: ['isExternalCaller'],
    because: 'it decides about limits of calls and written bytes, which have tests of their own',
  },
  { module: 'server/contracts/session.ts', functions: ['secondFactorNeeded'], because: 'it puts an error together' },
  {
    module: 'server/documents/permissions/access-errors.ts',
    functions: ['DeniedError.constructor'],
    because: 'it puts an error together',
  },
  {
    module: 'server/documents/permissions/access.ts',
    functions: ['lockBefore'],
    because: 'only avoids waiting for locks; checked again while they are held',
  },
  {
    module: 'server/documents/permissions/access.ts',
    functions: ['isSet'],
    because: 'it only decides which sentence is worth a rejection; it is the same for every caller',
  },
  {
    module: 'server/documents/permissions/access.ts',
    functions: ['accessOrganizationSql'],
    because: 'only platform admins who are members somewhere could notice; roles.test.ts tests them',
  },
  {
    module: 'server/documents/permissions/gate.ts',
    functions: ['organizationSql'],
    because: 'only platform admins who are members somewhere could notice; roles.test.ts tests them',
  },
  {
    module: 'server/documents/permissions/explain.ts',
    functions: [
      ...[
        'explainPermission',
        'messagesOf',
        'joinSentences',
        'missing',
        'notTheirs',
        'objectMessage',
        'rolesMessage',
        'countOf',
      ],
      ...['reasonFromRoles.ofRole', 'reasonFromRoles.clauseOf', 'furtherConditions', 'whoCan', 'tokenDenial'],
    ],
    because: 'they choose the words of an explanation',
  },
  {
    module: 'server/documents/permissions/explain.ts',
    functions: ['accessContextToSome'],
    because: 'it is about no document; permission-bits.test.ts compares it with the lists',
  },
  {
    module: 'server/documents/permissions/gate.ts',
    functions: ['textOrNull'],
    because: 'it narrows the type of a value',
  },
  {
    module: 'server/documents/permissions/links.ts',
    functions: ['assertNotLinked'],
    because: 'it keeps data whole, for everybody alike',
  },
  {
    module: 'server/documents/permissions/permission-messages.ts',
    functions: 'all',
    because: 'they choose words',
  },
  {
    module: 'server/documents/permissions/readers.ts',
    functions: ['readsOneOf'],
    because:
      'it says whether to read a list again, and that list is filtered; tests/wire/documents/list-updates.test.ts',
  },
  {
    module: 'server/documents/permissions/rule-messages.ts',
    functions: 'all',
    because: 'they choose words',
  },
  {
    module: 'server/documents/permissions/rule-sql.ts',
    functions: ['isTriple', 'linkedType', 'isAboutDocuments'],
    because: 'they read the shape of a rule; a wrong one is no program',
  },
  {
    module: 'server/features/accounts/sessions/machine-tokens.ts',
    functions: ['createMachineTokens', 'createMachineTokens.resolve', 'issue'],
    because: 'they pass on and store tokens and accept none',
  },
  {
    module: 'server/features/uploads/upload-access.ts',
    functions: ['uploadNotFound', 'isUploadId', 'kindOf'],
    because: 'they are the same for every caller',
  },
  {
    module: 'server/features/uploads/upload-store.ts',
    functions: ['progressOf', 'addUpload', 'forget'],
    because: 'they are the same for every caller',
  },
  {
    module: 'server/wire/hooks/identify-caller.ts',
    functions: ['isSessionRead', 'countCall'],
    because: 'they count calls, for limits that have tests of their own',
  },
  {
    module: 'server/wire/methods/method-registry.ts',
    functions: ['createRegistry', 'createRegistry.find', 'acceptedVerbs', 'notAvailable', 'readParams', 'coerced'],
    because: 'they find methods and read parameters, the same for every caller',
  },
  {
    module: 'server/wire/routes/upload-routes.ts',
    functions: ['uploadRoutes.*', 'uploadRoutes.handler', 'webRequest'],
    because: 'they carry requests to the uploads and responses back',
  },
  {
    module: 'shared/rules/token-scopes.ts',
    functions: ['isTokenScope'],
    because: 'it checks declarations and requests for new tokens, which are bound by what their creator may do',
  },
]
