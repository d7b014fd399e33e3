import { AppError } from '#shared/errors.ts'
import { say } from '#shared/sentence.ts'

/** A verb the address does not accept (405), with those it does. */
export class MethodNotAllowedError extends AppError {
  readonly allow: string
  constructor(allow: string) {
    super('invalid', say`This address accepts ${allow} only.`, { excType: 'MethodNotAllowed' })
    this.allow = allow
  }
}
