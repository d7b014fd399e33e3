import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { parseSshPublicKey } from '#shared/rules/ssh-keys.ts'

/** Servers will accept the keys in this field, so each line must be valid. Empty lines and comments are allowed. */
export function assertAuthorizedKeys<K extends string>(doc: Readonly<Record<K, string | null>>, field: K): void {
  for (const [at, line] of (doc[field] ?? '').split('\n').entries()) {
    if (line.trim() === '' || line.trim().startsWith('#')) continue
    const key = parseSshPublicKey(line)
    if (!('problem' in key)) continue
    throw new AppError('invalid', msg`Line ${at + 1}: ${key.problem}`, { field, excType: 'ValidationError' })
  }
}
