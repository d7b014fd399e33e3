import type { Field, FieldOptions, Role } from './fields.ts'
import type { LimitedResource } from './rules/limited-resources.ts'
import type { TokenArea, TokenScope } from './rules/token-scopes.ts'
import type { UndoRule } from './undo.ts'

/** Operator of a filter triple. The API accepts `<>` as `!=`. */
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

/** `[field, operator, value]`. In permission rules, the value can be `$user` (the acting user). */
export type FilterTriple = readonly [field: string, operator: FilterOperator, value: unknown]

/**
 * A row-level permission rule, written as data so that SQL and the web app evaluate the same one.
 * - a triple compares a field of the document;
 * - `shared` matches if the acting user has that bit in a DocShare of the document;
 * - `link` matches if the document the link field names matches the inner rule;
 * - `linked_from` matches if a document of that doctype links here and matches the inner rule;
 * - `readable_reference` matches if `reference_doctype` names the role among its `activity_readers` (`any`: all doctypes) and
 *   the role can read the document `reference_name`, or could when it was deleted; with `any` also if no document is named;
 * - `attached_to` matches if `attached_to_doctype` takes `attachments` and the acting user can read (or write) the document
 *   `attached_to_name`.
 */
export type Rule =
  | FilterTriple
  | { readonly any: readonly Rule[] }
  | { readonly all: readonly Rule[] }
  | { readonly shared: 'read' | 'write' | 'share' }
  | { readonly link: string; readonly matches: Rule }
  | { readonly linked_from: { readonly doctype: string; readonly field: string }; readonly matches: Rule }
  | { readonly readable_reference: Role | 'any' }
  | { readonly attached_to: 'read' | 'write' }

/** Whether an operation is allowed: always, never, or on rows that match the rule. */
export type Grant = boolean | Rule

/** Permissions of one role. Absent = denied. */
export interface RolePermission {
  read?: Grant
  create?: Grant
  write?: Grant
  delete?: Grant
  /** Fields the role can read: all (default), or the named ones (besides `name` and the standard fields). */
  fields?: 'all' | readonly string[]
}

/** Fields by name: those of a document, or the arguments of an action or method. */
export type Fields = Record<string, Field>

/** Whether and how the activity log records an action: each action that is recorded has its wording. */
type ActionActivity =
  | {
      /** Text of its entries in the activity log and of its job's, in the past tense, after a name: "shared the site". */
      activity: string
      reads?: never
      keeps?: never
    }
  | {
      /** Read-only: doesn't lock the document or write to the activity log. */
      reads: true
      /** It stores what it found, or tells a vendor something first: called by POST only, and a token needs the scope for writing. */
      keeps?: true
      activity?: never
    }

/** An operation on a document beyond editing it. `A`: its arguments. */
export type Action<A extends Fields = Fields> = ActionOptions<A> & ActionActivity

