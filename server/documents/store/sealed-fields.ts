import type { AnyDoc, Doctype } from '#shared/doctype.ts'
import { tenantOf } from './reference.ts'
import { sealedValue } from './rows.ts'
import { columnFields } from './schema.ts'
import type { Trx } from '#server/contracts/transaction.ts'
import { isMask, secretMask } from './values.ts'

/** Closes and opens texts with the data key of a scope, bound to their place (`aad`). */
export interface Sealing {
  readonly seal: (scope: string, aad: string, text: string) => Promise<string>
  readonly open: (scope: string, aad: string, sealed: string) => Promise<string>
}

/**
 * Splits secrets off a set of values, sealed for this document, and puts their masks into `doc`. A mask among the values
 * means "as it is".
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

/** Clear value of a stored secret; null when unset. Never log it. */
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

/** Binds a sealed value to its place, so that it opens nowhere else (docs/security.md). */
function aadOf(type: Doctype, doc: AnyDoc, field: string): string {
  return `${scopeOf(type, doc)}|${type.name}|${doc.name}|${field}`
}
