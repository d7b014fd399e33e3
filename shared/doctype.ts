import type { Field, FieldOptions, Role } from './fields.ts'
import type { ResponseSchema } from './schema.ts'
import type { TokenArea, TokenScope } from './rules/token-scopes.ts'

/** Comparison of a filter triple. `<>` is accepted on the wire as `!=`. */
export type FilterOperator =
  | '='
  | '!='
  | '>'
  | '<'
  | '>='
  | '<='
  | 'like'
  | 'not like'
  | 'in'
  | 'not in'
  | 'between'
  | 'is'
  | 'timespan'

/** `[field, operator, value]`, values of permission rules may be `$user` (the acting user). */
export type FilterTriple = readonly [field: string, operator: FilterOperator, value: unknown]

/**
 * A row rule of a permission: data, so that SQL and interface read the same.
 * - a triple compares a field of the document;
 * - `shared` holds when the acting user has that bit in a DocShare of the document;
 * - `link` holds when the document the link field names matches the inner rule;
 * - `linked_from` holds when a document of that doctype links here and matches the inner rule;
 * - `readable_reference` holds when `reference_doctype` is one of the named doctypes (`any`: whichever) and the role may
 *   read the document `reference_name`, or could at its end; with `any` also when no document is named;
 * - `attached_to` holds when `attached_to_doctype` is one of the named doctypes and the acting user may read (or write)
 *   the document `attached_to_name`.
 */
export type Rule =
  | FilterTriple
  | { readonly any: readonly Rule[] }
  | { readonly all: readonly Rule[] }
  | { readonly shared: 'read' | 'write' | 'share' }
  | { readonly link: string; readonly matches: Rule }
  | { readonly linked_from: { readonly doctype: string; readonly field: string }; readonly matches: Rule }
  | { readonly readable_reference: readonly string[] | 'any' }
  | { readonly attached_to: readonly string[]; readonly may: 'read' | 'write' }

/** Whether an operation is allowed: always, never, or on rows that satisfy the rule. */
export type Grant = boolean | Rule

/** What one role may do. Absent = denied. */
export interface RolePermission {
  read?: Grant
  create?: Grant
  write?: Grant
  delete?: Grant
  /** Fields the role can read: all (default), or the named ones (beside `name` and the standard fields). */
  fields?: 'all' | readonly string[]
}

/** Fields by name: those of a document, or the arguments of an action or method. */
export type Fields = Record<string, Field>

/** Something a person can do to a document beyond editing it. `A`: its arguments. */
export interface Action<A extends Fields = Fields> {
  label: string
  /** Roles; a row rule can narrow a role. */
  allow: Partial<Record<Role, Grant>>
  /** States (`status`) in which it can be started; absent = any. */
  from?: readonly string[]
  /** Documents it makes sense for: it is not offered for others, whose handler says why it cannot be. */
  for?: FilterTriple
  /** Question of the confirmation dialog; absent = no dialog. */
  confirm?: string
  /** Field whose value must be typed to confirm (sent as `confirm_name`). */
  confirm_field?: string
  /** Arguments, described like fields; the dialog and the validation come from this. */
  args?: A
  /** It starts a Job and returns its name in `job`. */
  job?: boolean
  /** Action without arguments that takes it back; offered to who started it, once it is done. */
  undo?: string
  /** Needs a fresh password check (10 minutes). */
  reauth?: boolean
  /** It touches nothing a job works on, so that a job that holds the document does not hold it up. */
  while_locked?: true
  /** Drawn as dangerous. */
  danger?: boolean
  /** Drawn by pages of their own instead of the action menu. */
  hidden?: boolean
  /** Engine capability it needs; disabled with the engine's reason without it. */
  capability?: string
  /** What it answers, for the reference documentation; by default `job` where it starts one. */
  returns?: ResponseSchema
  /** It gives back one of the document's revealable fields; see `revealAction`. */
  reveals?: true
  /** It only reads: no lock on the document, nothing in the activity log. */
  reads?: true
  /**
   * API tokens run it with the writing (when it only `reads`: the reading) scope of the doctype's area; with this scope
   * instead, or never. Actions with `reauth` they never run.
   */
  tokens?: TokenScope | false
  /**
   * People whose rights it changes: names of arguments that hold a user, or `$user` (the caller), `$owner` (the
   * document's), `$members` (of the organization it is). What they are doing ends before it begins.
   */
  rights_of?: readonly string[]
}

/** How a document belongs to an organization. */
export type Tenant =
  /** By the named link field (usually `organization`; `parent` for members). */
  | string
  /** The document is the organization. */
  | { kind: 'organization' }
  /** Belongs to one user: the named field holds the e-mail. */
  | { kind: 'user'; field: string }
  /**
   * By the named link field while that is set; rows without an organization go with the user they are attached to
   * (`attached_to_doctype` User), and with their owner.
   */
  | { kind: 'attachment'; organization: string }
  /** The platform's own; only explicit roles see it. */
  | { kind: 'platform' }

