import { useState } from 'react'
import type { FilterTriple } from '#shared/doctype.ts'
import type { Server } from '#shared/doctypes/server.ts'
import { useDebounced } from '#web/lib/api/debounce.ts'
import { useCount, useList, type Loaded } from '#web/lib/api/frappe.tsx'
import { sessionRoles, useSession } from '#web/lib/session/session.tsx'

/** The fields of a server needed here. */
export type EligibleServer = Pick<Server, 'name' | 'hostname' | 'engine' | 'server_category' | 'cpu' | 'ram'>

/** Maximum servers loaded at once; if there are more, the search text filters them. */
export const maxServers = 200

const fields = ['name', 'hostname', 'engine', 'server_category', 'cpu', 'ram'] as const

/** Servers to choose from, and the search text. */
export interface EligibleServers {
  /** The first ones, by host name. */
  first: Loaded<EligibleServer[]>
  /** Servers to show: matches of the search, and the chosen one. */
  shown: readonly EligibleServer[]
  /** Total number; undefined while loading. */
  total: number | undefined
  /** The chosen one; null if it isn't one of these (anymore), undefined while loading. */
  chosen: EligibleServer | null | undefined
  text: string
  setText: (text: string) => void
}

/**
 * Servers that a new site can use (docs/contracts/screens.md, section 5): Healthy and not locked; for members, development
 * only (they can't read the lock, so the server checks it again).
 */
export function useEligibleServers(chosenName: string): EligibleServers {
  const session = useSession()
  const { admin, manager, owner } = sessionRoles(session)
  const [text, setText] = useState('')
  const term = useDebounced(text.trim())
  const filters: readonly FilterTriple[] = [
    ['status', '=', 'Healthy'],
    admin || manager || owner ? ['locked_by_job', 'is', 'not set'] : ['server_category', '=', 'development'],
  ]
  const request = { fields, order_by: 'hostname asc', limit: maxServers }
  const first = useList('Server', { ...request, filters })
  const total = useCount('Server', { filters }).data
  const isPart = first.data?.length === maxServers
  const pattern = `%${term.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`
  const found = useList(isPart && term !== '' ? 'Server' : null, {
    ...request,
    filters: [...filters, ['hostname', 'like', pattern]],
  })
  const isFirst = first.data?.some(({ name }) => name === chosenName) ?? false
  const chosenOnly = useList(
    isPart && chosenName !== '' && !isFirst ? 'Server' : null,
    { ...request, filters: [...filters, ['name', '=', chosenName]], limit: 1 },
    { keepPrevious: false },
  )
  const known = new Map(
    [...(first.data ?? []), ...(found.data ?? []), ...(chosenOnly.data ?? [])].map((server) => [server.name, server]),
  )
  const isOpen = first.data === undefined || chosenOnly.isLoading
  const wanted = text.trim().toLowerCase()
  return {
    first,
    shown: [...known.values()].filter(
      ({ name, hostname }) => name === chosenName || String(hostname).toLowerCase().includes(wanted),
    ),
    total: total ?? (isPart ? undefined : first.data?.length),
    chosen: known.get(chosenName) ?? (isOpen ? undefined : null),
    text,
    setText,
  }
}
