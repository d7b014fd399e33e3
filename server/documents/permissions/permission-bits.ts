import type { Doctype } from '#shared/doctype.ts'
import { AppError } from '#shared/errors.ts'
import { grantApplies, loadFor, type LoadedDocument } from './access.ts'
import { actionGrant, grantFor, accessContextIn, withOwnRows, type Operation } from './gate.ts'
import type { Documents } from '#server/contracts/documents.ts'
import type { Session } from '#server/contracts/session.ts'
import type { Db } from '#server/contracts/transaction.ts'
import type { TypeByName } from '#server/contracts/type-by-name.ts'

/** Asks the gate in advance, without performing the operation. */
export interface PermissionBits {
  /** Whether the caller can perform an operation on a document or, without a name, on any document of the doctype. */
  allowed(session: Session, type: Doctype, name: string | null, operation: Operation): Promise<boolean>
  /** All permission bits of the caller; `share` is 0 if the doctype can't be shared. */
  of(session: Session, type: Doctype, name: string | null): ReturnType<Documents['permissions']>
}

/** Permission bits read from a database. Documents that aren't visible to the caller have none. */
export function createPermissionBits(db: Db, typeByName: TypeByName): PermissionBits {
  /** The document, if the caller can perform the operation on it; otherwise null. */
  async function loaded(
    session: Session,
    type: Doctype,
    name: string,
    operation: Operation,
  ): Promise<LoadedDocument | null> {
    try {
      return await loadFor({ db, session, typeByName }, type, name, operation)
    } catch (error) {
      if (error instanceof AppError) return null
      throw error
    }
  }

  async function allowed(session: Session, type: Doctype, name: string | null, operation: Operation): Promise<boolean> {
    if (name !== null) return (await loaded(session, type, name, operation)) !== null
    const accessContext = await accessContextIn(db, session, session.organization)
    return grantFor(withOwnRows(accessContext, type), type, operation) !== false
  }

  /** Sharing is an action of doctypes that support it; others can't be shared by anyone. */
  async function mayShare(session: Session, type: Doctype, name: string | null): Promise<boolean> {
    const action = type.actions?.['share']
    if (!action) return false
    if (name === null)
      return actionGrant(await accessContextIn(db, session, session.organization), type, action) !== false
    const found = await loaded(session, type, name, 'read')
    if (!found) return false
    const { doc, accessContext } = found
    return grantApplies(db, actionGrant(accessContext, type, action), type, doc, { accessContext, typeByName })
  }

  return {
    allowed,
    async of(session, type, name) {
      const bit = async (operation: Operation) => ((await allowed(session, type, name, operation)) ? 1 : 0)
      return {
        read: await bit('read'),
        write: await bit('write'),
        create: await bit('create'),
        delete: await bit('delete'),
        share: (await mayShare(session, type, name)) ? 1 : 0,
      }
    },
  }
}
