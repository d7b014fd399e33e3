import { parseOwnJson } from '#shared/parse-json.ts'
import { useEffect, useState } from 'react'
import type { AnyDoc, Doctype } from '#shared/doctype.ts'
import { toApiError, type ApiError } from '#web/lib/api/api-error.ts'
import { getDoc, updateDoc } from '#web/lib/api/api.ts'
import { putData, refetch } from '#web/lib/api/data-client.ts'
import { docKey } from '#web/lib/api/data-keys.ts'
import { rolesOf } from '../actions/viewer.ts'
import { deleteDraft, saveDraft, readDraft } from './draft.ts'
import {
  changedNames,
  conflictsOf,
  editPayload,
  isFixed,
  noDraft,
  secretIsSet,
  storedValues,
  without,
  type Conflict,
  type Draft,
} from './edit-state.ts'
import { visibleNames, checkField, doctypeForm, type FormDescription, type FormValues } from './form-state.ts'
import { useViewer } from '../actions/use-actions.ts'
import type { FormControl } from './use-form.ts'
import { useFormFields } from './use-form-fields.ts'

/** Form over an existing document: a `FormControl` that knows the stored values. */
export interface EditControl extends FormControl {
  /** Names of fields that differ from the stored document. */
  readonly changed: readonly string[]
  /** Edited fields that someone else changed too. Nothing is sent while there are any. */
  readonly conflicts: readonly Conflict[]
  /** Discards the user's values of the conflicting fields. */
  takeTheirs(): void
  /** Discards the user's values of these fields, which then follow the document again: after a save that took only some. */
  forget(names: readonly string[]): void
  /** Keeps the user's values; the next save overwrites the others. */
  keepMine(): void
  /** Whether the field is read-only and shown as a value. */
  fixed(name: string): boolean
  /** State of a secret: whether it is set, and whether the next save removes it. */
  secretState(name: string): { readonly set: boolean; readonly removing: boolean }
  /** Marks a stored secret for removal by the next save, or reverts that. */
  removeSecret(name: string, remove: boolean): void
}

/** Options that override the description in an edit form. */
export interface EditOptions extends Pick<FormDescription, 'checks' | 'hidden'> {
  /** Saves the changes instead of a plain PUT; the returned document replaces the current one. */
  save?: (changes: Record<string, string | number>, doc: AnyDoc) => Promise<AnyDoc | null>
  /** Called after a save with the stored document and the sent changes. */
  onSaved?: (doc: AnyDoc, changes: Record<string, string | number>) => void
  /**
   * Called when a save failed for a reason other than a field. Return true if handled; otherwise the form shows the error.
   */
  onFailed?: (error: ApiError) => boolean
}

/** Attempts per save while others write the document concurrently. */
const tries = 3

const isStale = (error: ApiError) => error.excType === 'TimestampMismatchError'

function readKept(key: string, names: readonly string[]): Draft {
  const edits = readDraft(key, names)
  return edits ? { edits, base: readDraft(`${key} base`, names) ?? {} } : noDraft
}

/**
 * Edits fields of a stored document. Only edited fields are held and sent; all others follow the document live. Changes by
 * others to other fields don't matter; for the same field, the user decides.
 */
