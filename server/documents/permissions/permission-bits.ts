import type { Doctype } from '#shared/doctype.ts'
import { AppError } from '#shared/errors.ts'
import { holds, loadFor, type Seen } from './access.ts'
import { actionGrant, grantFor, accessContextIn, type Operation } from './gate.ts'
import type { Documents } from '#server/contracts/documents.ts'
import type { Session } from '#server/contracts/session.ts'
import type { Db } from '#server/contracts/transaction.ts'
import type { TypeByName } from '../type-by-name.ts'

/** What the gate says beforehand: it is asked, and nothing is done. */
export interface PermissionBits {
  /** Whether the caller may do something with a document, or (without a name) with any one of the doctype. */
  allowed(session: Session, type: Doctype, name: string | null, operation: Operation): Promise<boolean>
  /** All bits of the caller at once; `share` is 0 for what cannot be shared at all. */
  of(session: Session, type: Doctype, name: string | null): ReturnType<Documents['permissions']>
}

/** Permission bits over a database; what does not exist for the caller gives none. */
export function createPermissionBits(db: Db, typeByName: TypeByName): PermissionBits {
  /** The document as far as the caller may do that with it; null when he may not, or there is none for him. */
  async function loaded(session: Session, type: Doctype, name: string, operation: Operation): Promise<Seen | null> {
    try {
      return await loadFor(db, session, type, name, operation, typeByName)
    } catch (error) {
      if (error instanceof AppError) return null
      throw error
    }
  }

  async function allowed(session: Session, type: Doctype, name: string | null, operation: Operation): Promise<boolean> {
    if (name !== null) return (await loaded(session, type, name, operation)) !== null
    return grantFor(await accessContextIn(db, session, session.organization), type, operation) !== false
  }

  /** Sharing is an action of the doctypes that have it; the others cannot be shared by anybody. */
  async function mayShare(session: Session, type: Doctype, name: string | null): Promise<boolean> {
    const action = type.actions?.['share']
    if (!action) return false
    if (name === null)
      return actionGrant(await accessContextIn(db, session, session.organization), type, action) !== false
    const seen = await loaded(session, type, name, 'read')
    if (!seen) return false
    const { doc, accessContext } = seen
    return holds(db, actionGrant(accessContext, type, action), type, doc, { accessContext, typeByName })
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
