import { ExternalLink, LogIn, Play, Trash2 } from 'lucide-react'
import type { Doctype } from '#shared/doctype.ts'
import { ServerDoctype } from '#shared/doctypes/server.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { siteName } from '#shared/rules/display-name.ts'
import { gateAction, type PermissionBits } from '#web/documents/actions/action-gate.ts'
import { actionPhrase } from '#web/documents/actions/action-phrase.ts'
import type { Viewer } from '#web/documents/actions/viewer.ts'
import type { PendingAction } from '#web/documents/actions/action-dialog.tsx'
import { rowDoc } from '#web/documents/bulk/bulk-choices.ts'
import { needsDialog } from '#web/documents/actions/use-actions.ts'
import { translateText } from '#web/lib/i18n/catalog.ts'
import { actionUse } from '#web/lib/routing/recent.ts'
import type { Verb } from './command.ts'
import { tSearch } from './messages.ts'
import type { Option } from './option.ts'
import type { ServerRow, SiteRow } from './use-rows.ts'

/** Hidden site actions that the search offers too. */
const searchableHiddenActions: ReadonlySet<string> = new Set(['login_link'])
/** Opening the site itself, which isn't declared because it needs no server call. */
const visit = 'visit'
/** Maximum documents, and actions per document, if the text names no action. */
const fewDocuments = 3
const maxInlineActions = 2

/** Treat unknown share bits as not granted. */
const unknownShare: PermissionBits = { read: false, write: false, share: false }

const icon = { size: 16, strokeWidth: 1.75, 'aria-hidden': true } as const

function offered(type: Doctype): [string, NonNullable<Doctype['actions']>[string]][] {
  return Object.entries(type.actions ?? {}).filter(
    ([name, action]) => !action.hidden || searchableHiddenActions.has(name),
  )
}

/** All actions of the search, as the doctypes declare them. */
export const verbs: readonly Verb[] = [
  ...[SiteDoctype, ServerDoctype].flatMap((type) =>
    offered(type).map(([name, { label, phrase, keywords = [] }]) => ({
      name,
      label: translateText(label),
      ...(phrase && { phrase: translateText(phrase) }),
      keywords: keywords.map((word) => translateText(word)),
    })),
  ),
  { name: visit, label: 'Visit' },
]

/** What happens when an action is chosen. */
export interface ActionHandlers {
  openAdmin: (site: SiteRow) => void
  /** Runs the action or opens its dialog. */
  start: (type: Doctype, pending: PendingAction) => void
}

/**
 * Actions on the found documents that are possible now, using the usual gates. With `wanted` (names), only those; otherwise the
 * first few. The user's share permissions are unknown here, so actions that need them are
 * offered only to who typed their name, and the server decides.
 */
export function documentActions(
  found: { sites: readonly SiteRow[]; servers: readonly ServerRow[] },
  wanted: readonly string[] | null,
  viewer: Viewer,
  handlers: ActionHandlers,
  isTyped = wanted !== null,
): Option[] {
  const of = (type: Doctype, row: SiteRow | ServerRow, title: string): Option[] => {
    const doc = rowDoc(type, row)
    const site = 'domain' in row ? row : null
    const declared = offered(type).flatMap(([name, action]): Option[] => {
      // Only WordPress sites have an admin.
      if (name === 'login_link' && site?.site_type !== 'wp') return []
      const gate = gateAction(type, action, doc, viewer, isTyped ? {} : { bits: unknownShare })
      if (!gate.shown || !gate.enabled) return []
      const phrase = actionPhrase(action, title)
      return [
        {
          id: actionUse(name, row.name),
          icon: name === 'login_link' ? <LogIn {...icon} /> : action.danger ? <Trash2 {...icon} /> : <Play {...icon} />,
          // A login link is made for the person who asks: nothing is left to fill in.
          title: name !== 'login_link' && needsDialog(action) ? tSearch('asks', { phrase }) : phrase,
          run: () =>
            name === 'login_link' && site ? handlers.openAdmin(site) : handlers.start(type, { doc, name, action }),
        },
      ]
    })
    const looking: Option[] =
      site?.url && site.status === 'Live'
        ? [
            {
              id: actionUse(visit, site.name),
              icon: <ExternalLink {...icon} />,
              title: tSearch('visit', { title }),
              href: site.url,
              newTab: true,
            },
          ]
        : []
    const first = declared.slice(0, 1)
    const all = [...first, ...looking, ...declared.slice(1)]
    if (wanted === null) return all.slice(0, maxInlineActions)
    return all.filter(({ id }) => wanted.some((name) => id === `${name}-${row.name}`))
  }
  const most = wanted === null ? fewDocuments : undefined
  return [
    ...found.sites.slice(0, most).flatMap((row) => of(SiteDoctype, row, siteName(row))),
    ...found.servers.slice(0, most).flatMap((row) => of(ServerDoctype, row, row.hostname)),
  ]
}
