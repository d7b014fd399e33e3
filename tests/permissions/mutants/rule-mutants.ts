/** Mutants of the descriptions, applied while the product runs: each grant widened, each field rule removed. */
import type { Action, Doctype, RolePermission } from '#shared/doctype.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import type { Field, Role } from '#shared/fields.ts'

/** A rule of a description, with functions to remove and restore it. */
export interface RuleMutant {
  readonly what: string
  readonly doctype: string
  /** Cases about the rule. */
  readonly about: RegExp
  apply(): () => void
}

const roles: readonly Role[] = [
  'Platform Admin',
  'Owner',
  'Organization Admin',
  'Organization Manager',
  'Organization User',
  'User',
]
/** Roles a token can have. */
const tokenRoles: readonly Role[] = ['Organization Admin', 'Organization Manager', 'Organization User']
const operations = ['read', 'create', 'write', 'delete'] as const
const letters = { read: 'R', create: 'C', write: 'W', delete: 'D' } as const

/** Sets a property of a description and returns how to undo it; nothing else in the process changes descriptions. */
function put<T extends object, K extends keyof T>(target: T, key: K, value: T[K] | undefined): () => void {
  const had = Object.hasOwn(target, key)
  const before = target[key]
  if (value === undefined) delete target[key]
  else target[key] = value
  return () => {
    if (had) target[key] = before
    else delete target[key]
  }
}

/** One mutant for every rule of every description; mutants that can't make a difference are skipped with a reason. */
export function ruleMutants(): RuleMutant[] {
  return doctypes.flatMap((type) => [...grantMutants(type), ...actionMutants(type), ...fieldMutants(type)])
}

function grantMutants(type: Doctype): RuleMutant[] {
  const isPersonal = ['user', 'attachment'].includes(type.tenant.kind)
  return [...roles, ...(isPersonal ? (['Self'] as const) : [])].flatMap((role) =>
    operations.flatMap((operation): RuleMutant[] => {
      if (grantsAlready(type, role, operation) || grantsNothing(type, role, operation)) return []
      const permissions = type.permissions as Partial<Record<Role, RolePermission>>
      return [
        {
          what: `${type.name}: ${role} may ${operation} everything`,
          doctype: type.name,
          about: new RegExp(
            ` ${letters[operation]} ${type.name}[/ ]|${operation === 'read' ? `reads exactly .* ${type.name}/` : '^$'}`,
          ),
          apply: () => put(permissions, role, { ...permissions[role], [operation]: true }),
        },
      ]
    }),
  )
}

/** Every role implies others: an owner is also an admin, and every verified person is a user. */
function grantsAlready(type: Doctype, role: Role, operation: (typeof operations)[number]): boolean {
  const implied: readonly Role[] = role === 'Owner' ? ['Owner', 'Organization Admin', 'User'] : [role, 'User']
  const own = role === 'User' || role === 'Self' ? [role] : implied
  return own.some((one) => type.permissions[one]?.[operation] === true)
}

/** Whether another rule makes widening a grant ineffective, whatever the suite does. */
function grantsNothing(type: Doctype, role: Role, operation: (typeof operations)[number]): boolean {
  // `Self` doesn't apply to a row that doesn't exist yet.
  if (role === 'Self' && operation === 'create') return true
  // The fields of an account can be set only by its owner, so nobody could fill in a new one.
  if (type.name === 'User' && operation === 'create') return true
  if (type.tenant.kind === 'link') {
    // Everyone who can see such a document has a role in its organization; creating one requires no lookup.
    const finds = role === 'User' && operation !== 'create'
    return finds && tokenRoles.every((one) => type.permissions[one]?.[operation] === true)
  }
  if (type.tenant.kind === 'platform') {
    const { User: everybody, 'Platform Admin': admins } = type.permissions
    // Rows visible only to platform admins can't be changed by anyone else, and platform admins already can.
    if (['write', 'delete'].includes(operation) && !everybody?.read && admins?.[operation] === true) return true
    // Platform rows ignore organization roles.
    return role !== 'User' && role !== 'Platform Admin'
  }
  // User rows are visible only to colleagues whose role can read them.
  const finds = role === 'Platform Admin' || Boolean(type.permissions[role]?.read)
  if (type.tenant.kind === 'user') return operation !== 'read' && operation !== 'create' && role !== 'Self' && !finds
  // The owner and admins can read and change all documents with attachments, managers can read them; personal files are
  // unattached.
  if (type.tenant.kind === 'attachment') {
    if (role === 'Owner' || role === 'Organization Admin' || role === 'Self') return operation !== 'create'
    return role === 'Platform Admin' || (operation === 'read' && role === 'Organization Manager')
  }
  return false
}

/**
 * An action requires read permission first: its rule has no effect if it equals the read rule, or if nothing is readable.
 */
