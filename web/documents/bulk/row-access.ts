import type { Action, Doctype } from '#shared/doctype.ts'
import type { ShareBits } from '#shared/responses/sharing.ts'
import { benefitsFromShares } from '#shared/rules/shares.ts'
import { useAllRows } from '#web/lib/api/all-rows.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { gateAction, type Capabilities } from '../actions/action-gate.ts'
import { engineCapabilities } from '../actions/action-responses.ts'
import { serverOf, useViewer } from '../actions/use-actions.ts'
import type { ListRow } from '../values/cells.tsx'
import { rowDoc, type RowAccess } from './bulk-choices.ts'

interface Share extends ShareBits {
  readonly name: string
  readonly share_name: string
}

/** What the engine of a server can do; undefined until it is known, or without a server. */
function useCapabilities(server: string | undefined): Capabilities | undefined {
  const asked = server === undefined ? null : 'easydash.api.engine.capabilities'
  return useMethod(asked, { server: server ?? '' }, { returns: engineCapabilities }).data?.capabilities
}

/** What the engines of rows can do, of the two servers that most of the rows are on. */
function useEngines(type: Doctype, rows: readonly ListRow[]): (row: ListRow) => Capabilities | undefined {
  const asks = Object.values<Action>(type.actions ?? {}).some(({ capability }) => capability)
  const times = new Map<string, number>()
  for (const row of asks ? rows : []) {
    const server = serverOf(type, rowDoc(type, row))
    if (server !== null) times.set(server, (times.get(server) ?? 0) + 1)
  }
  const [first, second] = [...times].toSorted((a, b) => b[1] - a[1]).map(([server]) => server)
  const [ofFirst, ofSecond] = [useCapabilities(first), useCapabilities(second)]
  return (row) => {
    const server = serverOf(type, rowDoc(type, row))
    return server === null ? undefined : server === first ? ofFirst : server === second ? ofSecond : undefined
  }
}

/**
 * What the shares of documents allow the user to do with rows of a list, and what their engines can do, so that no action is offered for
 * rows that are shared for less, or cannot do it. Shares are read once for all rows; null until then. The server decides where nothing
 * can be known: if the reading fails, for rows whose rights are those of another document, and for rows of further servers.
 */
export function useRowAccess(type: Doctype, rows: readonly ListRow[]): ((row: ListRow) => RowAccess) | null {
  const { user, role } = useViewer()
  const engineOf = useEngines(type, rows)
  const depends = type.actions?.['share'] !== undefined && role !== null && benefitsFromShares(type, role)
  const shares = useAllRows<Share>(depends ? 'DocShare' : null, {
    fields: ['name', 'share_name', 'read', 'write', 'share'],
    filters: [
      ['user', '=', user],
      ['share_doctype', '=', type.name],
    ],
  })
  const byEngine = (row: ListRow): RowAccess => {
    const capabilities = engineOf(row)
    return capabilities === undefined ? {} : { capabilities }
  }
  if (depends && shares.data === undefined) return shares.error ? byEngine : null
  if (!depends) return byEngine
  const byName = new Map(shares.data?.map((share) => [share.share_name, share]))
  return (row) => {
    const share = byName.get(row.name)
    const bits = { read: share?.read === 1, write: share?.write === 1, share: share?.share === 1 }
    return { bits, ...byEngine(row) }
  }
}

/** Those of the rows for which the user can run an action now. */
export function usePossibleRows<R extends ListRow>(type: Doctype, action: Action, rows: readonly R[]): readonly R[] {
  const viewer = useViewer()
  const accessOf = useRowAccess(type, rows)
  if (accessOf === null) return []
  return rows.filter((row) => {
    const gate = gateAction(type, action, rowDoc(type, row), viewer, accessOf(row))
    return gate.shown && gate.enabled
  })
}
