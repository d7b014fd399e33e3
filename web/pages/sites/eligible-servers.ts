import { useEffect, useEffectEvent, useState } from 'react'
import type { FilterTriple } from '#shared/doctype.ts'
import type { Server } from '#shared/doctypes/server.ts'
import { linkSuggestions, type LinkSuggestion } from '#shared/responses/desk.ts'
import { chosenServer } from '#shared/responses/engine.ts'
import { useDebounced } from '#web/lib/api/debounce.ts'
import { useList, useMethod, type Loaded } from '#web/lib/api/frappe.tsx'
import { showToast } from '#web/lib/browser/toasts.ts'
import { useListEvents } from '#web/lib/events/use-events.ts'
import { sessionRoles, useSession } from '#web/lib/session/session.tsx'
import { t } from './messages.ts'

/** A suggested server: its name, and its host name if it has another one. */
export type SuggestedServer = LinkSuggestion

/** What else the form shows of the chosen server. */
export type ServerCategory = Partial<Pick<Server, 'hostname' | 'server_category' | 'engine'>>

/** What members can read of a server, and what others can. */
const publicFacts = ['server_category', 'cloud_provider'] as const
const privateFacts = ['vm_country', 'vm_region', 'disk_free', 'cpu_percent', 'metrics_at'] as const

/** What people choose a server by, as far as they can read it. */
export type ServerFacts = Partial<Pick<Server, (typeof publicFacts | typeof privateFacts)[number]>>

/** Category, provider, region, load and free space of servers, by name. */
export function useServerFacts(names: readonly string[]): ReadonlyMap<string, ServerFacts> {
  const { privileged } = sessionRoles(useSession())
  const found = useList(names.length > 0 ? 'Server' : null, {
    fields: ['name', ...publicFacts, ...(privileged ? privateFacts : [])],
    filters: [['name', 'in', [...names]]],
    limit: suggestedServers + 1,
  })
  return new Map((found.data ?? []).map((one) => [one.name, one]))
}

/** Maximum number of servers suggested at once (docs/contracts/screens.md, section 9). */
export const suggestedServers = 5

/** Servers to choose from, and the search text. */
export interface EligibleServers {
  /** The first matches of the search. */
  found: Loaded<SuggestedServer[]>
  /** Servers to show: the chosen one, which stays, and the matches. */
  shown: readonly SuggestedServer[]
  /** The chosen one's category; null if it can't be used (anymore), undefined while loading. */
  chosen: ServerCategory | null | undefined
  text: string
  setText: (text: string) => void
}

/**
 * Servers that a new site can use (docs/contracts/screens.md, section 5): Healthy, of the organization, and for members
 * development only. The server leaves out those that a job has locked, which members can't read.
 */
function useEligibility(): readonly FilterTriple[] {
  const session = useSession()
  const { privileged } = sessionRoles(session)
  return [
    ['organization', '=', session.organization?.name ?? ''],
    ['status', '=', 'Healthy'],
    ...(privileged ? [] : [['server_category', '=', 'development'] as const]),
  ]
}

/** A server by its exact name, if a new site can use it: null if it can't or the name is empty, undefined while loading. */
export function useEligibleServer(name: string): ServerCategory | null | undefined {
  const filters = useEligibility()
  const { data, error } = useMethod(
    name === '' ? null : 'frappe.client.get_value',
    {
      doctype: 'Server',
      fieldname: JSON.stringify(['hostname', 'server_category', 'engine']),
      filters: JSON.stringify([['name', '=', name], ...filters]),
    },
    { returns: chosenServer },
  )
  if (name === '' || (data && data.server_category === undefined)) return null
  return data ?? (error ? {} : undefined)
}

/**
 * Searches the servers that a new site can use.
 * @param engine only those of this engine
 */
export function useEligibleServers(chosen: string, engine: string | null = null): EligibleServers {
  const [text, setText] = useState('')
  const txt = useDebounced(text.trim())
  const eligible = useEligibility()
  // Members cannot read which engine a server has, but servers are suggested by it (`link_filter_fields`).
  const filters = engine === null ? eligible : [...eligible, ['engine', '=', engine]]
  const found = useMethod(
    'frappe.desk.search.search_link',
    {
      txt,
      doctype: 'Server',
      ignore_user_permissions: 0,
      reference_doctype: 'Site',
      page_length: suggestedServers,
      filters,
    },
    { verb: 'POST', keepPrevious: true, returns: linkSuggestions },
  )
  const details = useEligibleServer(chosen)
  useListEvents('Server', () => void found.reload())
  const hasFailed = chosen !== '' && details !== undefined && details?.server_category === undefined
  useEffect(() => {
    if (hasFailed)
      showToast({ title: t('create.category_error'), description: t('create.category_missing'), variant: 'danger' })
  }, [hasFailed])
  // A chosen server is in the list, also beyond the first matches and while others are searched.
  const current =
    found.data?.find(({ value }) => value === chosen) ??
    (details ? { value: chosen, label: details.hostname ?? chosen, description: '' } : null)
  return {
    found,
    shown: [...(current && !found.data?.includes(current) ? [current] : []), ...(found.data ?? [])],
    chosen: details,
    text,
    setText,
  }
}

/** Eligible servers of a form, one of which stands beside something. */
export interface ServersBeside extends EligibleServers {
  /** Whether the server it is on can't take a site now. */
  isGone: boolean
  /** Whether somebody must choose another one. */
  isUnchosen: boolean
}

/** Servers for a new site that belongs on `own`, if that can take one; otherwise somebody chooses. */
export function useServersBeside(
  own: string,
  chosen: string,
  choose: (name: string) => void,
  engine: string | null = null,
): ServersBeside {
  const servers = useEligibleServers(chosen, engine)
  const found = useEligibleServer(own)
  const preset = useEffectEvent(choose)
  useEffect(() => {
    if (chosen === '' && found) preset(own)
  }, [chosen, found, own])
  const isGone = found === null
  return {
    ...servers,
    isGone,
    isUnchosen: chosen === '' ? isGone : servers.shown.every(({ value }) => value !== chosen),
  }
}
