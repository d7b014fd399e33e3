import type { Action, AnyDoc, Doctype, Grant } from '#shared/doctype.ts'
import { AppError } from '#shared/errors.ts'
import type { Role } from '#shared/fields.ts'
import { scopesAllow } from '#shared/rules/token-scopes.ts'
import { say } from '#shared/sentence.ts'
import { sql } from 'kysely'
import { holds, standingTowards } from './access.ts'
import { actionGrant, grantFor, isMember, standingIn, type Operation, type Standing } from './gate.ts'
import { readDoc } from './rows.ts'
import { grantWords, listed, manyOf, manyOfRole, oneOf, oneOfRole } from './rule-words.ts'
import { tableRef } from './schema.ts'
import type { Db, Explanation, ExplainQuestion, Session } from './types.ts'

/** What explanations are made from. */
interface Setting {
  readonly db: Db
  readonly type: (name: string) => Doctype
  readonly typeByName: (name: string) => Doctype | null
}

const operations: Readonly<Record<Operation, string>> = {
  read: 'see',
  create: 'create',
  write: 'change',
  delete: 'delete',
}

/** The person the answer is about: "You may …" or "Ann may …". */
interface Subject {
  readonly session: Session
  readonly name: string
  readonly are: string
}

/**
 * Which rule lets a person do something, or keeps the person from it, in words for people. About oneself for everybody,
 * about another member for owner and admins, by what the role in the organization gives, whatever else the account is:
 * its state and rights on the platform are not theirs to know. What does not exist for the asker is explained as missing,
 * whoever it is about. Throws `invalid` for an operation nobody declared and `forbidden` or `not_found` about other people.
 */
export async function explainPermission(
  setting: Setting,
  session: Session,
  question: ExplainQuestion,
): Promise<Explanation> {
  const type = setting.type(question.doctype)
  const { operation } = question
  const action = type.actions && Object.hasOwn(type.actions, operation) ? (type.actions[operation] ?? null) : null
  if (!action && !Object.hasOwn(operations, operation)) {
    const known = [...Object.keys(operations), ...Object.keys(type.actions ?? {})]
    throw new AppError('invalid', say`Operation must be one of ${known}.`, { field: 'operation' })
  }
  if (session.kind === 'guest' || session.user === 'Guest')
    return { allowed: false, rule: 'guest', text: 'Log in first: nothing but the public pages is open to guests.' }
  const about = await subjectOf(setting, session, question.user)
  // As every other call of a token: without the scope nothing is looked up, so that no answer tells what exists.
  if (session.kind === 'token' && !scopesAllow(session.token?.scopes ?? [], type.area, 'read'))
    return refusedToken(about, verbOf(operation, action), type)
  if (!about.session.verified && type.tenant === 'organization') return unverified(about)
  const name = question.name ?? null
  const doc = name === null ? null : await readDoc(setting.db, type, name, setting.typeByName)
  const own = doc ? await standingTowards(setting.db, session, type, doc) : null
  if (name !== null && (!doc || !own)) return missing(type, name)
  const standing = doc
    ? await standingTowards(setting.db, about.session, type, doc)
    : await standingIn(setting.db, about.session, about.session.organization)
  const sees = own !== null && doc !== null && (await maySee(setting, own, type, doc))
  const asked: Asked = { type, doc, operation, action, sees }
  if (about.session.user === session.user)
    return standing ? ofStanding(setting, about, standing, asked) : missing(type, String(name))
  const answer = standing ? await ofStanding(setting, about, standing, asked) : notTheirs(about, asked)
  return { ...answer, text: `${answer.text} That is what the role in your organization gives.` }
}

function verbOf(operation: string, action: Action | null): string {
  return action ? `use “${action.label}” on` : operations[operation as Operation]
}

/** What is asked about. */
interface Asked {
  readonly type: Doctype
  readonly doc: AnyDoc | null
  readonly operation: string
  readonly action: Action | null
  /** Whether the asker may read the document: only then do its title and state appear. */
  readonly sees: boolean
}

function maySee({ db, typeByName }: Setting, standing: Standing, type: Doctype, doc: AnyDoc): Promise<boolean> {
  return holds(db, grantFor(standing, type, 'read'), type, doc, { standing, typeByName })
}

const unverified = ({ name, are }: Subject): Explanation => ({
  allowed: false,
  rule: 'unverified',
  text: `${name} ${are} not verified yet. Until the email address is confirmed only the own account is open.`,
})

const missing = (type: Doctype, name: string): Explanation => ({
  allowed: false,
  rule: 'missing',
  text: `There is no ${oneOf(type)} ${name.slice(0, 140)} in your organization.`,
})

const notTheirs = ({ name }: Subject, asked: Asked): Explanation => ({
  allowed: false,
  rule: 'not_theirs',
  text: `For ${name} ${thing(asked)} does not exist.`,
})

/** "the site blog", "this site", "sites". */
function thing({ type, doc, sees }: Asked): string {
  if (doc === null) return manyOf(type)
  if (!sees) return `this ${oneOf(type)}`
  return `the ${oneOf(type)} ${String((type.title_field ? doc[type.title_field] : null) ?? doc.name)}`
}

