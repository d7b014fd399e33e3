import { tenantField, type Action, type AnyDoc, type Doctype, type Grant } from '#shared/doctype.ts'
import { AppError } from '#shared/errors.ts'
import type { Role } from '#shared/fields.ts'
import { scopesAllow } from '#shared/rules/token-scopes.ts'
import { toDescriptor, plural, msg, labelMessage, type LocalizedMessage } from '#shared/localized-message.ts'
import { sql } from 'kysely'
import { holds, standingTowards } from './access.ts'
import { actionGrant, grantFor, isMember, accessContextIn, type Operation, type AccessContext } from './gate.ts'
import { mayUseWords, mayWords, type MayWords } from './permission-messages.ts'
import { readDoc } from '../store/rows.ts'
import { grantWords, listed, manyOf, manyOfRole, oneOf, oneOfRole } from './rule-messages.ts'
import { tableRef } from '../store/schema.ts'
import type { Explanation, ExplainQuestion } from '#server/contracts/documents.ts'
import type { Session } from '#server/contracts/session.ts'
import type { Db } from '#server/contracts/transaction.ts'
import type { TypeByName } from '#server/contracts/type-by-name.ts'

/** Dependencies of explanations. */
interface Setting {
  readonly db: Db
  readonly type: (name: string) => Doctype
  readonly typeByName: TypeByName
}

/** The user the answer is about: "You may …" or "Ann may …". */
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
  setting: Setting,
  session: Session,
  question: ExplainQuestion,
): Promise<Explanation> {
  const { allowed, rule, message } = await reasonOf(setting, session, question)
  return { allowed, rule, text: message.text, text_i18n: toDescriptor(message) }
}

async function reasonOf(setting: Setting, session: Session, question: ExplainQuestion): Promise<Reason> {
  const type = setting.type(question.doctype)
  const { operation } = question
  const action = type.actions && Object.hasOwn(type.actions, operation) ? (type.actions[operation] ?? null) : null
  if (!action && !Object.hasOwn(mayWords, operation)) {
    const known = [...Object.keys(mayWords), ...Object.keys(type.actions ?? {})]
    throw new AppError('invalid', msg`Operation must be one of ${known}.`, { field: 'operation' })
  }
  if (session.kind === 'guest' || session.user === 'Guest')
    return {
      allowed: false,
      rule: 'guest',
      message: msg`Log in first: nothing but the public pages is open to guests.`,
    }
  const about = await subjectOf(setting, session, question.user)
  // As in any other call by a token: without the scope nothing is looked up, so that no answer reveals what exists.
  if (session.kind === 'token' && !scopesAllow(session.token?.scopes ?? [], type.area, 'read'))
    return refusedToken(about, wordsOf(operation, action), type)
  if (!about.session.verified && tenantField(type) === 'organization') return unverified
  const name = question.name ?? null
  const doc = name === null ? null : await readDoc(setting.db, type, name, setting.typeByName)
  const own = doc ? await standingTowards(setting.db, session, type, doc) : null
  if (name !== null && (!doc || !own)) return missing(type, name)
  const accessContext = doc
    ? await standingTowards(setting.db, about.session, type, doc)
    : await accessContextIn(setting.db, about.session, about.session.organization)
  const sees = own !== null && doc !== null && (await maySee(setting, own, type, doc))
  const asked: Asked = { type, doc, operation, action, sees }
  if (about.session.user === session.user)
    return accessContext ? ofStanding(setting, about, accessContext, asked) : missing(type, String(name))
  const answer = accessContext ? await ofStanding(setting, about, accessContext, asked) : notTheirs(about, asked)
  return { ...answer, message: inTurn(answer.message, msg`That is what the role in your organization gives.`) }
}

const wordsOf = (operation: string, action: Action | null): MayWords =>
  action ? mayUseWords(labelMessage(action.label)) : mayWords[operation as Operation]

/** Joins sentences. */
const inTurn = (first: LocalizedMessage, ...more: readonly LocalizedMessage[]): LocalizedMessage =>
  more.reduce((before, next) => msg`${before} ${next}`, first)

/** The question. */
interface Asked {
  readonly type: Doctype
  readonly doc: AnyDoc | null
  readonly operation: string
  readonly action: Action | null
  /** Whether the caller can read the document: only then are its title and state shown. */
  readonly sees: boolean
}

function maySee(
  { db, typeByName }: Setting,
  accessContext: AccessContext,
  type: Doctype,
  doc: AnyDoc,
): Promise<boolean> {
  return holds(db, grantFor(accessContext, type, 'read'), type, doc, { accessContext, typeByName })
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
  message: msg`There is no ${oneOf(type)} ${name.slice(0, 140)} in your organization.`,
})

const notTheirs = (about: Subject, asked: Asked): Reason => ({
  allowed: false,
  rule: 'not_theirs',
  message: msg`For ${about.name ?? about.session.user} ${thing(asked)} does not exist.`,
})

/** "the site blog", "this site", "sites". */
function thing({ type, doc, sees }: Asked): LocalizedMessage {
  if (doc === null) return manyOf(type)
  if (!sees) return msg`this ${oneOf(type)}`
  return msg`the ${oneOf(type)} ${String((type.title_field ? doc[type.title_field] : null) ?? doc.name)}`
}

/** "you are a manager", for use within a sentence. */
function standingWords({ name }: Subject, { roles }: AccessContext): LocalizedMessage {
  const told = roles.filter((role) => role !== 'User' || roles.length === 1).map(oneOfRole)
  if (told.length === 0) return name === null ? msg`you are in no organization` : msg`${name} is in no organization`
  return name === null ? msg`you are ${listed(told, 'and')}` : msg`${name} is ${listed(told, 'and')}`
}

