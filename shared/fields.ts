/**
 * Field builders for describing doctypes. The keys are Frappe's own. Columns, validation, permissions, forms, lists, filters
 * and TypeScript types are derived from one description.
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

/** Formats a Data field can require; the rules are in `shared/rules/formats.ts`. */
export type FieldFormat =
  | 'email'
  | 'domain'
  /** A name that a hook judges. */
  | 'visible'
  | 'slug'
  | 'username'
  | 'hostname'
  | 'ip'
  | 'ipv4'
  | 'ipv6'
  | 'url'
  | 'phone'
  | 'timezone'
  | 'time'

/** Roles known to the gate. `Owner` is the organization's owner, `Self` the user on their own row. */
export type Role =
  | 'Platform Admin'
  | 'Owner'
  | 'Organization Admin'
  | 'Organization Manager'
  | 'Organization User'
  | 'Self'
  | 'User'

/** Options of every field type. */
export interface FieldOptions {
  /** Label on the screen. Default: the field's name in sentence case. */
  label?: string
  /** Help text, one line below the control. */
  description?: string
  /** Required. */
  reqd?: boolean
  /** Clients can't set it. Sending back the stored value is accepted; any other value is rejected (403). */
  read_only?: boolean
  /**
   * Client values are ignored, as for standard fields: roles, types, billing, status and measured values, which can change
   * between a client's read and its write (frappe-wire.md section 5). With `write_roles`, this applies to everyone except
   * those roles, who can set it like any other field. All other fields of the server are only `read_only`.
   */
  server_owned?: boolean
  /** Can be set on insert only. */
  set_only_once?: boolean
  /**
   * A Check with a separate value for each user (a favorite). Anyone who can read the document sets their own value with a
   * plain write and never sees other users' values. Use together with `server_owned`, because it isn't a value of the
   * document.
   */
  personal?: boolean
  /**
   * A JSON field that holds field values of another document; names the field that contains that document's doctype. Each
   * user gets only the values they can read. Queries can't order, group or count by such a field.
   */
  fields_of?: string
  /**
   * Details of an activity entry, which not everybody who can read the entry can see (`activity_details` of a doctype): they get null.
   * Queries of clients can't order, group, count or filter by such a field.
   */
  is_detail?: true
  /** Never sent to clients and not filterable. */
  hidden?: boolean
  unique?: boolean
  /** Shown as a list column; also gets an index with the tenant. */
  in_list_view?: boolean
  /** Offered as a filter; also gets an index with the tenant. */
  in_standard_filter?: boolean
  /** Searched by `search_link` in addition to name and title. */
  search_index?: boolean
  /** Maximum length of a text in characters. Default: 140 for Data, 10,000 for texts. */
  length?: number
  /** Maximum size of a JSON value in bytes, serialized without spaces in UTF-8. Default of `json`: 65,536. */
  max_bytes?: number
  /** The value of a JSON field is a list: of texts, or of objects with these fields. */
  is_list?: 'texts' | Readonly<Record<string, Pick<Field, 'fieldtype' | 'reqd' | 'is_list'>>>
  format?: FieldFormat
  /** Roles that can read the field. Default: everyone who can read the document. */
  read_roles?: readonly Role[]
  /** Roles that can write the field; others are rejected (403). Default: everyone who can write the document. */
  write_roles?: readonly Role[]
  /** API tokens also need the read scope of this area to see the field. */
  area?: TokenArea
  /** Roles that can clear the field although they can't write it. */
  clear_roles?: readonly Role[]
  /** Rejects payment card numbers: they are entered at the payment provider and never stored here. */
  refuses_card_numbers?: true
  /**
   * For Int fields: derives the value from the other columns of the row, with each insert and update. Its column is never
   * null.
   */
  computed?: (row: Readonly<Record<string, unknown>>) => number
  /**
   * The value is that of the field of the same name in a document of another doctype: the one whose field `link` names this
   * document and which has these values, at most one by a unique index. Reads find it there; a controller's hooks write it.
   */
  stored_in?: {
    readonly doctype: string
    readonly link: string
    readonly where: Readonly<Record<string, string | number>>
  }
  /** Minimum and maximum number. */
  min?: number
  max?: number
}

/** What every kind of field has. `T` is the value's type in a document. */
interface DescribedField<T> extends FieldOptions {
  readonly default?: unknown
  /** `secret` is never returned to anyone; `revealable` is returned only by an audited action. */
  readonly secret?: 'secret' | 'revealable'
  /** For type inference only; never present at runtime. */
  readonly __type?: T
}

/** A field whose options are the allowed values. */
export interface SelectField<T = unknown> extends DescribedField<T> {
  readonly fieldtype: 'Select'
  readonly options: readonly string[]
}

/** A field whose options name a doctype: of the linked document, or of the child rows. */
export interface LinkField<T = unknown, K extends 'Link' | 'Table' = 'Link' | 'Table'> extends DescribedField<T> {
  readonly fieldtype: K
  readonly options: string
}

/** A field without options. */
interface PlainField<T> extends DescribedField<T> {
  readonly fieldtype: Exclude<FieldType, 'Select' | 'Link' | 'Table'>
  readonly options?: undefined
}

/** A described field. */
export type Field<T = unknown> = PlainField<T> | SelectField<T> | LinkField<T>

type Given<O> = O extends { reqd: true } ? never : null

/** Short text, one line. */
export function data<const O extends FieldOptions & { default?: string }>(options?: O): Field<string | Given<O>> {
  return { fieldtype: 'Data', ...options }
}
/** Multiline text. */
export function text<const O extends FieldOptions & { default?: string }>(options?: O): Field<string | Given<O>> {
  return { fieldtype: 'Small Text', length: 10_000, ...options }
}
/** Text without a practical limit (1 MB). */
export function longText<const O extends FieldOptions>(options?: O): Field<string | Given<O>> {
  return { fieldtype: 'Long Text', length: 1_000_000, ...options }
}
/** One of a fixed list of values. */
export function select<const V extends readonly string[], const O extends FieldOptions & { default?: V[number] }>(
  values: V,
  options?: O,
): SelectField<V[number] | Given<O>> {
  return { fieldtype: 'Select', options: values, ...options }
}
/** The name of a document of another doctype. To set the link, the user needs read permission on the linked document. */
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
/** Integer. */
export function int<const O extends FieldOptions & { default?: number }>(options?: O): Field<number | Given<O>> {
  return { fieldtype: 'Int', ...options }
}
/** Decimal number. */
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
/** Any JSON value of at most 64 KB; not filterable or sortable. */
export function json<T>(options?: FieldOptions & { default?: T }): Field<T | null> {
  return { fieldtype: 'JSON', max_bytes: 65_536, ...options }
}
/** Rows of a child doctype, in order. */
export function table<Row>(childDoctype: string, options?: FieldOptions): Field<Row[]> {
  return { fieldtype: 'Table', options: childDoctype, ...options }
}
/** Encrypted at rest; never returned (clients get "" or `*****`). Sending the mask back changes nothing. */
export function secret(options?: FieldOptions): Field<string | null> {
  return { fieldtype: 'Password', secret: 'secret', length: 10_000, ...options }
}
/** Encrypted at rest; returned only by an audited reveal action. */
export function revealable(options?: FieldOptions): Field<string | null> {
  return { fieldtype: 'Password', secret: 'revealable', length: 10_000, ...options }
}