interface ActionOptions<A extends Fields> {
  label: string
  /** Other words for it, which the search finds it by. */
  keywords?: readonly string[]
  /** Allowed roles; a row rule can restrict a role. */
  allow: Partial<Record<Role, Grant>>
  /** States (`status`) in which it can be started. Default: any. */
  from?: readonly string[]
  /** Documents it applies to: it isn't offered for others, and a call is refused with the field that is in the way. */
  for?: FilterTriple
  /** Text of the confirmation dialog, by the `count` of documents if it can be several. Default: no dialog. */
  confirm?: string
  /** How it reads with the document's `{title}`, in questions and in the search. Default: label and title, for single verbs. */
  phrase?: string
  /** Field whose value the user must type to confirm (sent as `confirm_name`, or under the field's own name). */
  confirm_field?: string
  /** Action that it can do first, asked for by a check argument of that name: on by default where that action is possible. */
  first?: string
  /** Arguments, described like fields; used for the dialog and for validation. */
  args?: A
  /** Starts a Job and returns its name in `job`. While another job holds the document, it waits in the queue. */
  job?: boolean
  /** What undoes it: an action without arguments, or a call with the values of before. Offered once it is done. */
  undo?: string | UndoRule
  /** Requires a password check within the last 10 minutes. */
  reauth?: boolean
  /** Doesn't touch anything a job works on, so it can run while a job holds the document. */
  while_locked?: true
  /** Styled as dangerous. */
  danger?: boolean
  /** Omitted from the action menu; shown by dedicated UI. */
  hidden?: boolean
  /** Engine capability it needs; without it the action is disabled with the engine's reason. */
  capability?: string
  /** Name of its response schema in `shared/responses/actions.ts`. Default: `job` if it starts one. */
  returns?: string
  /** Returns one of the document's revealable fields; see `revealAction`. */
  reveals?: true
  /** Scope an API token needs: by default the area's for writing, or for reading if it `changesNothing`. `false`, `reauth`: never. */
  tokens?: TokenScope | false
  /**
   * Users whose rights it changes, for whose operations it waits: names of arguments that hold a user, or `$user` (the caller),
   * `$owner` (of the document), `$members` (of the organization the document is).
   */
  rights_of?: readonly string[]
}

/** How a document belongs to an organization. */
export type Tenant =
  /** Through the named link field (usually `organization`; `parent` for members). */
  | { kind: 'link'; field: string }
  /** The document is the organization. */
  | { kind: 'organization' }
  /** Belongs to one user: the named field holds their email address. */
  | { kind: 'user'; field: string }
  /**
   * Through the named link field if it is set. Rows without an organization belong to the user they are attached to
   * (`attached_to_doctype` User), and to their owner.
   */
  | { kind: 'attachment'; organization: string }
  /** Belongs to the platform; visible only to explicitly listed roles. */
  | { kind: 'platform' }

