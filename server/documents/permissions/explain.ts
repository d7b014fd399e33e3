import { tenantField, type Action, type AnyDoc, type Doctype, type Grant } from '#shared/doctype.ts'
import { AppError } from '#shared/errors.ts'
import type { Role } from '#shared/fields.ts'
import { scopesAllow } from '#shared/rules/token-scopes.ts'
import { toDescriptor, plural, msg, labelMessage, type LocalizedMessage } from '#shared/localized-message.ts'
import { sql } from 'kysely'
import { grantApplies, accessContextFor } from './access.ts'
import {
  accessContextIn,
  actionGrant,
  grantFor,
  isMember,
  withOwnRows,
  type AccessContext,
  type Operation,
} from './gate.ts'
import { actionMessages, operationMessages, type PermissionMessages } from './permission-messages.ts'
import { readDoc } from '../store/rows.ts'
import { describeGrant, joinList, pluralLabel, pluralRole, singularLabel, singularRole } from './rule-messages.ts'
import { tableRef } from '../store/schema.ts'
import type { Explanation, ExplainQuestion } from '#server/contracts/documents.ts'
import type { Session } from '#server/contracts/session.ts'
import type { Db } from '#server/contracts/transaction.ts'
import type { TypeByName } from '#server/contracts/type-by-name.ts'

/** Dependencies of explanations. */
interface ExplainContext {
  readonly db: Db
  readonly type: (name: string) => Doctype
  readonly typeByName: TypeByName
}

/** The user the answer is about: "You can …" or "Ann can …". */
interface Subject {
  readonly session: Session
  /** Null: the caller. */
  readonly name: string | null
}

/** The gate's decision and the reason, before it is formatted. */
interface Reason extends Pick<Explanation, 'allowed' | 'rule'> {
  readonly message: LocalizedMessage
}

/**
 * Explains in plain words which rule allows or denies an operation. Everyone can ask about themselves; owner and admins can
 * ask about another member. Answers about others are based only on their role in the organization, because the state of
 * their account and its platform rights are private. A document the caller can't see is explained as missing, whoever the
 * question is about. Throws `invalid` for an undeclared operation, and `forbidden` or `not_found` for questions about other
 * people.
 */
export async function explainPermission(
  context: ExplainContext,
  session: Session,
  question: ExplainQuestion,
): Promise<Explanation> {
  const { allowed, rule, message } = await reasonOf(context, session, question)
  return { allowed, rule, text: message.text, text_i18n: toDescriptor(message) }
}

async function reasonOf(context: ExplainContext, session: Session, question: ExplainQuestion): Promise<Reason> {
  const type = context.type(question.doctype)
  const { operation } = question
  const action = type.actions && Object.hasOwn(type.actions, operation) ? (type.actions[operation] ?? null) : null
  if (!action && !Object.hasOwn(operationMessages, operation)) {
    const known = [...Object.keys(operationMessages), ...Object.keys(type.actions ?? {})]
    throw new AppError('invalid', msg`Operation must be one of ${known}.`, { field: 'operation' })
  }
  if (session.kind === 'guest' || session.user === 'Guest')
    return {
      allowed: false,
      rule: 'guest',
      message: msg`Log in first: nothing but the public pages is open to guests.`,
    }
  const about = await subjectOf(context, session, question.user)
  // As in any other call by a token: without the scope nothing is looked up, so that no answer reveals what exists.
  if (session.kind === 'token' && !scopesAllow(session.token?.scopes ?? [], type.area, 'read'))
    return tokenDenial(about, messagesOf(operation, action), type)
  if (!about.session.verified && tenantField(type) === 'organization') return unverified
  const name = question.name ?? null
  const doc = name === null ? null : await readDoc(context.db, type, name, context.typeByName)
  const own = doc ? await accessContextFor(context.db, session, type, doc) : null
  if (name !== null && (!doc || !own)) return missing(type, name)
  const accessContext = doc
    ? await accessContextFor(context.db, about.session, type, doc)
    : await accessContextToSome(context.db, about.session, type, operation)
  const sees = own !== null && doc !== null && (await maySee(context, own, type, doc))
  const resolved: ResolvedQuestion = { type, doc, operation, action, sees }
  if (about.session.user === session.user)
    return accessContext ? reasonFromRoles(context, about, accessContext, resolved) : missing(type, String(name))
  const reason = accessContext
    ? await reasonFromRoles(context, about, accessContext, resolved)
    : notTheirs(about, resolved)
  return {
    ...reason,
    message: joinSentences(reason.message, msg`That is what the role in your organization gives.`),
  }
}

