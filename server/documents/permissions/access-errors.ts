import type { Doctype } from '#shared/doctype.ts'
import { AppError } from '#shared/errors.ts'
import { scopesAllow } from '#shared/rules/token-scopes.ts'
import { say, type Sentence, term } from '#shared/sentence.ts'
import { isMember, type AccessContext } from './gate.ts'
import type { referenceOf } from '../store/reference.ts'
import type { Session } from '#server/contracts/session.ts'

/** The answer for what does not exist (or does not exist for the caller). */
export function missing(type: Doctype, name: string): AppError {
  return new AppError('not_found', say`${term(type.name)} ${name.slice(0, 140)} not found`)
}

/** The refusal of an operation on a whole doctype. */
export function notPermitted(type: Doctype, operation: string): AppError {
  return new AppError(
    'forbidden',
    say`You do not have permission to ${term(operation)} ${term(type.plural ?? type.name)}.`,
  )
}

/** What a refused act was about: a document, or (creating) an organization only. */
type DeniedReference = ReturnType<typeof referenceOf> | { organization: string; reference_doctype: string }

/** Raised when somebody sees a document or belongs to the organization but may not do this; carries what the audit log needs. */
export class DeniedError extends AppError {
  readonly reference: DeniedReference
  readonly operation: string
  constructor(reference: DeniedReference, operation: string, details: { message?: Sentence; field?: string } = {}) {
    super(
      'forbidden',
      details.message ??
        say`Insufficient Permission for ${term(reference.reference_doctype ?? '')} (${term(operation)})`,
      {
        excType: 'PermissionError',
        ...(details.field === undefined ? {} : { field: details.field }),
      },
    )
    this.reference = reference
    this.operation = operation
  }
}

/** The refusal to create: on record for members; a stranger must not write into an organization's log. */
export function creationRefused(type: Doctype, accessContext: AccessContext): AppError {
  const refusal = notPermitted(type, 'create')
  const { organization } = accessContext
  if (organization === null || !isMember(accessContext)) return refusal
  return new DeniedError({ organization, reference_doctype: type.name }, 'create', { message: refusal.sentence })
}

/**
 * Refuses guests, to whom nothing of the document API belongs, and API tokens without the scope (the gate gives these
 * nothing either; here they learn what is missing).
 */
export function refuseGuest(session: Session, type: Doctype, operation: string): void {
  if (session.kind === 'guest' || session.user === 'Guest') throw notPermitted(type, operation)
  const access = operation === 'read' ? 'read' : 'write'
  if (session.kind !== 'token' || scopesAllow(session.token?.scopes ?? [], type.area, access)) return
  const message = type.area
    ? say`The API token lacks the scope ${type.area}:${access}.`
    : say`API tokens cannot reach ${term(type.plural ?? type.name)}.`
  throw new AppError('forbidden', message, { excType: 'PermissionError' })
}