/** Description of an entity. `F`: its fields; `A`: the arguments of each action; `C`: whether its rows are child rows. */
export interface DoctypeOptions<F extends Fields, A extends Record<string, unknown>, C extends boolean> {
  /** Module the organization must have enabled to see its pages: `ee`, `wpc`, or `core`. */
  module: 'core' | 'ee' | 'wpc'
  tenant: Tenant
  /** Scope area for API tokens. Default: not accessible to tokens. */
  area?: TokenArea
  /**
   * Its documents can have attachments, which whoever can read the document can read. Default: uploads to it are rejected, so
   * that no file becomes readable before someone has decided who can read it.
   */
  attachments?: true
  /** Roles besides admins that see the activity, with changed values, of the documents they can read. Default: none. */
  activity_readers?: readonly Role[]
  /** By an action of the document: entries of the log whose details only those see who may run it, because they name people. */
  activity_details?: Readonly<Record<string, readonly string[]>>
  /** Path (below /web) in front of the name of a document that has a page of its own, for example `/site`. */
  page?: string
  /** Its documents count toward this limit of the organization's plan, except those with the named status. */
  plan_limit?: { readonly resource: LimitedResource; readonly except: string }
  /** Field shown instead of the generated name. */
  title_field?: string
  /** Field with the name people gave the document, if any: shown before the title field's (`displayName`). */
  display_field?: string
  /** `status` while a job changes the document, and what it is again afterwards: what can start then can be called meanwhile. */
  passing_status?: { readonly now: string; readonly afterwards: string }
  /** `random`: 10 characters a-z0-9; `field:x`: the value of field x. */
  naming: 'random' | `field:${string}`
  /** Rows of another doctype's Table field. */
  is_child?: C
  fields: F
  /** `filter_fields`: fields offered first as filters, in this order; others follow in the order of `fields`. */
  list?: {
    filters?: readonly FilterTriple[]
    order_by?: string
    /** Numeric field that lists on the screen are ordered by first, highest first, until the user orders them. */
    urgent_first?: keyof F & string
    /** Alternatives of which a row meets one exactly if `urgent_first` is not 0. */
    urgent_when?: readonly FilterTriple[]
    filter_fields?: readonly (keyof F & string)[]
    /** Fields that lists are sorted by, besides those with `in_list_view` or `in_standard_filter`; each costs an index. */
    sort_fields?: readonly (keyof F & string)[]
    /** Fields by whose values the rows of lists on the screen can be grouped. */
    group_fields?: readonly (keyof F & string)[]
    /** Lists on the screen have no search by text: their rows share their titles. */
    same_titles?: true
    /** Actions that people often run on several rows: offered first, in this order. */
    bulk_first?: readonly string[]
  }
  /**
   * Which documents are suggested for a link of another doctype (`reference_doctype` of `search_link`), in addition to the
   * caller's filters and also by fields the caller can't read.
   */
  link_filters?: Readonly<Record<string, readonly FilterTriple[]>>
  /** Fields by which such suggestions can be filtered by callers who can't read them. */
  link_filter_fields?: Readonly<Record<string, readonly (keyof F & string)[]>>
  /** Names that Frappe's clients send although they aren't fields, with the sentence that says what to call; others are ignored. */
  refused?: Readonly<Record<string, string>>
  permissions: Partial<Record<Role, RolePermission>>
  actions?: { [K in keyof A]: Action<A[K] & Fields> }
  /** Additional indexes; `where` is SQL from our source, never from a client. */
  indexes?: readonly { fields: readonly string[]; unique?: boolean; where?: string }[]
  /** Record inserts, changes and deletions in the activity log. Default true; false for the logs themselves. */
  track_activity?: boolean
  /** Rows can't be changed or deleted, not even by our own code (enforced by a trigger). */
  append_only?: boolean
  /** Fields that only queries have, with their meaning: 0 or 1, derived from other rows (`documents/query/derived-fields.ts`). */
  derived?: Readonly<Record<string, string>>
  /** A start stores missing documents by itself, so documents in its table don't show that an installation was used. */
  seeded?: true
  /** Field with the user whom it grants rights in the organization. Writing it waits for that user's running operations. */
  rights_of?: string
  /** Field with the only user who can read a document: about its changes nobody else's connections are looked at. */
  reader?: string
  /** Actions also lock the organization's row, which comes first in the lock order. */
  with_organization?: true
  /** Plural label, for example "Sites". */
  plural?: string
}

/** A described entity. */
export interface Doctype<
  F extends Fields = Fields,
  A extends Record<string, unknown> = Record<string, Fields>,
  C extends boolean = boolean,
  N extends string = string,
> extends DoctypeOptions<F, A, C> {
  readonly name: N
}

/** Describes an entity. Tables, API, forms, lists, role tests and types are derived from this. */
export function doctype<
  const F extends Fields,
  const A extends Record<string, unknown> = Record<never, unknown>,
  const C extends boolean = false,
  const N extends string = string,
>(name: N, options: DoctypeOptions<F, A, C>): Doctype<F, A, C, N> {
  return { name, ...options }
}

/** Fields of every document; set by the server. */
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

/** Standard fields of child rows besides the common ones. */
export const childFields = ['parent', 'parentfield', 'parenttype'] as const

/** Position of a child row in its parent document. */
export type ChildFields = { parent: string; parentfield: string; parenttype: string }

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

/** Names of the described fields. */
export const fieldNames = <F extends Fields>(type: Doctype<F>): (keyof F & string)[] => Object.keys(type.fields)

/** A document whose doctype is not known at compile time. */
export type AnyDoc = StandardFields & { doctype: string } & Record<string, unknown>

/** Label of a field; by default its name in sentence case. */
export function fieldLabel(name: string, field: FieldOptions): string {
  if (field.label) return field.label
  const words = name.replaceAll('_', ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Name of the field that holds the organization, or null. */
export function tenantField(type: Doctype): string | null {
  return type.tenant.kind === 'link' ? type.tenant.field : null
}
