import type { AnyDoc, Doctype } from '#shared/doctype.ts'
import type { Field, Role } from '#shared/fields.ts'
import type { FormValues } from './form-state.ts'

/** A field that someone else changed while it was being edited here. */
export interface Conflict {
  readonly name: string
  readonly mine: string | number | null
  readonly theirs: string | number | null
}

/** Unsaved changes. `null` in `edits` removes a stored secret. */
export interface Draft {
  readonly edits: FormValues
  /** Stored value of each field when it was first edited. */
  readonly base: FormValues
}

/** No unsaved changes. */
export const noDraft: Draft = { edits: {}, base: {} }

/** A stored value as form input: strings and numbers as they are, empty as ''. Secrets are never included. */
export function storedValue(field: Field, value: unknown): string | number {
  if (field.secret) return ''
  return typeof value === 'string' || typeof value === 'number' ? value : ''
}

/** Form values of a document, by field. */
export function storedValues(
  fields: Readonly<Record<string, Field>>,
  names: readonly string[],
  doc: AnyDoc,
): FormValues {
  return Object.fromEntries(
    names.flatMap((name) => {
      const field = fields[name]
      return field ? [[name, storedValue(field, doc[name])]] : []
    }),
  )
}

/** Whether a secret is stored; its value is never sent. */
export function secretIsSet(doc: AnyDoc, name: string): boolean {
  const value = doc[name]
  return typeof value === 'string' && value !== ''
}

const same = (a: unknown, b: unknown) => String(a ?? '').trim() === String(b ?? '').trim()

/** Names of fields that differ from the stored document, which a save would send. */
export function changedNames(draft: Draft, stored: FormValues, doc: AnyDoc, fields: Readonly<Record<string, Field>>) {
  return Object.keys(draft.edits).filter((name) => {
    const edit = draft.edits[name]
    if (fields[name]?.secret) return edit === null ? secretIsSet(doc, name) : edit !== ''
    return name in stored && !same(edit, stored[name])
  })
}

/** The values without some fields. */
export function without(values: FormValues, names: readonly string[]): FormValues {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)))
}

/** Changed fields that someone else set to a different value in the meantime. */
export function conflictsOf(draft: Draft, changed: readonly string[], stored: FormValues): Conflict[] {
  return changed.flatMap((name) => {
    if (!(name in stored) || same(stored[name], draft.base[name])) return []
    return [{ name, mine: draft.edits[name] ?? null, theirs: stored[name] ?? null }]
  })
}

/** Payload of a save: changed fields only, strings trimmed, numbers as numbers; '' clears a field. */
export function editPayload(
  draft: Draft,
  changed: readonly string[],
  fields: Readonly<Record<string, Field>>,
): Record<string, string | number> {
  return Object.fromEntries(
    changed.map((name) => {
      const value = draft.edits[name] ?? ''
      const field = fields[name]
      const numeric = field?.fieldtype === 'Int' || field?.fieldtype === 'Float'
      if (numeric && value !== '') return [name, Number(value)]
      return [name, typeof value === 'string' ? value.trim() : value]
    }),
  )
}

/** Whether a field is read-only for these roles; it is then shown as a value. */
export function isFixed(type: Doctype, name: string, roles: readonly Role[]): boolean {
  const field = type.fields[name]
  if (!field || field.read_only || field.server_owned || field.set_only_once) return true
  return field.write_roles !== undefined && !field.write_roles.some((role) => roles.includes(role))
}
