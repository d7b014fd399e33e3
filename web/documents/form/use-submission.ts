import { useRef, useState } from 'react'
import { toApiError, type ApiError } from '#web/lib/api/api-error.ts'
import { fullMessage } from '#web/lib/api/form-errors.ts'
import type { FormErrors } from './form-state.ts'

/** One try to send a form. */
interface Try {
  /** Fields it asks for now, in order. */
  names: readonly string[]
  /** What is wrong with them. */
  problems: FormErrors
  /** Rejects with `ApiError`. */
  send: () => Promise<void>
  /** A failure beyond the fields; by default the form says it. Return true when it was said. */
  onFailed?: ((error: ApiError) => boolean) | undefined
}

/** What forms say while and after they are sent: which field is wrong and why, a failure of the whole, busy. */
export interface Submission {
  readonly failure: string | null
  readonly busy: boolean
  /** The field to correct first; a new object for each try, so that it is focused again. */
  readonly correct: { readonly name: string } | null
  /** Errors to show: what the server said, and problems of fields left once. */
  errorsOf(names: readonly string[], problems: FormErrors): FormErrors
  /** The person left the field: from now on its problem is shown. */
  leave(name: string): void
  /** The field was changed: what the server said of it is old. */
  changed(name: string): void
  /** What the server said is old. */
  forget(): void
  /** As in the beginning: no field was left yet. */
  restart(): void
  /** Sends once everything is right; puts an error of the server to its field. */
  submit(attempt: Try): Promise<void>
}

/** Holds what a form says; the values are its own. */
export function useSubmission(): Submission {
  const [left, setLeft] = useState<ReadonlySet<string>>(() => new Set())
  const [serverErrors, setServerErrors] = useState<FormErrors>({})
  const [failure, setFailure] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const [correct, setCorrect] = useState<{ name: string } | null>(null)
  const sending = useRef(false)

  function forget(): void {
    setServerErrors({})
    setFailure(null)
  }
  return {
    failure,
    busy,
    correct,
    errorsOf(names, problems) {
      const errors: Record<string, string> = {}
      for (const name of names) {
        const problem = serverErrors[name] ?? (left.has(name) ? problems[name] : undefined)
        if (problem) errors[name] = problem
      }
      return errors
    },
    leave: (name) => setLeft((before) => new Set(before).add(name)),
    changed(name) {
      setServerErrors(({ [name]: _gone, ...others }) => others)
      setFailure(null)
    },
    forget,
    restart() {
      setLeft(new Set())
      forget()
    },
    async submit({ names, problems, send, onFailed }) {
      if (sending.current) return
      const first = names.find((name) => problems[name] !== undefined)
      setLeft(new Set(names))
      if (first) {
        setCorrect({ name: first })
        return
      }
      sending.current = true
      setBusy(true)
      setFailure(null)
      try {
        await send()
      } catch (thrown) {
        const problem = toApiError(thrown)
        if (problem.field && names.includes(problem.field)) {
          setServerErrors({ [problem.field]: fullMessage(problem) })
          setCorrect({ name: problem.field })
        } else if (!onFailed?.(problem)) setFailure(fullMessage(problem))
      } finally {
        sending.current = false
        setBusy(false)
      }
    },
  }
}
