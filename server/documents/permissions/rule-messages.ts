import { fieldLabel, type Doctype, type FilterTriple, type Grant, type Rule } from '#shared/doctype.ts'
import type { Role } from '#shared/fields.ts'
import { say, term, type Sentence } from '#shared/sentence.ts'
import type { TypeByName } from '#server/contracts/type-by-name.ts'
import { activityOf } from './rule-sql.ts'

/** Names of people by role, singular and plural. */
const roleNames: Readonly<Record<Role, readonly [one: Sentence, many: Sentence]>> = {
  'Platform Admin': [say`a platform admin`, say`platform admins`],
  Owner: [say`the owner`, say`the owner`],
  'Organization Admin': [say`an admin`, say`admins`],
  'Organization Manager': [say`a manager`, say`managers`],
  'Organization User': [say`a member`, say`members`],
  Self: [say`the person it belongs to`, say`people, for what belongs to them,`],
  User: [say`signed in and verified`, say`verified users`],
}

/** "a manager". */
export const oneOfRole = (role: Role): Sentence => roleNames[role][0]
/** "managers". */
export const manyOfRole = (role: Role): Sentence => roleNames[role][1]

/** Item of a list. */
type Word = Sentence | number

/** `a`, `a or b`, `a, b or c`. */
export function listed<Item extends Word>(words: readonly Item[], joint: 'and' | 'or'): Item | Sentence {
  const last = words.at(-1)
  if (last === undefined) return say`nothing`
  const before = words.slice(0, -1)
  if (before.length === 0) return last
  return joint === 'and' ? say`${before} and ${last}` : say`${before} or ${last}`
}

/** "sites", "API tokens": for use within a sentence. */
export function manyOf(type: Doctype): Sentence {
  return term(lowerFirst(type.plural ?? `${type.name}s`))
}

/** "site", "API token". */
export function oneOf(type: Doctype): Sentence {
  return term(lowerFirst(type.name))
}

function lowerFirst(text: string): string {
  return /^[A-Z]{2}/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1)
}

/**
 * Describes the rows a grant covers, placed after "sites": "they created or that were shared with them"; null for all rows.
 */
export function grantWords(grant: Grant, type: Doctype, typeByName: TypeByName): Sentence | null {
  return typeof grant === 'object' ? ruleWords(grant, type, typeByName) : null
}

function ruleWords(rule: Rule, type: Doctype, typeByName: TypeByName): Sentence {
  const inner = (part: Rule, of: Doctype = type) => ruleWords(part, of, typeByName)
  if (isTriple(rule)) return tripleWords(rule, type)
  if ('any' in rule)
    return listed(
      rule.any.map((part) => inner(part)),
      'or',
    )
  if ('all' in rule)
    return listed(
      rule.all.map((part) => inner(part)),
      'and',
    )
  if ('shared' in rule) return sharedWords[rule.shared]
  if ('link' in rule) {
    const field = type.fields[rule.link]
    const target = typeof field?.options === 'string' ? typeByName(field.options) : null
    return target && field ? say`on a ${oneOf(target)} ${inner(rule.matches, target)}` : nobodys
  }
  if ('linked_from' in rule) {
    const source = typeByName(rule.linked_from.doctype)
    return source ? say`that hold ${manyOf(source)} ${inner(rule.matches, source)}` : nobodys
  }
  if ('readable_reference' in rule)
    return rule.readable_reference === 'any'
      ? say`about what they can see`
      : say`about ${kinds(activityOf(rule.readable_reference, typeByName))} they can see`
  const attachedTo = kinds(typeByName.types.filter((target) => target.attachments))
  return rule.attached_to === 'read'
    ? say`attached to ${attachedTo} they can see`
    : say`attached to ${attachedTo} they can change`
}

const nobodys = say`nobody has`

const sharedWords = {
  read: say`that were shared with them`,
  write: say`that were shared with them to be changed`,
  share: say`that were shared with them to be passed on`,
} as const

function kinds(types: readonly Doctype[]): Sentence {
  return listed(types.map(manyOf), 'or')
}

function isTriple(rule: Rule): rule is FilterTriple {
  return Array.isArray(rule)
}

/** Conditions with a shorter wording. */
const short: Readonly<Record<string, Sentence>> = {
  'owner = $user': say`they created`,
  'user = $user': say`about themselves`,
  'parent = $user': say`in their own account`,
}

/** Conditions with the name of a field and a value. */
const comparisons: Readonly<Record<Exclude<FilterTriple[1], 'is'>, (field: Sentence, to: Word) => Sentence>> = {
  '=': (field, to) => say`whose ${field} is ${to}`,
  '!=': (field, to) => say`whose ${field} is not ${to}`,
  '>': (field, to) => say`whose ${field} is more than ${to}`,
  '<': (field, to) => say`whose ${field} is less than ${to}`,
  '>=': (field, to) => say`whose ${field} is at least ${to}`,
  '<=': (field, to) => say`whose ${field} is at most ${to}`,
  like: (field, to) => say`whose ${field} is like ${to}`,
  'not like': (field, to) => say`whose ${field} is not like ${to}`,
  in: (field, to) => say`whose ${field} is ${to}`,
  'not in': (field, to) => say`whose ${field} is not ${to}`,
  between: (field, to) => say`whose ${field} lies between ${to}`,
  timespan: (field, to) => say`whose ${field} lies in ${to}`,
}

/** Operands of rules are part of the description (choices and doctype names) and translated like it. */
function tripleWords([name, operator, value]: FilterTriple, type: Doctype): Sentence {
  const known = short[`${name} ${operator} ${String(value)}`]
  if (known) return known
  const field = type.fields[name]
  const label = term(field ? lowerFirst(fieldLabel(name, field)) : name.replaceAll('_', ' '))
  if (operator === 'is') return value === 'not set' ? say`whose ${label} is not set` : say`whose ${label} is set`
  if (Array.isArray(value))
    return comparisons[operator](label, listed(value.map(word), operator === 'between' ? 'and' : 'or'))
  return comparisons[operator](label, value === '$user' ? say`themselves` : word(value))
}

/** Choices and doctypes are translatable terms; numbers stay. */
const word = (value: unknown): Word => (typeof value === 'number' ? value : term(String(value)))
