import type { Matrix, Column } from './matrix.ts'
import type { Cell, Letter, RowScope } from './notation.ts'
import { profileOf, type PersonKey, type Slug } from './people.ts'
import type { Attributes, SubjectPlan } from './subject-plan.ts'
import { subjectPlans } from './subjects.ts'

/**
 * Expected outcome of a call:
 * - `allowed`: passes (a later rule about states or values may still reject it with 417);
 * - `refused`: 403, the person belongs to the organization;
 * - `missing`: 404, not visible to the person;
 * - `denied`: either of the last two.
 */
export type Expected = 'allowed' | 'refused' | 'missing' | 'denied'

/** A person's role for the documents of an organization, derived from their profile alone. */
export function columnOf(key: PersonKey, organization: Slug | null): Column | null {
  const { platformAdmin, unverified, disabled, withoutFactor, member = {}, owns, chosen, token } = profileOf(key)
  if (key === 'guest' || unverified || disabled || withoutFactor) return null
  if (token) return token.organization === organization ? columnByRole(token.role) : null
  if (platformAdmin) return 'PA'
  if (organization === null || chosen !== organization) return null
  if (owns === organization) return 'OW'
  return columnByRole((member as Partial<Record<Slug, string>>)[organization])
}

function columnByRole(role: string | undefined): Column | null {
  if (role === 'Organization Admin') return 'AD'
  if (role === 'Organization Manager') return 'MG'
  return role === 'Organization User' ? 'US' : null
}

/** Whether a token's scopes cover the doctype; sessions aren't limited by scopes. */
export function inScope(matrix: Matrix, key: PersonKey, doctype: string, letter: Letter): boolean {
  const { token } = profileOf(key)
  if (!token) return true
  const area = matrix.areas.get(doctype)
  const scopes: readonly string[] = token.scopes
  return area !== undefined && (scopes.includes(`${area}:write`) || (letter === 'R' && scopes.includes(`${area}:read`)))
}

/** Whether a person has no session: everything except guest methods is denied. */
export function isGuest(key: PersonKey): boolean {
  return key === 'guest' || profileOf(key).disabled === true
}

/** Whether two keys belong to the same account. */
export function isSame(a: PersonKey | undefined, b: PersonKey): boolean {
  return a !== undefined && profileOf(a).email === profileOf(b).email
}

/** The table's expectation for an operation of a person on a document. */
export function expectedOf(matrix: Matrix, key: PersonKey, plan: SubjectPlan, letter: Letter): Expected {
  if (isGuest(key)) return 'refused'
  const { attributes } = plan
  // Doctypes outside all scopes are denied without checking whether the document exists.
  if (!inScope(matrix, key, plan.doctype, letter)) return 'refused'
  const own = selfRow(plan, key)
  if (own !== null && plan.doctype === 'SSH Key') return 'allowed'
  if (own !== null)
    return reaches(rowOf(matrix, own)['US'].letters[letter], attributes, key, letter) ? 'allowed' : 'refused'
  if (attributes.everybody && !profileOf(key).token) {
    const cell = rowOf(matrix, plan.row)[profileOf(key).platformAdmin ? 'PA' : 'US']
    if (!profileOf(key).unverified && cell.letters[letter]) return 'allowed'
    return 'denied'
  }
  if (plan.doctype === 'File') return mayAsAttached(matrix, key, plan, letter) ? 'allowed' : 'denied'
  const here = columnOfPlan(key, plan)
  if (here === null) return 'missing'
  // The document an activity entry or a notification is about also counts.
  const about = aboutOf(plan)
  if (about && expectedOf(matrix, key, about, 'R') !== 'allowed') return 'refused'
  const cell = rowOf(matrix, plan.row)[here]
  if (attributes.ofOwner && (letter === 'W' || letter === 'D')) return 'refused'
  if (plan.doctype === 'Organization Member' && letter === 'W' && isSame(attributes.about, key)) return 'refused'
  if (plan.doctype === 'Organization Member' && letter === 'W' && escalatesWithToken(key, attributes)) return 'refused'
  if (reaches(cell.letters[letter], attributes, key, letter))
    return letter === 'D' && lacksPassword(key, plan) ? 'refused' : 'allowed'
  // Another user's private row: even its existence is hidden.
  if (['User Meta', 'SSH Key'].includes(plan.doctype)) return 'denied'
  return 'refused'
}

/** The document an activity entry or a notification is about; undefined if it isn't one of the suite's. */
function aboutOf({ doctype, attributes }: SubjectPlan): SubjectPlan | undefined {
  return doctype === 'Activity' || doctype === 'Notification Log'
    ? subjectPlans.find((one) => `${one.doctype}/${one.key}` === attributes.aboutPlan)
    : undefined
}