export function useEditForm(
  type: Doctype,
  doc: AnyDoc,
  names: readonly string[],
  { checks, hidden, save, onSaved, onFailed }: EditOptions = {},
): EditControl {
  const key = `edit ${type.name} ${doc.name} ${names.join(' ')}`
  const roles = rolesOf(useViewer(), { ...doc, doctype: type.name })
  const [kept] = useState<Draft>(() => readKept(key, names))
  const [base, setBase] = useState<FormValues>(kept.base)
  const [draftKept, setDraftKept] = useState(false)

  const form = doctypeForm(type, names, { ...(checks && { checks }), ...(hidden && { hidden }) })
  const stored = storedValues(type.fields, names, doc)
  const fixed = (name: string) => isFixed(type, name, roles)
  const openNames = (values: FormValues) => visibleNames(form, values).filter((name) => !fixed(name))
  // Unedited fields are not held: they follow the document.
  const fields = useFormFields({
    start: kept.edits,
    visibleNames: (edits) => openNames({ ...stored, ...edits }),
    problemsOf(edits) {
      const given = { ...stored, ...edits }
      const problems: Record<string, string> = {}
      for (const name of openNames(given)) {
        // A stored secret doesn't need a new value to be complete.
        if (type.fields[name]?.secret && given[name] === '' && secretIsSet(doc, name)) continue
        const problem = checkField(form, name, given)
        if (problem !== null) problems[name] = problem
      }
      return problems
    },
  })
  const draft: Draft = { edits: fields.values, base }
  const values = { ...stored, ...draft.edits }
  const open = openNames(values)
  const changed = changedNames(draft, stored, doc, type.fields).filter((name) => open.includes(name))
  const dirty = changed.length > 0
  const conflicts = conflictsOf(draft, changed, stored)

  const draftText = JSON.stringify(draft)
  useEffect(() => {
    if (!dirty) {
      deleteDraft(key)
      deleteDraft(`${key} base`)
      return
    }
    const { edits, base } = parseOwnJson<Draft>(draftText)
    const kept = Object.fromEntries(Object.entries(edits).filter(([name]) => !type.fields[name]?.secret))
    setDraftKept(saveDraft(key, kept) && saveDraft(`${key} base`, base))
  }, [key, dirty, draftText, type])

  function set(name: string, value: string | number | null): void {
    setBase((before) => (name in before ? before : { ...before, [name]: stored[name] ?? '' }))
    fields.set(name, value)
  }
  function forget(deleted: readonly string[]): void {
    setBase((before) => without(before, deleted))
    fields.drop(deleted)
  }
  function restart(): void {
    setBase({})
    fields.restart({})
  }

  /** Sends the changes; if other fields of the document changed concurrently, retries on top of that. */
  async function send(): Promise<void> {
    let current = doc
    for (let attempt = 1; ; attempt += 1) {
      const now = storedValues(type.fields, names, current)
      const wanted = changedNames(draft, now, current, type.fields).filter((name) => open.includes(name))
      if (conflictsOf(draft, wanted, now).length > 0) return
      const changes = editPayload(draft, wanted, type.fields)
      try {
        const next = save
          ? await save(changes, current)
          : await updateDoc<AnyDoc>(type.name, doc.name, { ...changes, modified: current.modified })
        const stored = docKey(type.name, doc.name)
        await (next === null ? refetch(stored) : putData(stored, next))
        restart()
        onSaved?.(next ?? current, changes)
        return
      } catch (thrown) {
        if (!isStale(toApiError(thrown)) || attempt === tries) throw thrown
        current = await getDoc<AnyDoc>(type.name, doc.name)
        await putData(docKey(type.name, doc.name), current)
      }
    }
  }

  return {
    form,
    values,
    errors: fields.errors,
    failure: fields.failure,
    busy: fields.busy,
    tries: fields.tries,
    dirty,
    draftKept,
    changed,
    conflicts,
    fixed,
    secretState: (name) => ({ set: secretIsSet(doc, name), removing: draft.edits[name] === null }),
    removeSecret(name, remove) {
      if (remove) set(name, null)
      else forget([name])
    },
    set,
    preset: set,
    blur(name) {
      if (name in draft.edits) fields.leave(name)
    },
    forget,
    takeTheirs: () => forget(conflicts.map(({ name }) => name)),
    keepMine: () =>
      setBase((before) => ({
        ...before,
        ...Object.fromEntries(conflicts.map(({ name }) => [name, stored[name] ?? ''])),
      })),
    async submit() {
      if (conflicts.length > 0) return
      // Send nothing if nothing changed.
      await fields.submit(dirty ? send : () => Promise.resolve(), onFailed)
    },
    reset: restart,
  }
}
