import type { Doctype } from '#shared/doctype.ts'
import { AppError } from '#shared/errors.ts'
import { scopesAllow } from '#shared/rules/token-scopes.ts'
import { msg, type LocalizedMessage, labelMessage } from '#shared/localized-message.ts'
import { isMember, type AccessContext } from './gate.ts'
import type { referenceOf } from '../store/reference.ts'
import { isMachine, secondFactorNeeded, type Session } from '#server/contracts/session.ts'

/** Error for a document that doesn't exist or isn't visible to the caller. */
export function notFoundError(type: Doctype, name: string): AppError {
  return new AppError('not_found', msg`${labelMessage(type.name)} ${name.slice(0, 140)} not found`)
}

/** Error for an operation denied on a whole doctype. */
export function notPermitted(type: Doctype, operation: string): AppError {
  return new AppError(
    'forbidden',
    msg`You do not have permission to ${labelMessage(operation)} ${labelMessage(type.plural ?? type.name)}.`,
  )
}

/** Subject of a denied operation: a document, or (when creating) just an organization. */
type DeniedReference = ReturnType<typeof referenceOf> | { organization: string; reference_doctype: string }

/**
 * Thrown if the caller can see a document or belongs to the organization but isn't allowed to do this. Carries what the
 * activity log needs.
 */
export class DeniedError extends AppError {
  readonly reference: DeniedReference
  readonly operation: string
  constructor(
    reference: DeniedReference,
    operation: string,
    details: { message?: LocalizedMessage; field?: string } = {},
  ) {
    super(
      'forbidden',
      details.message ??
        msg`Insufficient Permission for ${labelMessage(reference.reference_doctype ?? '')} (${labelMessage(operation)})`,
      {
        excType: 'PermissionError',
        ...(details.field === undefined ? {} : { field: details.field }),
      },
    )
    this.reference = reference
    this.operation = operation
  }
}

/** Error for a denied creation. Recorded for members only: outsiders must not be able to write to an organization's log. */
export function creationDenied(type: Doctype, accessContext: AccessContext): AppError {
  const { organization, session } = accessContext
  if (session.needsSecondFactor && organization === session.organization) return secondFactorNeeded()
  const denial = notPermitted(type, 'create')
  if (organization === null || !isMember(accessContext)) return denial
  return new DeniedError({ organization, reference_doctype: type.name }, 'create', { message: denial.localized })
}

/**
 * Rejects guests and machines, who have no access to the document API, and API tokens without the scope. The gate denies these tokens
 * too; here the error names the missing scope.
 */
export function rejectGuest(session: Session, type: Doctype, operation: string): void {
  if (session.kind === 'guest' || session.user === 'Guest') throw notPermitted(type, operation)
  if (isMachine(session)) throw notPermitted(type, operation)
  const access = operation === 'read' ? 'read' : 'write'
  if (session.kind !== 'token' || scopesAllow(session.token?.scopes ?? [], type.area, access)) return
  const message = type.area
    ? msg`The API token lacks the scope ${type.area}:${access}.`
    : msg`API tokens cannot reach ${labelMessage(type.plural ?? type.name)}.`
  throw new AppError('forbidden', message, { excType: 'PermissionError' })
}
