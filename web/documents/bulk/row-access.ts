import type { Action, Doctype } from '#shared/doctype.ts'
import type { ShareBits } from '#shared/responses/sharing.ts'
import { benefitsFromShares } from '#shared/rules/shares.ts'
import { useAllRows } from '#web/lib/api/all-rows.ts'
import { gateAction } from '../actions/action-gate.ts'
import { useViewer } from '../actions/use-actions.ts'
import type { ListRow } from '../values/cells.tsx'
import { rowDoc, type RowAccess } from './bulk-choices.ts'

interface Share extends ShareBits {
  readonly name: string
  readonly share_name: string
}

/**
 * What the shares of documents allow the user to do with rows of a list, so that no action is offered for rows that are shared for
 * less. Read once for all rows; null until then. The server decides where nothing can be known: if the reading fails, and for rows
 * whose rights are those of another document.
 */
export function useRowAccess(type: Doctype): ((row: ListRow) => RowAccess) | null {
  const { user, role } = useViewer()
  const depends = type.actions?.['share'] !== undefined && role !== null && benefitsFromShares(type, role)
  const shares = useAllRows<Share>(depends ? 'DocShare' : null, {
    fields: ['name', 'share_name', 'read', 'write', 'share'],
    filters: [
      ['user', '=', user],
      ['share_doctype', '=', type.name],
    ],
  })
  if (depends && shares.data === undefined) return shares.error ? () => ({}) : null
  if (!depends) return () => ({})
  const byName = new Map(shares.data?.map((share) => [share.share_name, share]))
  return ({ name }) => {
    const share = byName.get(name)
    return { bits: { read: share?.read === 1, write: share?.write === 1, share: share?.share === 1 } }
  }
}

/** Those of the rows for which the user can run an action now. */
export function usePossibleRows<R extends ListRow>(type: Doctype, action: Action, rows: readonly R[]): readonly R[] {
  const viewer = useViewer()
  const accessOf = useRowAccess(type)
  if (accessOf === null) return []
  return rows.filter((row) => {
    const gate = gateAction(type, action, rowDoc(type, row), viewer, accessOf(row))
    return gate.shown && gate.enabled
  })
}
