import { useEffect, useState } from 'react'
import type { AnyDoc, Doctype } from '#shared/doctype.ts'
import { toApiError, type ApiError } from '#web/lib/api/api-error.ts'
import { getDoc, updateDoc } from '#web/lib/api/api.ts'
import { docKey, putData, reread } from '#web/lib/api/data-client.ts'
import { rolesOf } from '../actions/action-gate.ts'
import { dropDraft, keepDraft, readDraft } from './draft.ts'
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
import { askedNames, checkField, doctypeForm, type FormDescription, type FormValues } from './form-state.ts'
import { useViewer } from '../actions/use-actions.ts'
import type { FormControl } from './use-form.ts'
import { useFormFields } from './use-form-fields.ts'

/** A form over an existing document: a `FormControl` that knows what is stored. */
export interface EditControl extends FormControl {
  /** Names of the fields that differ from what is stored. */
  readonly changed: readonly string[]
  /** Fields that somebody else changed meanwhile, too. While there are any, nothing is sent. */
  readonly conflicts: readonly Conflict[]
  /** Drops one's own values of the fields in conflict. */
  takeTheirs(): void
  /** Keeps one's own; the next save overwrites theirs. */
  keepMine(): void
  /** The person may not change it: drawn as a value. */
  fixed(name: string): boolean
  /** State of a secret: stored, and whether it is about to be removed. */
  secretState(name: string): { readonly set: boolean; readonly removing: boolean }
  /** Marks a stored secret for removal by the next save, or takes that back. */
  removeSecret(name: string, remove: boolean): void
}

/** How an edit form differs from what the description says. */
export interface EditOptions extends Pick<FormDescription, 'checks' | 'hidden'> {
  /** Sends the changes in place of a plain PUT; what it returns becomes the document. */
  save?: (changes: Record<string, string | number>, doc: AnyDoc) => Promise<AnyDoc | null>
  /** After a save: the stored document and what was sent. */
  onSaved?: (doc: AnyDoc, changes: Record<string, string | number>) => void
  /** A save that failed for a reason beyond the fields; by default the form says it. Return true when it was said. */
  onFailed?: (error: ApiError) => boolean
}

/** Tries of one save while others write the document, too. */
const tries = 3

const isStale = (error: ApiError) => error.excType === 'TimestampMismatchError'

function readKept(key: string, names: readonly string[]): Draft {
  const edits = readDraft(key, names)
  return edits ? { edits, base: readDraft(`${key} base`, names) ?? {} } : noDraft
}

/**
 * Edits fields of a stored document. Only what was touched is held and sent: everything else follows the document live.
 * What somebody else changed meanwhile in other fields does not matter; in the same field the person decides.
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
  const openNames = (values: FormValues) => askedNames(form, values).filter((name) => !fixed(name))
  // What nobody edited is not held: it follows the document.
  const fields = useFormFields({
    start: kept.edits,
    asked: (edits) => openNames({ ...stored, ...edits }),
    problemsOf(edits) {
      const given = { ...stored, ...edits }
      const problems: Record<string, string> = {}
      for (const name of openNames(given)) {
        // A stored secret needs no new one to be complete.
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
      dropDraft(key)
      dropDraft(`${key} base`)
      return
    }
    const { edits, base } = JSON.parse(draftText) as Draft
    const kept = Object.fromEntries(Object.entries(edits).filter(([name]) => !type.fields[name]?.secret))
    setDraftKept(keepDraft(key, kept) && keepDraft(`${key} base`, base))
  }, [key, dirty, draftText, type])

  function set(name: string, value: string | number | null): void {
    setBase((before) => (name in before ? before : { ...before, [name]: stored[name] ?? '' }))
    fields.set(name, value)
  }
  function forget(gone: readonly string[]): void {
    setBase((before) => without(before, gone))
    fields.drop(gone)
  }
  function restart(): void {
    setBase({})
    fields.restart({})
  }

  /** Sends; when the document moved on in fields that are not ours, sends again on top of that. */
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
        await (next === null ? reread(stored) : putData(stored, next))
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
    takeTheirs: () => forget(conflicts.map(({ name }) => name)),
    keepMine: () =>
      setBase((before) => ({
        ...before,
        ...Object.fromEntries(conflicts.map(({ name }) => [name, stored[name] ?? ''])),
      })),
    async submit() {
      if (conflicts.length > 0) return
      // Nothing to say to the server while everything is as it is stored.
      await fields.submit(dirty ? send : () => Promise.resolve(), onFailed)
    },
    reset: restart,
  }
}
