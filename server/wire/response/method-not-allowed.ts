import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'

/** A verb the address does not accept (405), with those it does. */
export class MethodNotAllowedError extends AppError {
  readonly allow: string
  constructor(allow: string) {
    super('invalid', msg`This address accepts ${allow} only.`, { excType: 'MethodNotAllowed' })
    this.allow = allow
  }
}