async function ofStanding(setting: Setting, about: Subject, standing: Standing, asked: Asked): Promise<Explanation> {
  const { type, doc, operation, action } = asked
  const grant = action ? actionGrant(standing, type, action) : grantFor(standing, type, operation as Operation)
  const verb = verbOf(operation, action)
  const ofRole = (role: Role) => (action ? action.allow[role] : type.permissions[role]?.[operation as Operation])
  const what = thing(asked)
  const given = standing.roles.filter((role) => ofRole(role))
  const words = (role: Role) =>
    `${manyOfRole(role)} may ${verb} ${manyOf(type)}${grantWords(ofRole(role) as Grant, type, setting.typeByName)}`
  const roles = listed(
    standing.roles.filter((role) => role !== 'User' || standing.roles.length === 1).map(oneOfRole),
    'and',
  )
  const who = roles === '' ? `${about.name} ${about.are} in no organization` : `${about.name} ${about.are} ${roles}`
  if (grant === false) {
    if (given.length > 0) return refusedToken(about, verb, type)
    return {
      allowed: false,
      rule: `${type.name}.${operation}: no role`,
      text: `${about.name} may not ${verb} ${what}: ${lowered(who)}, and that gives no right to it.${whoMay(type, verb, ofRole)}`,
    }
  }
  const strongest = given.find((role) => ofRole(role) === true)
  const deciding = strongest ? [strongest] : given
  const rule = `${type.name}.${operation}: ${deciding.join(', ')}`
  const because = `${lowered(who)}, and ${listed(deciding.map(words), 'and')}`
  const met =
    grant === true ||
    doc === null ||
    (await holds(setting.db, grant, type, doc, { standing, typeByName: setting.typeByName }))
  if (!met)
    return {
      allowed: false,
      rule,
      text: `${about.name} may not ${verb} ${what}: ${because}. This one is none of them.`,
    }
  const one = typeof grant === 'object' && doc ? ' This is one of them.' : ''
  return { allowed: true, rule, text: `${about.name} may ${verb} ${what}: ${because}.${one}${laterRules(asked)}` }
}

/** Why something that is allowed may still not be possible now. */
function laterRules({ action, doc, sees }: Asked): string {
  if (!action) return ''
  const parts: string[] = []
  if (action.from && doc && sees && !action.from.includes(String(doc['status'])))
    parts.push(` It is possible only while the status is ${listed(action.from, 'or')}; it is ${String(doc['status'])}.`)
  if (action.reauth) parts.push(' The password is asked for again.')
  return parts.join('')
}

function whoMay(type: Doctype, verb: string, ofRole: (role: Role) => Grant | undefined): string {
  const roles: Role[] = ['Owner', 'Organization Admin', 'Organization Manager', 'Platform Admin']
  const may = roles.filter((role) => ofRole(role))
  if (may.length === 0) return ` Nobody may ${verb} ${manyOf(type)} directly.`
  return ` ${capital(listed(may.map(manyOfRole), 'and'))} may.`
}

function refusedToken({ name }: Subject, verb: string, type: Doctype): Explanation {
  const text = type.area
    ? `This API token may not ${verb} ${manyOf(type)}: its scopes do not include it (area “${type.area}”).`
    : `API tokens may not ${verb} ${manyOf(type)}, whatever their scopes. ${name} may with a browser.`
  return { allowed: false, rule: 'token_scope', text }
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
const lowered = (text: string) => (text.startsWith('You ') ? `y${text.slice(1)}` : text)

/** Who is asked about: the caller, or a member of the caller's organization when the caller leads it. */
async function subjectOf(setting: Setting, session: Session, wanted: string | null | undefined): Promise<Subject> {
  const user = (wanted ?? '').trim().toLowerCase()
  if (user === '' || user === session.user) return { session, name: 'You', are: 'are' }
  const own = await standingIn(setting.db, session, session.organization)
  const leads = own.roles.includes('Owner') || own.roles.includes('Organization Admin')
  if (!isMember(own) || !leads || session.token)
    throw new AppError('forbidden', say`Only the owner and admins can ask about other people.`, { field: 'user' })
  const found = await sql<{ full_name: string | null }>`
    select u.full_name from ${tableRef('User')} u
    join ${tableRef('Organization Member')} m on m."user" = u.name and m.parent = ${session.organization}
    where u.name = ${user}`.execute(setting.db)
  const row = found.rows[0]
  if (!row)
    throw new AppError('not_found', say`${user.slice(0, 140)} is not a member of your organization.`, { field: 'user' })
  const theirs: Session = {
    ...session,
    user,
    kind: 'cookie',
    // Whether the account is verified, switched off or a platform admin's is told to its owner only.
    verified: true,
    platformAdmin: false,
    fullName: row.full_name ?? user,
    id: null,
    reauthAt: null,
  }
  return { session: theirs, name: row.full_name ?? user, are: 'is' }
}
