import type { Server } from '#shared/doctypes/server.ts'
import { createDoc, getDoc, runAction, updateDoc } from '#web/lib/api/api.ts'
import { useDynamicList, type Loaded } from '#web/lib/api/frappe.tsx'
import type { RowOf } from '#web/lib/api/list-rows.ts'
import { ConnectionDoctype, type Connection } from '#shared/doctypes/connection.ts'

/** Providers that machines are rented from; each has a kind of connection of this name. */
export type Vendor = Exclude<NonNullable<Server['cloud_provider']>, 'Custom'>

/** An account of the organization at a vendor. */
export type ConnectionRow = RowOf<Connection>

const vendors = ['Hetzner', 'AWS', 'DigitalOcean'] as const satisfies readonly Vendor[]

/** The organization's accounts at the vendors. */
export function useConnections(): Loaded<ConnectionRow[]> {
  return useDynamicList(ConnectionDoctype, {
    fields: ['name', 'kind', 'label', 'is_default', 'status', 'checked_at', 'message'],
    filters: [['kind', 'in', vendors]],
    limit: 0,
  })
}

/** Those at one vendor, the default first, then by label; undefined while unknown. */
export function accountsAt(vendor: Vendor, rows: readonly ConnectionRow[] | undefined): ConnectionRow[] | undefined {
  const byLabel = (a: ConnectionRow, b: ConnectionRow) => (a.label ?? '').localeCompare(b.label ?? '')
  return rows
    ?.filter(({ kind }) => kind === vendor)
    .toSorted((a, b) => (b.is_default ?? 0) - (a.is_default ?? 0) || byLabel(a, b))
}

/** Has the vendor asked whether the stored credentials work; returns what is stored then. Throws `ApiError`. */
export async function testConnection(name: string): Promise<Connection> {
  await runAction('Connection', name, 'test')
  return await getDoc<Connection>('Connection', name)
}

/** Stores new credentials: of an account, or of a new one if it has no name yet. Returns its name. Throws `ApiError`. */
export async function storeConnection(name: string | null, values: Record<string, string | number>): Promise<string> {
  if (name === null) return (await createDoc<Connection>('Connection', values)).name
  await updateDoc('Connection', name, values)
  return name
}
