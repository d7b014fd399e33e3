import { fieldLabel, type Doctype, type FilterTriple, type Grant, type Rule } from '#shared/doctype.ts'
import type { Role } from '#shared/fields.ts'
import { msg, labelMessage, type LocalizedMessage } from '#shared/localized-message.ts'
import type { TypeByName } from '#server/contracts/type-by-name.ts'
import { activityOf } from './rule-sql.ts'

/** Names of people by role, singular and plural. */
const roleNames: Readonly<Record<Role, readonly [one: LocalizedMessage, many: LocalizedMessage]>> = {
  'Platform Admin': [msg`a platform admin`, msg`platform admins`],
  Owner: [msg`the owner`, msg`the owner`],
  'Organization Admin': [msg`an admin`, msg`admins`],
  'Organization Manager': [msg`a manager`, msg`managers`],
  'Organization User': [msg`a member`, msg`members`],
  Self: [msg`the person it belongs to`, msg`people, for what belongs to them,`],
  User: [msg`logged in and verified`, msg`verified users`],
}

/** "a manager". */
export const singularRole = (role: Role): LocalizedMessage => roleNames[role][0]
/** "managers". */
export const pluralRole = (role: Role): LocalizedMessage => roleNames[role][1]

/** Item of a list. */
type ListItem = LocalizedMessage | number

/** `a`, `a or b`, `a, b or c`. */
export function joinList<Item extends ListItem>(items: readonly Item[], joint: 'and' | 'or'): Item | LocalizedMessage {
  const last = items.at(-1)
  if (last === undefined) return msg`nothing`
  const before = items.slice(0, -1)
  if (before.length === 0) return last
  return joint === 'and' ? msg`${before} and ${last}` : msg`${before} or ${last}`
}

/** "sites", "API tokens": for use within a sentence. */
export function pluralLabel(type: Doctype): LocalizedMessage {
  return labelMessage(lowerFirst(type.plural ?? `${type.name}s`))
}

/** "site", "API token". */
export function singularLabel(type: Doctype): LocalizedMessage {
  return labelMessage(lowerFirst(type.name))
}

function lowerFirst(text: string): string {
  return /^[A-Z]{2}/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1)
}

/**
 * Describes the rows a grant covers, placed after "sites": "they created or that were shared with them"; null for all rows.
 */
export function describeGrant(grant: Grant, type: Doctype, typeByName: TypeByName): LocalizedMessage | null {
  return typeof grant === 'object' ? describeRule(grant, type, typeByName) : null
}

function describeRule(rule: Rule, type: Doctype, typeByName: TypeByName): LocalizedMessage {
  const inner = (part: Rule, of: Doctype = type) => describeRule(part, of, typeByName)
  if (isTriple(rule)) return describeTriple(rule, type)
  if ('any' in rule)
    return joinList(
      rule.any.map((part) => inner(part)),
      'or',
    )
  if ('all' in rule)
    return joinList(
      rule.all.map((part) => inner(part)),
      'and',
    )
  if ('shared' in rule) return shareMessages[rule.shared]
  if ('link' in rule) {
    const field = type.fields[rule.link]
    const target = typeof field?.options === 'string' ? typeByName(field.options) : null
    return target && field ? msg`on a ${singularLabel(target)} ${inner(rule.matches, target)}` : noOneHas
  }
  if ('linked_from' in rule) {
    const source = typeByName(rule.linked_from.doctype)
    return source ? msg`that hold ${pluralLabel(source)} ${inner(rule.matches, source)}` : noOneHas
  }
  if ('readable_reference' in rule)
    return rule.readable_reference === 'any'
      ? msg`about documents they can see`
      : msg`about ${kinds(activityOf(rule.readable_reference, typeByName))} they can see`
  const attachedTo = kinds(typeByName.types.filter((target) => target.attachments))
  return rule.attached_to === 'read'
    ? msg`attached to ${attachedTo} they can see`
    : msg`attached to ${attachedTo} they can change`
}

const noOneHas = msg`no one has`

const shareMessages = {
  read: msg`that were shared with them`,
  write: msg`that were shared with them to be changed`,
  share: msg`that were shared with them to be passed on`,
} as const

function kinds(types: readonly Doctype[]): LocalizedMessage {
  return joinList(types.map(pluralLabel), 'or')
}

function isTriple(rule: Rule): rule is FilterTriple {
  return Array.isArray(rule)
}

/** Conditions with a shorter wording. */
const short: Readonly<Record<string, LocalizedMessage>> = {
  'owner = $user': msg`they created`,
  'user = $user': msg`about themselves`,
  'parent = $user': msg`in their own account`,
}

/** Conditions with the name of a field and a value. */
const comparisons: Readonly<
  Record<Exclude<FilterTriple[1], 'is'>, (field: LocalizedMessage, to: ListItem) => LocalizedMessage>
> = {
  '=': (field, to) => msg`whose ${field} is ${to}`,
  '!=': (field, to) => msg`whose ${field} is not ${to}`,
  '>': (field, to) => msg`whose ${field} is more than ${to}`,
  '<': (field, to) => msg`whose ${field} is less than ${to}`,
  '>=': (field, to) => msg`whose ${field} is at least ${to}`,
  '<=': (field, to) => msg`whose ${field} is at most ${to}`,
  like: (field, to) => msg`whose ${field} is like ${to}`,
  'not like': (field, to) => msg`whose ${field} is not like ${to}`,
  in: (field, to) => msg`whose ${field} is ${to}`,
  'not in': (field, to) => msg`whose ${field} is not ${to}`,
  between: (field, to) => msg`whose ${field} lies between ${to}`,
  timespan: (field, to) => msg`whose ${field} lies in ${to}`,
}

/** Operands of rules are part of the description (choices and doctype names) and translated like it. */
function describeTriple([name, operator, value]: FilterTriple, type: Doctype): LocalizedMessage {
  const known = short[`${name} ${operator} ${String(value)}`]
  if (known) return known
  const field = type.fields[name]
  const label = labelMessage(field ? lowerFirst(fieldLabel(name, field)) : name.replaceAll('_', ' '))
  if (operator === 'is') return value === 'not set' ? msg`whose ${label} is not set` : msg`whose ${label} is set`
  if (Array.isArray(value))
    return comparisons[operator](label, joinList(value.map(valueMessage), operator === 'between' ? 'and' : 'or'))
  return comparisons[operator](label, value === '$user' ? msg`themselves` : valueMessage(value))
}

/** Choices and doctypes are translatable terms; numbers stay. */
const valueMessage = (value: unknown): ListItem => (typeof value === 'number' ? value : labelMessage(String(value)))
