import type { UserMeta } from '#shared/doctypes/user-meta.ts'
import { dashboardLists } from '#shared/dashboard-reads.ts'
import { pageLists } from '#shared/list-reads.ts'
import { listMethod, listParams, methodAddress, resourceAddress } from '#shared/wire-address.ts'
import type { Session } from './documents/types.ts'

/** What of the session's facts says which pages and lists somebody has. */
export interface Reader {
  metadata: unknown
  modules: unknown
  /** The person's User Meta. */
  meta: unknown
}

/** What a page reads first: a document by its doctype, a reading method by its name. */
type Read = { doctype: string } | { method: string }

/** Who has a page (gating rules 8, 9 and 11 of the web app); others are led away, and ask for nothing. */
interface Rights {
  owner: boolean
  admin: boolean
  manager: boolean
}

const subscription = 'easydash.easydash.doctype.subscription_organization.subscription_organization'

/**
 * By the path below `/web`; a document has the name of the path's last segment, without one that of the organization on
 * screen. Other pages ask for all by their script.
 */
const reads: readonly (readonly [path: RegExp, reads: readonly Read[], who?: keyof Rights])[] = [
  [/^\/site\/(?!create$)([^/]+)$/, [{ doctype: 'Site' }]],
  [/^\/server\/(?!create$)([^/]+)$/, [{ doctype: 'Server' }], 'manager'],
  [/^\/user\/([^/]+)$/, [{ doctype: 'User' }]],
  [/^\/organization$/, [{ doctype: 'Organization' }], 'admin'],
  [
    /^\/billing$/,
    [
      { method: `${subscription}.get_user_profile` },
      { method: 'easydash.api.payment_subscription.get_countries_list' },
      { method: `${subscription}.get_subscription_status` },
      { doctype: 'Subscription Organization' },
    ],
    'owner',
  ],
]

/**
 * Addresses that the page at `path` reads before it can draw what it is about. It asks for them while its script is still on
 * its way (web/lib/early-reads.ts); the gate answers as ever. `reader`: null when the session's facts are not known; `query`:
 * what the address says beyond the path, without its `?`.
 */
export function pageReads(
  session: Pick<Session, 'kind' | 'verified' | 'organization'>,
  path: string,
  reader: Reader | null,
  query = '',
): string[] {
  if (session.kind !== 'cookie' || !session.verified || session.organization === null || !reader) return []
  const page = /^\/web(\/.*)?$/.exec(path)
  // The facts alone, without a page (bootMethod).
  if (!page) return []
  const below = (page[1] ?? '').replace(/\/$/, '')
  const rights = rightsOf(reader)
  if (below === '') return dashboardReads(reader, rights)
  if (below === '/site' || (below === '/server' && modulesOf(reader).ee)) {
    const [doctype, options] = pageLists[below]
    const usual = rights.manager && query === '' && !keepsFilters(reader, doctype)
    return usual ? [methodAddress(listMethod, listParams(doctype, options))] : []
  }
  for (const [pattern, wanted, who] of reads) {
    const found = pattern.exec(below)
    if (!found) continue
    if (who !== undefined && !rights[who]) return []
    const name = found[1] === undefined ? session.organization : decoded(found[1])
    return wanted.flatMap((read) => {
      if ('method' in read) return [methodAddress(read.method)]
      return name === null ? [] : [resourceAddress(read.doctype, name)]
    })
  }
  return []
}

function rightsOf({ metadata }: Reader): Rights {
  const { org_role: role, is_owner } = metadata as { org_role?: string | null; is_owner?: boolean }
  const owner = is_owner === true
  const admin = owner || role === 'Organization Admin'
  return { owner, admin, manager: admin || role === 'Organization Manager' }
}

const modulesOf = ({ modules }: Reader) => ({ ee: (modules as { ee?: boolean }).ee === true })

/** Whether a person's own filters of a list are kept with the account. */
function keepsFilters({ meta }: Reader, doctype: string): boolean {
  const { preferences } = meta as Partial<Pick<UserMeta, 'preferences'>>
  const lists = preferences?.['lists'] as Record<string, { status?: unknown } | undefined> | null | undefined
  return lists?.[doctype]?.status !== undefined
}

function dashboardReads(reader: Reader, { manager }: Rights): string[] {
  const servers = modulesOf(reader).ee
  const { serverStates, unhealthyServers, fullestServers, ...always } = dashboardLists
  const lists = [
    ...Object.values(always),
    ...(servers ? [serverStates, unhealthyServers] : []),
    ...(servers && manager ? [fullestServers] : []),
  ]
  return lists.map(([doctype, options]) => methodAddress(listMethod, listParams(doctype, options)))
}

/** A path's segment as people mean it; null when it is no text. */
function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment)
  } catch {
    return null
  }
}