function grantsNothingMore(type: Doctype, action: Action, role: Role): boolean {
  const isSame = (one: Role) => {
    const [read, allowed] = [type.permissions[one]?.read, action.allow[one]]
    return !read || allowed === true || (read !== true && JSON.stringify(read) === JSON.stringify(allowed))
  }
  // Every member is also a user, so a grant to users applies to everyone who can read the document.
  return role === 'User' ? roles.filter((one) => one !== 'User').every(isSame) : isSame(role)
}

function actionMutants(type: Doctype): RuleMutant[] {
  return Object.entries(type.actions ?? {}).flatMap(([name, action]): RuleMutant[] => {
    const about = new RegExp(` ${type.name}\\.${name} on `)
    const one = (what: string, apply: () => () => void): RuleMutant => ({
      what: `${type.name}.${name}: ${what}`,
      doctype: type.name,
      about,
      apply,
    })
    const widened = roles
      .filter(
        (role) => action.allow[role] !== true && !(role === 'Owner' && action.allow['Organization Admin'] === true),
      )
      .filter((role) => !grantsNothingMore(type, action, role))
      // Its result is filtered by permissions again.
      .filter(() => name !== 'list_invitations' && name !== 'list_members')
      .map((role) => one(`${role} may`, () => put(action.allow, role, true)))
    return [
      ...widened,
      ...(action.reauth ? [one('no password', () => put(action, 'reauth', undefined))] : []),
      // An action that asks for the password refuses tokens anyway.
      ...(action.tokens === false && !action.reauth && type.area && tokenRoles.some((role) => action.allow[role])
        ? [one('tokens may', () => put(action, 'tokens', undefined))]
        : []),
    ]
  })
}

function fieldMutants(type: Doctype): RuleMutant[] {
  const named = (role: Role) => type.permissions[role]?.fields
  const limited = roles.filter((role) => Array.isArray(named(role)))
  const whole = limited.map((role): RuleMutant => ({
    what: `${type.name}: ${role} reads all fields`,
    doctype: type.name,
    about: new RegExp(`reads exactly .* ${type.name}/`),
    apply: () => put(type.permissions[role] as RolePermission, 'fields', undefined),
  }))
  const isWritten = Object.values(type.permissions).some((permission) => permission.write)
  return [...whole, ...Object.entries(type.fields).flatMap(([name, field]) => ofField(type, name, field, isWritten))]
}

/** Whether every role that would gain the field reads only listed fields, and this isn't one of them. */
function isListed(type: Doctype, name: string): boolean {
  const readers = Object.entries(type.permissions).filter(
    ([role, one]) => one.read && role !== 'Self' && role !== 'Platform Admin',
  )
  return readers.every(([, one]) => Array.isArray(one.fields) && !one.fields.includes(name))
}

function ofField(type: Doctype, name: string, field: Field, isWritten: boolean): RuleMutant[] {
  const target = field as { -readonly [K in keyof Field]: Field[K] }
  const one = (what: string, about: RegExp, key: keyof Field): RuleMutant => ({
    what: `${type.name}.${name}: ${what}`,
    doctype: type.name,
    about,
    apply: () => put(target, key, undefined),
  })
  const reads = new RegExp(`reads exactly .* ${type.name}/|${type.name}\\.${name}\\b`)
  const writes = new RegExp(`${type.name}/\\w+\\.${name}\\b`)
  const found: RuleMutant[] = []
  if (field.hidden) found.push(one('not hidden', reads, 'hidden'))
  if (field.secret && !field.hidden) found.push(one('no secret', reads, 'secret'))
  if (field.read_roles && !field.hidden && !isListed(type, name))
    found.push(one('read by everybody', reads, 'read_roles'))
  // Read-only and set-once fields can't be written anyway, whatever else the field says.
  const isTaken = field.write_roles && !field.read_only && !field.set_only_once
  if (isTaken && field.server_owned) found.push(one('the server’s alone', writes, 'write_roles'))
  // A plain field that isn't readable isn't writable either: two rules with the same effect.
  else if (isTaken && (field.secret || !field.read_roles))
    found.push(one('written by everybody', writes, 'write_roles'))
  const frozen = isWritten && field.fieldtype !== 'Table' && !field.hidden
  // A method lets everyone select an organization they belong to; another one can't be found as a link. Personal fields have
  // no column that could change.
  const isKept = !field.read_only && !field.personal
  if (frozen && field.server_owned && isKept && name !== 'current_organization')
    found.push(one('not the server’s', writes, 'server_owned'))
  // The full name is computed from its parts on each write.
  if (frozen && field.read_only && !field.server_owned && name !== 'full_name')
    found.push(one('not read only', writes, 'read_only'))
  return found
}