/** Description of one entity. `F`: its fields; `A`: the arguments of each of its actions; `C`: whether its rows are children. */
export interface DoctypeOptions<F extends Fields, A extends Record<string, unknown>, C extends boolean> {
  /** Module that must be enabled in the organization for the screens: `ee`, `wpc`, or `core`. */
  module: 'core' | 'ee' | 'wpc'
  tenant: Tenant
  /** Area of the scopes that let API tokens in; absent = closed to tokens. */
  area?: TokenArea
  /** Field shown instead of the generated name. */
  title_field?: string
  /** `random`: 10 characters a-z0-9; `field:x`: the value of field x. */
  naming: 'random' | `field:${string}`
  /** Rows of another doctype's Table field. */
  is_child?: C
  fields: F
  list?: { filters?: readonly FilterTriple[]; order_by?: string }
  permissions: Partial<Record<Role, RolePermission>>
  actions?: { [K in keyof A]: Action<A[K] & Fields> }
  /** Further indexes; `where` is written SQL of ours, never a client's. */
  indexes?: readonly { fields: readonly string[]; unique?: boolean; where?: string }[]
  /** Written to the activity log on insert, change and delete. Default true; false for logs themselves. */
  track_activity?: boolean
  /** Nobody can change or delete rows, not even our own code (a trigger refuses). */
  append_only?: boolean
  /** Field with the person to whom the document gives rights in the organization: writing it waits for what they are doing. */
  rights_of?: string
  /** Acting on one holds the organization's row as well, which then comes first in the order of locks. */
  with_organization?: true
  /** Plural for people, e.g. "Sites". */
  plural?: string
}

/** A described entity. */
export interface Doctype<
  F extends Fields = Fields,
  A extends Record<string, unknown> = Record<string, Fields>,
  C extends boolean = boolean,
> extends DoctypeOptions<F, A, C> {
  readonly name: string
}

/** Describes an entity. Everything else (table, API, form, list, role tests, types) comes from this. */
export function doctype<
  const F extends Fields,
  const A extends Record<string, unknown> = Record<never, unknown>,
  const C extends boolean = false,
>(name: string, options: DoctypeOptions<F, A, C>): Doctype<F, A, C> {
  return { name, ...options }
}

/** Fields every document has; the server owns them. */
export type StandardFields = {
  name: string
  owner: string
  /** `YYYY-MM-DD HH:MM:SS.ffffff`, UTC. */
  creation: string
  modified: string
  modified_by: string
  docstatus: 0
  idx: number
}

/** Names and order of the standard fields. */
export const standardFields = ['name', 'owner', 'creation', 'modified', 'modified_by', 'docstatus', 'idx'] as const

/** Standard fields of child rows beside the common ones. */
export const childFields = ['parent', 'parentfield', 'parenttype'] as const

/** Where a child row stands in its document. */
export type ChildFields = {
  parent: string
  parentfield: string
  parenttype: string
}

/** The values of described fields. */
export type Values<F extends Fields> = { -readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never }

/** A document of doctype `D`, e.g. `type Site = Doc<typeof SiteDoctype>`. */
export type Doc<D extends Doctype> = StandardFields & { doctype: string } & Values<D['fields']> &
  (D extends { is_child?: true } ? ChildFields : unknown)

/** The arguments of each action of doctype `D`. */
type Arguments<D extends Doctype> = D extends Doctype<Fields, infer A, boolean> ? A : never

/** Names of the actions of doctype `D`. */
export type ActionName<D extends Doctype> = keyof Arguments<D> & string

/** The arguments of an action, e.g. `Args<typeof SiteDoctype, 'share'>`. */
export type Args<D extends Doctype, K extends ActionName<D>> = Arguments<D>[K] extends Fields
  ? Values<Arguments<D>[K]>
  : Values<Record<never, Field>>

/** The described fields by name. */
export function fieldNames<F extends Fields>(type: Doctype<F>): (keyof F & string)[] {
  return Object.keys(type.fields)
}

/** A document whose doctype is not known at compile time. */
export type AnyDoc = StandardFields & { doctype: string } & Record<string, unknown>

/** Label of a field: its own, else its name in sentence case. */
export function fieldLabel(name: string, field: FieldOptions): string {
  if (field.label) return field.label
  const words = name.replaceAll('_', ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Name of the field that holds the organization, or null. */
export function tenantField(type: Doctype): string | null {
  return typeof type.tenant === 'string' ? type.tenant : null
}
