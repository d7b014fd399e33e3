/**
 * Field builders: the words in which a doctype is described. The keys are Frappe's own.
 * From one description come column, validation, permissions, form, list, filter and TypeScript type.
 */
import type { TokenArea } from './rules/token-scopes.ts'

/** Frappe's field types that Easydash uses. */
export type FieldType =
  | 'Data'
  | 'Small Text'
  | 'Long Text'
  | 'Select'
  | 'Link'
  | 'Check'
  | 'Int'
  | 'Float'
  | 'Datetime'
  | 'Date'
  | 'JSON'
  | 'Table'
  | 'Password'

/** Named formats a Data field can be held to; the rules live in `shared/rules/formats.ts`. */
export type FieldFormat =
  | 'email'
  | 'domain'
  | 'slug'
  | 'username'
  | 'hostname'
  | 'ip'
  | 'ipv4'
  | 'ipv6'
  | 'url'
  | 'phone'
  | 'timezone'

/** Roles as the gate knows them. `Owner` is the organization's owner, `Self` the user on an own row. */
export type Role =
  | 'Platform Admin'
  | 'Owner'
  | 'Organization Admin'
  | 'Organization Manager'
  | 'Organization User'
  | 'Self'
  | 'User'

/** What every field can say about itself. */
export interface FieldOptions {
  /** What people read. Default: the field's name in sentence case. */
  label?: string
  /** One line under the control. */
  description?: string
  /** Must be set. */
  reqd?: boolean
  /** Clients cannot set it; an echo of the stored value is fine, anything else is refused (403). */
  read_only?: boolean
  /**
   * The server's own: what a client sends is ignored like a standard field. Together with `write_roles` it is so for
   * everybody but these roles, who set it like any other field.
   */
  server_owned?: boolean
  /** May be set on insert only. */
  set_only_once?: boolean
  /**
   * A Check of which each reader has a value of his own (a favorite): whoever may read the document sets it for himself
   * by a plain write, nobody sees another's. Together with `server_owned`: it is no value of the document.
   */
  personal?: boolean
  /**
   * A JSON field that holds values of another document's fields; names the field in which that document's doctype
   * stands. Each reader gets the values he may read of it. No query orders, groups or counts by such a field.
   */
  fields_of?: string
  /** Never sent to clients at all, not filterable. */
  hidden?: boolean
  unique?: boolean
  /** Shown as a column of the list; also gets an index with the tenant. */
  in_list_view?: boolean
  /** Offered as a filter; also gets an index with the tenant. */
  in_standard_filter?: boolean
  /** Searched by search_link beside name and title. */
  search_index?: boolean
  /** Most characters of a text, default 140 for Data, 10,000 for texts. */
  length?: number
  /** Most bytes of a JSON value, written without spaces in UTF-8; `json` sets 65,536 unless told otherwise. */
  max_bytes?: number
  format?: FieldFormat
  /** Roles that may read the field; absent = everybody who may read the document. */
  read_roles?: readonly Role[]
  /** Roles that may write the field, others are refused (403); absent = everybody who may write the document. */
  write_roles?: readonly Role[]
  /** API tokens need the reading scope of this area as well to see the field. */
  area?: TokenArea
  /** Roles that may empty the field though they may not write it. */
  clear_roles?: readonly Role[]
  /** Numbers of payment cards are refused in it: they are entered at the payment provider and kept nowhere here. */
  refuses_card_numbers?: true
  /** Lowest and highest number. */
  min?: number
  max?: number
}

/** A described field. `T` is the value's type in a document. */
export interface Field<T = unknown> extends FieldOptions {
  readonly fieldtype: FieldType
  /** Select: allowed values. Link: target doctype. Table: child doctype. */
  readonly options?: readonly string[] | string
  readonly default?: unknown
  /** `secret` never comes back to anybody; `revealable` only through an audited action. */
  readonly secret?: 'secret' | 'revealable'
  /** Only for inference; never present at run time. */
  readonly __type?: T
}

type Given<O> = O extends { reqd: true } ? never : null

/** Short text, one line. */
export function data<const O extends FieldOptions & { default?: string }>(options?: O): Field<string | Given<O>> {
  return { fieldtype: 'Data', ...options }
}
/** Some lines of text. */
export function text<const O extends FieldOptions & { default?: string }>(options?: O): Field<string | Given<O>> {
  return { fieldtype: 'Small Text', length: 10_000, ...options }
}
/** Text without a practical limit (1 MB). */
export function longText<const O extends FieldOptions>(options?: O): Field<string | Given<O>> {
  return { fieldtype: 'Long Text', length: 1_000_000, ...options }
}
/** One of a closed list of values. */
export function select<const V extends readonly string[], const O extends FieldOptions & { default?: V[number] }>(
  values: V,
  options?: O,
): Field<V[number] | Given<O>> {
  return { fieldtype: 'Select', options: values, ...options }
}
/** The name of a document of another doctype; the reader of this one needs read permission on it to link it. */
export function link<const O extends FieldOptions & { default?: string }>(
  doctype: string,
  options?: O,
): Field<string | Given<O>> {
  return { fieldtype: 'Link', options: doctype, ...options }
}
/** 0 or 1. */
export function check(options?: FieldOptions & { default?: 0 | 1 }): Field<0 | 1> {
  return { fieldtype: 'Check', default: 0, ...options }
}
/** Whole number. */
export function int<const O extends FieldOptions & { default?: number }>(options?: O): Field<number | Given<O>> {
  return { fieldtype: 'Int', ...options }
}
/** Number with fraction. */
export function float<const O extends FieldOptions & { default?: number }>(options?: O): Field<number | Given<O>> {
  return { fieldtype: 'Float', ...options }
}
/** Point in time, `YYYY-MM-DD HH:MM:SS.ffffff` in UTC. */
export function datetime<const O extends FieldOptions>(options?: O): Field<string | Given<O>> {
  return { fieldtype: 'Datetime', ...options }
}
/** Calendar day, `YYYY-MM-DD`. */
export function date<const O extends FieldOptions>(options?: O): Field<string | Given<O>> {
  return { fieldtype: 'Date', ...options }
}
/** Any JSON value of at most 64 KB; neither filterable nor sortable. */
export function json<T>(options?: FieldOptions & { default?: T }): Field<T | null> {
  return { fieldtype: 'JSON', max_bytes: 65_536, ...options }
}
/** Rows of a child doctype, in order. */
export function table<Row>(childDoctype: string, options?: FieldOptions): Field<Row[]> {
  return { fieldtype: 'Table', options: childDoctype, ...options }
}
/** Encrypted at rest; never comes back ("" or `*****`). Sending the mask back changes nothing. */
export function secret(options?: FieldOptions): Field<string | null> {
  return { fieldtype: 'Password', secret: 'secret', length: 10_000, ...options }
}
/** Encrypted at rest; comes back only through an audited reveal action. */
export function revealable(options?: FieldOptions): Field<string | null> {
  return { fieldtype: 'Password', secret: 'revealable', length: 10_000, ...options }
}
