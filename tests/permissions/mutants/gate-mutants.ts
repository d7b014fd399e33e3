import type { CodeMutant } from './mutant.ts'

const gate = 'server/documents/permissions/gate.ts'
const rows = 'server/documents/permissions/rule-sql.ts'
const access = 'server/documents/permissions/access.ts'
const lists = 'server/documents/query/lists.ts'
const links = 'server/documents/permissions/links.ts'

/** Mutants of the decision code: roles, rows, organizations. */
export const gateMutants: readonly CodeMutant[] = [
  // Decisions: roles, rows, organizations.
  {
    what: 'a document without its grant',
    changes: [{ module: access, in: 'loadFor', if: ['grantApplies'], is: 'false' }],
    first: /through (?:resource|client)/,
  },
  {
    what: 'documents of organizations one is not in',
    changes: [
      {
        module: access,
        in: 'loadFor',
        call: 'accessContextToDoc',
        answers:
          '(async () => (await $it) ?? accessContextIn(db, { ...session, platformAdmin: true, verified: true }, null))()',
      },
    ],
    first: /foreign through (?:resource|client)/,
  },
  {
    what: 'documents of the other organization of the same person',
    changes: [{ module: access, in: 'accessContextToDoc', operand: ['organization', 'session'], is: 'true' }],
    first: /^elsewhere R/,
  },
  {
    what: 'documents of an organization without a member row',
    changes: [
      {
        module: access,
        in: 'accessContextToDoc',
        variable: 'here',
        nth: 2,
        is: 'organization === session.organization || isMember(accessContext)',
      },
    ],
    first: /^elsewhere R|^former R/,
  },
  {
    what: 'personal files kept from API tokens',
    changes: [{ module: rows, in: 'attachmentTenantSql', if: ['kind', 'token'], is: 'false' }],
    first: /tokenMember R File\/loose/,
  },
  {
    what: 'organizations one is not a member of',
    changes: [
      {
        module: access,
        in: 'accessContextToDoc',
        return: ['here', 'platform'],
        is: "$it ?? (type.tenant.kind === 'link' ? null : { ...accessContext, roles: [...accessContext.roles, 'Organization User'] })",
      },
    ],
    first: /R Organization\/(?:globex|acme) through (?:resource|client\.get)/,
  },
  {
    what: 'rows of the platform for everybody',
    changes: [
      {
        module: access,
        in: 'accessContextToDoc',
        return: ['grantFor'],
        is: "{ ...accessContext, roles: ['Platform Admin'] }",
      },
    ],
    first: /Plan\//,
  },
  {
    what: 'accounts of people who are not colleagues',
    changes: [{ module: access, in: 'accessContextToDoc', return: ['found', 'accessContext'], is: 'accessContext' }],
    first: /R User\/(?:invited|stranger) through (?:resource|client\.get)/,
  },
  {
    what: 'accounts seen by people without a role over colleagues',
    changes: [{ module: access, in: 'accessContextToDoc', if: ['isMember', 'permissions'], is: 'false' }],
    first: /(?:User Meta|SSH Key)\//,
  },
  {
    what: 'one row of the own account opens all',
    changes: [{ module: access, in: 'accessContextToDoc', if: ['user', 'session'], nth: 2, is: 'true' }],
    first: /(?:User|User Meta|SSH Key)\//,
  },
  {
    what: 'files without the organization of what they hang on',
    changes: [{ module: access, in: 'accessContextToDoc', branch: ['attachment'], if: ['found'], is: 'false' }],
    first: /File\//,
  },
  {
    what: 'members of disabled organizations and people who are no members',
    changes: [
      {
        module: gate,
        in: 'membersAmong',
        variable: 'row',
        is: "$it ?? { owner: null, role: 'Organization User', tokens: [session.token?.name ?? ''] }",
      },
    ],
    first: /^(?:former|stranger|member) /,
  },
  {
    what: 'documents for people who are no members',
    changes: [
      {
        module: gate,
        in: 'accessContextFrom',
        operand: ['membership'],
        is: "{ owner: null, role: 'Organization User' }",
      },
    ],
    first: /^(?:former|stranger) /,
  },
  {
    what: 'documents by the member rows of other organizations',
    changes: [{ module: gate, in: 'memberRows', slot: ['organization'], is: "sql.ref('o.name')" }],
    first: /^(?:former|stranger) /,
  },
  {
    what: 'the two-factor authentication that an organization requires',
    changes: [
      {
        module: gate,
        in: 'memberRows',
        slot: ['tableRef', 'User'],
        is: 'sql`(select name, 1 as two_factor from tab_user)`',
      },
    ],
    first: /^withoutFactor R/,
  },
  {
    what: 'documents by the member rows of other people',
    changes: [{ module: gate, in: 'membershipSql', slot: ['user'], is: "sql.ref('m.user')" }],
    first: /^(?:former|stranger|member) /,
  },
  {
    what: 'the organization in which roles for documents are looked up',
    changes: [{ module: access, in: 'accessOrganization', answers: 'session.organization' }],
    first: /^elsewhere R/,
  },
  {
    what: 'explanations about documents one does not see',
    changes: [{ module: access, in: 'accessContextFor', call: 'accessContextToDoc', answers: 'own' }],
    first: /xplain/,
  },
  {
    what: 'roles of the unverified',
    changes: [{ module: gate, in: 'rolesOf', if: ['verified'], is: 'false' }],
    first: /^unverified /,
  },
  {
    what: 'the platform admin for everybody',
    changes: [{ module: gate, in: 'rolesOf', if: ['platformAdmin'], is: 'true' }],
  },
  {
    what: 'ownership of everybody who is a member',
    changes: [{ module: gate, in: 'rolesOf', operand: ['owner'], is: 'true' }],
    first: /^(?:admin|manager|member) /,
  },
  {
    what: 'lists of all organizations: rows with a link to one',
    changes: [{ module: rows, in: 'tenantSql', return: ['isMember'], nth: 1, is: 'sqlTrue' }],
    first: /foreign through .*(?:list|count|search)/,
  },
  {
    what: 'lists of all organizations: the organizations themselves',
    changes: [{ module: rows, in: 'tenantSql', branch: ['organization', 'kind'], return: ['isMember'], is: 'sqlTrue' }],
    first: /Organization\/globex through .*(?:list|count|search)/,
  },
  {
    what: 'lists of all accounts for members',
    changes: [
      { module: rows, in: 'tenantSql', branch: ['user', 'kind'], slot: ['organization'], is: "sql.ref('m.parent')" },
    ],
    first: /User\/(?:stranger|invited) through .*(?:list|count|search)/,
  },
  {
    what: 'lists of rows of a person for who has no role over colleagues',
    changes: [{ module: rows, in: 'tenantSql', branch: ['colleagues'], return: ['own'], is: 'sqlTrue' }],
    first: /(?:User|User Meta|SSH Key)\/.*through .*(?:list|count|search)/,
  },
  {
    what: 'the list rule of rows',
    changes: [{ module: lists, in: 'listScope', call: 'grantSql', answers: 'sql`true`' }],
    first: /^(?:member|colleague) R .*through .*(?:list|count|search)/,
  },
  {
    what: 'the list rule of organizations',
    changes: [{ module: lists, in: 'listScope', call: 'tenantSql', answers: 'sql`true`' }],
    first: /foreign through .*(?:list|count|search)/,
  },
  {
    what: 'the list rule of roles',
    changes: [{ module: lists, in: 'listScope', if: ['grant'], is: 'false' }],
    first: /^(?:former|invited|colleague) R/,
  },
  {
    what: 'fields of lists without their rule',
    changes: [{ module: lists, in: 'listScope.readable', answers: 'true' }],
    first: /cannot|is not given/,
  },
  {
    what: 'linked documents without their organization and row rule',
    changes: [{ module: lists, in: 'columnSql', variable: 'readable', is: 'sql`true`' }],
    first: /linked/,
  },
  {
    what: 'the organization of linked documents',
    changes: [{ module: lists, in: 'columnSql', call: 'tenantSql', answers: 'sql`true`' }],
    first: /linked/,
  },
  {
    what: 'the row rule of linked documents',
    changes: [{ module: lists, in: 'columnSql', call: 'grantSql', answers: 'sql`true`' }],
    first: /linked/,
  },
  {
    what: 'links to documents of other organizations',
    changes: [
      {
        module: links,
        in: 'isLinkable',
        call: 'loadFor',
        answers:
          "import('../store/rows.ts').then(async ({ readDoc }) => ({ doc: (await readDoc(caller.db, target, name, caller.typeByName)) ?? {} }))",
      },
    ],
    first: / C Site/,
  },
  {
    what: 'shares of others',
    changes: [{ module: rows, in: 'ruleSql', branch: ['shared'], slot: ['user'], nth: 2, is: "sql.ref('s.user')" }],
    first: /^colleague R Site/,
  },
  {
    what: 'the bits of shares',
    changes: [
      {
        module: rows,
        in: 'ruleSql',
        branch: ['shared'],
        slot: ['id', 'shared'],
        is: 'sql`share_name is not null and 1`',
      },
    ],
    first: /^member . Site/,
  },
  {
    what: 'the doctype of shares',
    changes: [
      { module: rows, in: 'ruleSql', branch: ['shared'], slot: ['type', 'name'], is: "sql.ref('s.share_doctype')" },
    ],
    first: /Site\/namesake/,
  },
  {
    what: 'links of rules across organizations: what a document links',
    changes: [{ module: rows, in: 'ruleSql', branch: ['link'], call: 'sameTenant', answers: 'sqlTrue' }],
    first: / C Site \(on a foreign server/,
  },
  {
    what: 'links of rules across organizations: what links a document',
    changes: [{ module: rows, in: 'ruleSql', branch: ['linked_from'], call: 'sameTenant', answers: 'sqlTrue' }],
    first: /^elsewhere . Server/,
  },
  {
    what: 'links of rules across organizations: what the log names',
    changes: [{ module: rows, in: 'readableNames.readable', call: 'tenantSql', answers: 'sqlTrue' }],
    first: /^elsewhere . Activity/,
  },
  {
    what: 'log entries about what one cannot read',
    changes: [{ module: rows, in: 'readableNames.readable', call: 'grantSql', answers: 'sqlTrue' }],
    first: /^(?:member|colleague) R Activity/,
  },
  {
    what: 'log entries about documents of kinds one cannot read',
    changes: [{ module: rows, in: 'referenceSql', if: ['grant', 'true'], is: "typeof grant === 'boolean'" }],
    first: /^(?:admin|platform) R Activity\/of(?:Billing|SharedView)/,
  },
  {
    what: 'files of documents of other organizations',
    changes: [{ module: rows, in: 'attachedSql', call: 'tenantSql', answers: 'sqlTrue' }],
    first: /File\/strayed/,
  },
  {
    what: 'files of documents one cannot read',
    changes: [{ module: rows, in: 'attachedSql', call: 'anyOf', answers: 'sqlTrue' }],
    first: /File\//,
  },
]