/** Roles for a doctype as a whole: if no other role decides, that of the rows that are the user's own. */
async function accessContextToSome(db: Db, session: Session, type: Doctype, operation: string): Promise<AccessContext> {
  const found = await accessContextIn(db, session, session.organization)
  return grantFor(found, type, operation as Operation) === false ? withOwnRows(found, type) : found
}

const messagesOf = (operation: string, action: Action | null): PermissionMessages =>
  action ? actionMessages(labelMessage(action.label)) : operationMessages[operation as Operation]

/** Joins sentences. */
const joinSentences = (first: LocalizedMessage, ...more: readonly LocalizedMessage[]): LocalizedMessage =>
  more.reduce((before, next) => msg`${before} ${next}`, first)

/** A question with what its names stand for. */
interface ResolvedQuestion {
  readonly type: Doctype
  readonly doc: AnyDoc | null
  readonly operation: string
  readonly action: Action | null
  /** Whether the caller can read the document: only then are its title and state shown. */
  readonly sees: boolean
}

function maySee(
  { db, typeByName }: ExplainContext,
  accessContext: AccessContext,
  type: Doctype,
  doc: AnyDoc,
): Promise<boolean> {
  return grantApplies(db, grantFor(accessContext, type, 'read'), type, doc, { accessContext, typeByName })
}

/** Only about the caller; never revealed about others. */
const unverified: Reason = {
  allowed: false,
  rule: 'unverified',
  message: msg`You are not verified yet. Until the email address is confirmed only the own account is open.`,
}

const missing = (type: Doctype, name: string): Reason => ({
  allowed: false,
  rule: 'missing',
  message: msg`There is no ${singularLabel(type)} ${name.slice(0, 140)} in your organization.`,
})

const notTheirs = (about: Subject, question: ResolvedQuestion): Reason => ({
  allowed: false,
  rule: 'not_theirs',
  message: msg`For ${about.name ?? about.session.user} ${objectMessage(question)} does not exist.`,
})

/** "the site blog", "this site", "sites". */
function objectMessage({ type, doc, sees }: ResolvedQuestion): LocalizedMessage {
  if (doc === null) return pluralLabel(type)
  if (!sees) return msg`this ${singularLabel(type)}`
  return msg`the ${singularLabel(type)} ${String((type.title_field ? doc[type.title_field] : null) ?? doc.name)}`
}

/** "you are a manager", for use within a sentence. */
function rolesMessage({ name }: Subject, { roles }: AccessContext): LocalizedMessage {
  const roleNames = roles.filter((role) => role !== 'User' || roles.length === 1).map(singularRole)
  if (roleNames.length === 0)
    return name === null ? msg`you are in no organization` : msg`${name} is in no organization`
  return name === null ? msg`you are ${joinList(roleNames, 'and')}` : msg`${name} is ${joinList(roleNames, 'and')}`
}

async function reasonFromRoles(
  context: ExplainContext,
  about: Subject,
  accessContext: AccessContext,
  question: ResolvedQuestion,
): Promise<Reason> {
  const { type, doc, operation, action } = question
  const { name } = about
  const grant = action
    ? actionGrant(accessContext, type, action)
    : grantFor(accessContext, type, operation as Operation)
  const clauses = messagesOf(operation, action)
  const ofRole = (role: Role) => (action ? action.allow[role] : type.permissions[role]?.[operation as Operation])
  const what = objectMessage(question)
  const given = accessContext.roles.filter((role) => ofRole(role))
  const clauseOf = (role: Role) => {
    const which = describeGrant(ofRole(role) as Grant, type, context.typeByName)
    const someone = { who: pluralRole(role), count: countOf(role) }
    return which ? clauses.theyCanSome(someone, pluralLabel(type), which) : clauses.theyCan(someone, pluralLabel(type))
  }
  const who = rolesMessage(about, accessContext)
  const cannot = name === null ? clauses.youCannot(what) : clauses.nameCannot(name, what)
  if (grant === false) {
    if (given.length > 0) return tokenDenial(about, clauses, type)
    return {
      allowed: false,
      rule: `${type.name}.${operation}: no role`,
      message: joinSentences(msg`${cannot}: ${who}, and that gives no right to it.`, whoCan(type, clauses, ofRole)),
    }
  }
  const strongest = given.find((role) => ofRole(role) === true)
  const deciding = strongest ? [strongest] : given
  const rule = `${type.name}.${operation}: ${deciding.join(', ')}`
  const rules = joinList(deciding.map(clauseOf), 'and')
  const met =
    grant === true ||
    doc === null ||
    (await grantApplies(context.db, grant, type, doc, { accessContext, typeByName: context.typeByName }))
  if (!met)
    return {
      allowed: false,
      rule,
      message: joinSentences(msg`${cannot}: ${who}, and ${rules}.`, msg`This one is none of them.`),
    }
  const can = name === null ? clauses.youCan(what) : clauses.theyCan({ who: name, count: 1 }, what)
  const one = typeof grant === 'object' && doc ? [msg`This is one of them.`] : []
  return {
    allowed: true,
    rule,
    message: joinSentences(msg`${can}: ${who}, and ${rules}.`, ...one, ...furtherConditions(question)),
  }
}

