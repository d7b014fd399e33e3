import { isObject } from '#shared/parse-json.ts'
import type { Checkable } from '#web/lib/api/checked-response.ts'
import type { Capabilities } from './action-gate.ts'

/**
 * What is read for the actions of a document. Checked by hand, not by the schemas of `shared/responses`: actions are part of
 * the first view, which has no room for the library behind them.
 */

function checkedBy<T>(isRight: (value: unknown) => value is T): Checkable<T> {
  return { safeParse: (value) => (isRight(value) ? { success: true, data: value } : { success: false }) }
}

function isCapability(value: unknown): boolean {
  return (
    isObject(value) &&
    (value['supported'] === true || (value['supported'] === false && typeof value['reason'] === 'string'))
  )
}

/** What the engine of a server can do (`easydash.api.engine.capabilities`). */
export const engineCapabilities = checkedBy(
  (value): value is { capabilities: Capabilities; site_names?: 'label' | 'domain' } =>
    isObject(value) && isObject(value['capabilities']) && Object.values(value['capabilities']).every(isCapability),
)

/** The caller's rights on a document (`frappe.client.get_doc_permissions`). */
export const documentPermissions = checkedBy(
  (value): value is { permissions: Readonly<Record<string, 0 | 1>> } =>
    isObject(value) &&
    isObject(value['permissions']) &&
    Object.values(value['permissions']).every((bit) => bit === 0 || bit === 1),
)

/** A secret in clear; null: it is not set (`reveal`). */
export const revealedValue = checkedBy(
  (value): value is { value: string | null } =>
    isObject(value) && (value['value'] === null || typeof value['value'] === 'string'),
)