/** The tested write promotes a member to manager, and tokens can't raise roles. */
export const escalatesWithToken = (key: PersonKey, { role }: Attributes) =>
  profileOf(key).token !== undefined && role === 'Organization User'

/**
 * A file can be read by its owner and by those who can read the document it is attached to; it can be changed by those who
 * can change that document.
 */
function mayAsAttached(matrix: Matrix, key: PersonKey, plan: SubjectPlan, letter: Letter): boolean {
  const attached = subjectPlans.find((one) => `${one.doctype}/${one.key}` === plan.attributes.attachedTo)
  // Files of an organization belong to its members; others are personal, and a token never acts as the user alone.
  const isOwnFile = plan.attributes.organization === null && !profileOf(key).unverified && !profileOf(key).token
  const column = columnOfPlan(key, plan) ?? (isOwnFile ? 'US' : null)
  if (column === null || rowOf(matrix, plan.row)[column].letters[letter] === undefined) return false
  const own = isSame(plan.attributes.owner, key)
  if (!attached) return own
  return (own && letter === 'R') || expectedOf(matrix, key, attached, letter === 'R' ? 'R' : 'W') === 'allowed'
}

/** Row about the person themselves; null if the document isn't their own account. */
function selfRow(plan: SubjectPlan, key: PersonKey): string | null {
  // A token never acts as the user alone.
  if (!isSame(plan.attributes.about, key) || profileOf(key).token) return null
  if (plan.doctype === 'SSH Key') return 'User (self), SSH key, sessions'
  if (plan.doctype === 'User') return 'User (self), SSH key, sessions'
  return plan.doctype === 'User Meta' ? 'User Meta (self)' : null
}

/** Whether a deletion needs a recent password check, which the person's session lacks and a token never has. */
export function lacksPassword(key: PersonKey, { doctype }: SubjectPlan): boolean {
  const { stale, token } = profileOf(key)
  return (doctype === 'Organization' || doctype === 'Server') && (stale === true || token !== undefined)
}

/** Role for a document: the one in the person's current organization, also for the organization itself. */
export function columnOfPlan(key: PersonKey, plan: SubjectPlan): Column | null {
  return columnOf(key, plan.attributes.organization)
}

/** A person's role in an organization that may not be their current one. */
export function memberColumn(key: PersonKey, organization: Slug | null): Column | null {
  const { member = {}, unverified, withoutFactor, token } = profileOf(key)
  if (token) return columnOf(key, organization)
  const role = organization ? (member as Partial<Record<Slug, string>>)[organization] : undefined
  if (unverified || withoutFactor || isGuest(key) || role === undefined) return null
  return columnByRole(role)
}

/** A row of the table. Throws if there is none, because there are no default expectations. */
export function rowOf(matrix: Matrix, name: string): Readonly<Record<Column, Cell>> {
  const row = matrix.rows.get(name)
  if (!row) throw new Error(`The fixture has no row "${name}".`)
  return row
}

/** Whether a reach covers a document. */
export function reaches(
  reach: RowScope | 'share bit' | null | undefined,
  attributes: Attributes,
  key: PersonKey,
  letter: Letter,
): boolean {
  switch (reach) {
    case undefined:
    case null:
      return false
    case 'all':
      return true
    case 'starred':
      return isSame(attributes.owner, key) || hasBit(attributes, key, bitsFor[letter])
    case 'share bit':
      return isSame(attributes.owner, key) || hasBit(attributes, key, ['share'])
    case 'own':
      return isSame(attributes.owner, key) || isSame(attributes.about, key)
    case 'self':
      return isSame(attributes.about, key)
    case 'development':
      return attributes.development === true
    case 'development or with a shared site':
      return attributes.development === true || isSame(attributes.holdsShared, key)
    case 'about servers and sites':
      return ['Server', 'Site', 'WPC Site'].includes(attributes.reference ?? '')
    case 'about readable documents':
      return (
        attributes.referenceAttributes !== undefined && reaches('starred', attributes.referenceAttributes, key, 'R')
      )
    case 'not the owner':
      return attributes.ofOwner !== true
    case 'as Organization User':
      return attributes.role === 'Organization User'
    case 'as attached':
      return false
  }
}

/**
 * "read bit: sees it; write: settings, backups; share: like owner": any bit allows reading; only the share bit allows
 * deleting.
 */
const bitsFor: Readonly<Record<Letter, readonly ('read' | 'write' | 'share')[]>> = {
  R: ['read', 'write', 'share'],
  C: [],
  W: ['write', 'share'],
  D: ['share'],
}

function hasBit(attributes: Attributes, key: PersonKey, bits: readonly ('read' | 'write' | 'share')[]): boolean {
  return isSame(attributes.shared?.with, key) && bits.some((bit) => attributes.shared?.bits.includes(bit))
}