/** An organization has only one owner. */
const countOf = (role: Role): 1 | 2 => (role === 'Owner' ? 1 : 2)

/** Why an allowed operation may still be unavailable right now. */
function furtherConditions({ action, doc, sees }: ResolvedQuestion): LocalizedMessage[] {
  if (!action) return []
  const message: LocalizedMessage[] = []
  if (action.from && doc && sees && !action.from.includes(String(doc['status']))) {
    const states = joinList(action.from.map(labelMessage), 'or')
    message.push(msg`It is possible only while the status is ${states}; it is ${labelMessage(String(doc['status']))}.`)
  }
  if (action.reauth) message.push(msg`You need to confirm your password.`)
  return message
}

/** Roles named when the operation is denied, worded for the start of a sentence. */
const namedRoles = [
  ['Owner', msg`The owner`],
  ['Organization Admin', msg`Admins`],
  ['Organization Manager', msg`Managers`],
  ['Platform Admin', msg`Platform admins`],
] as const

function whoCan(
  type: Doctype,
  clauses: PermissionMessages,
  ofRole: (role: Role) => Grant | undefined,
): LocalizedMessage {
  const allowed = namedRoles.filter(([role]) => ofRole(role))
  const [first] = allowed
  if (!first) return clauses.noOneCan(pluralLabel(type))
  const who = joinList([first[1], ...allowed.slice(1).map(([role]) => pluralRole(role))], 'and')
  return plural(allowed.length === 1 ? countOf(first[0]) : 2, msg`${who} can.`, msg`${who} can.`)
}

function tokenDenial({ name }: Subject, clauses: PermissionMessages, type: Doctype): Reason {
  const things = pluralLabel(type)
  const message = type.area
    ? msg`${clauses.tokenCannot(things)}: its scopes do not include it (area “${type.area}”).`
    : joinSentences(
        msg`${clauses.tokensCannot(things)}, whatever their scopes.`,
        name === null ? msg`You can in a browser.` : msg`${name} can in a browser.`,
      )
  return { allowed: false, rule: 'token_scope', message }
}

/** The user to explain access for: the caller, or a member of the caller's organization if the caller is owner or admin. */
async function subjectOf(
  context: ExplainContext,
  session: Session,
  wanted: string | null | undefined,
): Promise<Subject> {
  const user = (wanted ?? '').trim().toLowerCase()
  if (user === '' || user === session.user) return { session, name: null }
  const own = await accessContextIn(context.db, session, session.organization)
  const isOwnerOrAdmin = own.roles.includes('Owner') || own.roles.includes('Organization Admin')
  if (!isMember(own) || !isOwnerOrAdmin || session.token)
    throw new AppError('forbidden', msg`Only the owner and admins can ask about other people.`, { field: 'user' })
  const found = await sql<{ full_name: string | null }>`
    select u.full_name from ${tableRef('User')} u
    join ${tableRef('Organization Member')} m on m."user" = u.name and m.parent = ${session.organization}
    where u.name = ${user}`.execute(context.db)
  const row = found.rows[0]
  if (!row)
    throw new AppError('not_found', msg`${user.slice(0, 140)} is not a member of your organization.`, { field: 'user' })
  const subjectSession: Session = {
    ...session,
    user,
    kind: 'cookie',
    // Only the users themselves can learn whether their account is unverified, disabled or a platform admin.
    verified: true,
    platformAdmin: false,
    fullName: row.full_name ?? user,
    id: null,
    reauthAt: null,
  }
  return { session: subjectSession, name: row.full_name ?? user }
}
