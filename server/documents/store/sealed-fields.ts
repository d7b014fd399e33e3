import type { AnyDoc, Doctype } from '#shared/doctype.ts'
import { tenantOf } from './reference.ts'
import { sealedValue } from './rows.ts'
import { columnFields } from './schema.ts'
import type { Trx } from '#server/contracts/transaction.ts'
import { isMask, secretMask } from './values.ts'

/** Encrypts and decrypts texts with the data key of a scope, bound to their location (`aad`). */
export interface Sealing {
  readonly seal: (scope: string, aad: string, text: string) => Promise<string>
  readonly open: (scope: string, aad: string, sealed: string) => Promise<string>
}

/**
 * Extracts secrets from a set of values, encrypts them for this document, and puts masks into `doc`. A mask among the values
 * means "unchanged".
 */
export async function sealSecrets(
  sealing: Sealing,
  type: Doctype,
  doc: AnyDoc,
  values: Record<string, unknown>,
): Promise<Record<string, string | null>> {
  const sealed: Record<string, string | null> = {}
  for (const [name, field] of columnFields(type)) {
    if (!field.secret || !(name in values) || isMask(values[name])) continue
    const value = values[name]
    sealed[name] =
      value === null || value === undefined || value === ''
        ? null
        : await sealing.seal(scopeOf(type, doc), aadOf(type, doc, name), String(value))
    doc[name] = sealed[name] === null ? null : secretMask
  }
  return sealed
}

/** Decrypted value of a stored secret; null if unset. Never log it. */
export async function openSecret(
  sealing: Sealing,
  trx: Trx,
  type: Doctype,
  doc: AnyDoc,
  field: string,
): Promise<string | null> {
  const sealed = await sealedValue(trx, type, doc.name, field)
  return sealed === null ? null : sealing.open(scopeOf(type, doc), aadOf(type, doc, field), sealed)
}

/** Data-key scope of a document's secrets. */
function scopeOf(type: Doctype, doc: AnyDoc): string {
  return tenantOf(type, doc) ?? 'platform'
}

/** Binds an encrypted value to its document and field, so that it can't be decrypted elsewhere (docs/security.md). */
function aadOf(type: Doctype, doc: AnyDoc, field: string): string {
  return `${scopeOf(type, doc)}|${type.name}|${doc.name}|${field}`
}
