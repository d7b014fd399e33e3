import { fieldLabel, type Doctype, type FilterTriple, type Grant, type Rule } from '#shared/doctype.ts'
import type { Role } from '#shared/fields.ts'

/** What people are called by their role, one and many. */
const roleNames: Readonly<Record<Role, readonly [one: string, many: string]>> = {
  'Platform Admin': ['a platform admin', 'platform admins'],
  Owner: ['the owner', 'the owner'],
  'Organization Admin': ['an admin', 'admins'],
  'Organization Manager': ['a manager', 'managers'],
  'Organization User': ['a member', 'members'],
  Self: ['the person it belongs to', 'people, for what belongs to them,'],
  User: ['signed in and verified', 'verified users'],
}

/** "a manager". */
export const oneOfRole = (role: Role): string => roleNames[role][0]
/** "managers". */
export const manyOfRole = (role: Role): string => roleNames[role][1]

/** `a`, `a or b`, `a, b or c`. */
export function listed(words: readonly string[], joint: 'and' | 'or'): string {
  if (words.length <= 1) return words[0] ?? ''
  return `${words.slice(0, -1).join(', ')} ${joint} ${words.at(-1) ?? ''}`
}

/** "sites", "API tokens": as in the middle of a sentence. */
export function manyOf(type: Doctype): string {
  return lowerFirst(type.plural ?? `${type.name}s`)
}

/** "site", "API token". */
export function oneOf(type: Doctype): string {
  return lowerFirst(type.name)
}

function lowerFirst(text: string): string {
  return /^[A-Z]{2}/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1)
}

/** Which rows a grant takes in, to be read after "sites": " they created or that were shared with them"; '' for all. */
export function grantWords(grant: Grant, type: Doctype, typeByName: (name: string) => Doctype | null): string {
  return typeof grant === 'object' ? ` ${ruleWords(grant, type, typeByName)}` : ''
}

function ruleWords(rule: Rule, type: Doctype, typeByName: (name: string) => Doctype | null): string {
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
    return target && field ? `on a ${oneOf(target)} ${inner(rule.matches, target)}` : 'nobody has'
  }
  if ('linked_from' in rule) {
    const source = typeByName(rule.linked_from.doctype)
    return source ? `that hold ${manyOf(source)} ${inner(rule.matches, source)}` : 'nobody has'
  }
  if ('readable_reference' in rule) return `about ${kinds(rule.readable_reference, typeByName)} they can see`
  const verb = rule.may === 'read' ? 'can see' : 'can change'
  return `attached to ${kinds(rule.attached_to, typeByName)} they ${verb}`
}

const sharedWords = {
  read: 'that were shared with them',
  write: 'that were shared with them to be changed',
  share: 'that were shared with them to be passed on',
} as const

function kinds(names: readonly string[], typeByName: (name: string) => Doctype | null): string {
  const found = names.map(typeByName).filter((type) => type !== null)
  return listed(found.map(manyOf), 'or')
}

function isTriple(rule: Rule): rule is FilterTriple {
  return Array.isArray(rule)
}

/** Conditions that people have a shorter word for. */
const short: Readonly<Record<string, string>> = {
  'owner = $user': 'they created',
  'user = $user': 'about themselves',
  'parent = $user': 'in their own account',
}

const comparisons: Readonly<Record<FilterTriple[1], string>> = {
  '=': 'is',
  '!=': 'is not',
  '>': 'is more than',
  '<': 'is less than',
  '>=': 'is at least',
  '<=': 'is at most',
  like: 'is like',
  'not like': 'is not like',
  in: 'is',
  'not in': 'is not',
  between: 'lies between',
  is: 'is',
  timespan: 'lies in',
}

function tripleWords([name, operator, value]: FilterTriple, type: Doctype): string {
  const known = short[`${name} ${operator} ${String(value)}`]
  if (known) return known
  const field = type.fields[name]
  const label = field ? lowerFirst(fieldLabel(name, field)) : name.replaceAll('_', ' ')
  const joint = operator === 'between' ? 'and' : 'or'
  const words = Array.isArray(value)
    ? listed(value.map(String), joint)
    : value === '$user'
      ? 'themselves'
      : String(value)
  return `whose ${label} ${comparisons[operator]} ${words}`
}