async function ofStanding(
  setting: Setting,
  about: Subject,
  accessContext: AccessContext,
  asked: Asked,
): Promise<Reason> {
  const { type, doc, operation, action } = asked
  const { name } = about
  const grant = action
    ? actionGrant(accessContext, type, action)
    : grantFor(accessContext, type, operation as Operation)
  const clauses = wordsOf(operation, action)
  const ofRole = (role: Role) => (action ? action.allow[role] : type.permissions[role]?.[operation as Operation])
  const what = thing(asked)
  const given = accessContext.roles.filter((role) => ofRole(role))
  const words = (role: Role) => {
    const which = grantWords(ofRole(role) as Grant, type, setting.typeByName)
    const someone = { who: manyOfRole(role), count: countOf(role) }
    return which ? clauses.theySome(someone, manyOf(type), which) : clauses.they(someone, manyOf(type))
  }
  const who = standingWords(about, accessContext)
  const mayNot = name === null ? clauses.youNot(what) : clauses.nameNot(name, what)
  if (grant === false) {
    if (given.length > 0) return refusedToken(about, clauses, type)
    return {
      allowed: false,
      rule: `${type.name}.${operation}: no role`,
      message: inTurn(msg`${mayNot}: ${who}, and that gives no right to it.`, whoMay(type, clauses, ofRole)),
    }
  }
  const strongest = given.find((role) => ofRole(role) === true)
  const deciding = strongest ? [strongest] : given
  const rule = `${type.name}.${operation}: ${deciding.join(', ')}`
  const rules = listed(deciding.map(words), 'and')
  const met =
    grant === true ||
    doc === null ||
    (await holds(setting.db, grant, type, doc, { accessContext, typeByName: setting.typeByName }))
  if (!met)
    return {
      allowed: false,
      rule,
      message: inTurn(msg`${mayNot}: ${who}, and ${rules}.`, msg`This one is none of them.`),
    }
  const may = name === null ? clauses.you(what) : clauses.they({ who: name, count: 1 }, what)
  const one = typeof grant === 'object' && doc ? [msg`This is one of them.`] : []
  return { allowed: true, rule, message: inTurn(msg`${may}: ${who}, and ${rules}.`, ...one, ...laterRules(asked)) }
}

/** An organization has only one owner. */
const countOf = (role: Role): 1 | 2 => (role === 'Owner' ? 1 : 2)

/** Why an allowed operation may still be unavailable right now. */
function laterRules({ action, doc, sees }: Asked): LocalizedMessage[] {
  if (!action) return []
  const message: LocalizedMessage[] = []
  if (action.from && doc && sees && !action.from.includes(String(doc['status']))) {
    const states = listed(action.from.map(labelMessage), 'or')
    message.push(msg`It is possible only while the status is ${states}; it is ${labelMessage(String(doc['status']))}.`)
  }
  if (action.reauth) message.push(msg`The password is asked for again.`)
  return message
}

/** Roles named when the operation is denied, worded for the start of a sentence. */
const leaders = [
  ['Owner', msg`The owner`],
  ['Organization Admin', msg`Admins`],
  ['Organization Manager', msg`Managers`],
  ['Platform Admin', msg`Platform admins`],
] as const

function whoMay(type: Doctype, clauses: MayWords, ofRole: (role: Role) => Grant | undefined): LocalizedMessage {
  const may = leaders.filter(([role]) => ofRole(role))
  const [first] = may
  if (!first) return clauses.nobody(manyOf(type))
  const who = listed([first[1], ...may.slice(1).map(([role]) => manyOfRole(role))], 'and')
  return plural(may.length === 1 ? countOf(first[0]) : 2, msg`${who} may.`, msg`${who} may.`)
}

function refusedToken({ name }: Subject, clauses: MayWords, type: Doctype): Reason {
  const things = manyOf(type)
  const message = type.area
    ? msg`${clauses.thisTokenNot(things)}: its scopes do not include it (area “${type.area}”).`
    : inTurn(
        msg`${clauses.tokensNot(things)}, whatever their scopes.`,
        name === null ? msg`You may with a browser.` : msg`${name} may with a browser.`,
      )
  return { allowed: false, rule: 'token_scope', message }
}

/** The user asked about: the caller, or a member of the caller's organization if the caller is owner or admin. */
async function subjectOf(setting: Setting, session: Session, wanted: string | null | undefined): Promise<Subject> {
  const user = (wanted ?? '').trim().toLowerCase()
  if (user === '' || user === session.user) return { session, name: null }
  const own = await accessContextIn(setting.db, session, session.organization)
  const leads = own.roles.includes('Owner') || own.roles.includes('Organization Admin')
  if (!isMember(own) || !leads || session.token)
    throw new AppError('forbidden', msg`Only the owner and admins can ask about other people.`, { field: 'user' })
  const found = await sql<{ full_name: string | null }>`
    select u.full_name from ${tableRef('User')} u
    join ${tableRef('Organization Member')} m on m."user" = u.name and m.parent = ${session.organization}
    where u.name = ${user}`.execute(setting.db)
  const row = found.rows[0]
  if (!row)
    throw new AppError('not_found', msg`${user.slice(0, 140)} is not a member of your organization.`, { field: 'user' })
  const theirs: Session = {
    ...session,
    user,
    kind: 'cookie',
    // Only the users themselves are told whether their account is unverified, disabled or a platform admin.
    verified: true,
    platformAdmin: false,
    fullName: row.full_name ?? user,
    id: null,
    reauthAt: null,
  }
  return { session: theirs, name: row.full_name ?? user }
}
