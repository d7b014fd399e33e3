import type { Documents } from '#server/contracts/documents.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import type { Log } from '#server/platform/log/log.ts'
import type { FilterTriple } from '#shared/doctype.ts'
import { ActivityDoctype, type Activity } from '#shared/doctypes/activity.ts'
import { ConnectionDoctype, type Connection } from '#shared/doctypes/connection.ts'
import { doctypes } from '#shared/doctypes/registry.ts'
import { OrganizationDoctype, type Organization } from '#shared/doctypes/organization.ts'
import { activityWording } from '#shared/activity-wording.ts'
import {
  checkOf,
  unreachableResult,
  type ConnectionTestResult,
  type ConnectionTestContext,
  type ConnectionValues,
} from './connection-test.ts'
import { canPost, postMessage, slack } from './slack.ts'
import { credentialsOf, storeCheck } from './stored-connections.ts'

/** Dependencies of Slack notifications. */
export interface NotificationDeps {
  readonly documents: () => Documents
  readonly log: Log
  readonly context: ConnectionTestContext
  readonly config: { readonly url: string }
}

/** An entry of the activity log, as needed for a notification. */
type Entry = Pick<Activity, 'actor' | 'action' | 'result' | 'reference_doctype' | 'reference_name' | 'reference_title'>

/** Maximum number of lines per message; the rest is counted. */
const maxLines = 15
/** Maximum number of entries per run; older unsent ones are skipped. */
const maxEntries = 200

/** Activities that are sent, by the setting that turns them on; `shared/activity-wording.ts` has their wording. */
const kinds: readonly (readonly [
  setting: 'slack_on_sites' | 'slack_on_people' | 'slack_on_settings',
  keys: readonly string[],
])[] = [
  [
    'slack_on_sites',
    [
      ...['site.create', 'site.archive', 'site.restore_archive', 'site.delete'],
      ...['wpc_site.create', 'wpc_site.delete_permanently'],
    ],
  ],
  [
    'slack_on_people',
    [
      'organization member.insert',
      'organization member.delete',
      'organization member.update',
      'organization.transfer_ownership',
      'member invite.insert',
    ],
  ],
  [
    'slack_on_settings',
    [
      'organization.update',
      'organization.set_modules',
      'organization.make_server_access_token',
      'organization.revoke_server_access_token',
      'organization.clear_credentials',
      'connection.insert',
      'connection.update',
      'connection.delete',
      'subscription organization.change_plan',
      'subscription organization.cancel_plan',
      'subscription organization.reactivate_plan',
    ],
  ],
]

/** What is said of a failure that is no failed action. */
const failures: Readonly<Record<string, string>> = {
  'site.backup_failed': 'A backup could not begin',
  'site.backup_unproven': 'The proof of a backup failed',
  'site.went_down': 'A site is down',
  'site.files_changed': 'Files of a site were changed',
  'site.certificate_expiring': 'A certificate expires soon',
  'server.certificate_expiring': 'A certificate expires soon',
  'server.went_down': 'A server is down',
  'server.alert': 'A server needs a look',
}

/** What is said when something works again; it belongs to the failure. */
const recoveries: Readonly<Record<string, string>> = {
  'site.came_up': 'A site is up again',
  'server.came_up': 'A server is up again',
  'server.alert_ended': 'An alert of a server is over',
}

/** Slack parses these three characters as markup. */
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** The notification line for an entry; null if the organization has turned off that kind. */
export function notificationLine(entry: Entry, wants: Organization, url: string): string | null {
  const action = entry.action ?? ''
  const key = action.toLowerCase()
  const title = escaped(entry.reference_title ?? '')
  const actor = escaped(entry.actor ?? '')
  const page = doctypes.find(({ name }) => name === entry.reference_doctype)?.page
  const subject =
    page === undefined ? title : `<${url}/web${page}/${encodeURIComponent(entry.reference_name ?? '')}|${title}>`
  if (entry.result === 'Failed') {
    const what = failures[key] ?? `${escaped(action.replace('.', ': ').replaceAll('_', ' '))} failed`
    return wants.slack_on_failure === 1 ? `:x: ${what}${title === '' ? '' : `: ${subject}`} (${actor})` : null
  }
  if (entry.result !== 'Done') return null
  const recovery = recoveries[key]
  if (recovery !== undefined) return wants.slack_on_failure === 1 ? `:white_check_mark: ${recovery}: ${subject}` : null
  const setting = kinds.find(([, keys]) => keys.includes(key))?.[0]
  if (setting === undefined || wants[setting] !== 1) return null
  const text = `${actor} ${activityWording(key) ?? escaped(action)}`
  if (setting === 'slack_on_settings' || title === '') return text
  return setting === 'slack_on_sites' ? `${text} ${subject}` : `${text}: ${title}`
}

/**
 * Sends new activity to the Slack channels of organizations that enabled it. Each entry is sent at least once: the cursor
 * moves after Slack accepted the message. If Slack rejects it, the settings show the error and those notifications are not
 * sent later.
 */
export function slackNotifications(deps: NotificationDeps): () => Promise<void> {
  const { documents, log, context } = deps
  const session = systemSession('schedule')

  async function notify(connection: Connection): Promise<void> {
    const unsentEntries = await documents().transaction(session, (tx) => unsent(tx, connection))
    if (!unsentEntries) return
    const { organization, values, last } = unsentEntries
    const lines = unsentEntries.entries.flatMap((entry) => notificationLine(entry, organization, deps.config.url) ?? [])
    const found = lines.length === 0 ? null : await post(context, unsentEntries, lines)
    if (found?.outcome === 'rate_limited' || found?.outcome === 'unreachable') {
      log.warn('Slack did not accept an organization’s notifications', {
        organization: organization.name,
        outcome: found.outcome,
      })
      return
    }
    await documents().transaction(session, async (tx) => {
      await moveTo(tx, organization.name, last)
      // A message that arrives also ends an earlier failure.
      if (!found || (found.outcome === 'ok' && connection.status !== 'Failed')) return
      const check = checkOf(found, { took_ms: 0, checked_at: formatTimestamp(Date.now()), stored: true })
      await storeCheck(tx, connection.name, slack, { check, values })
    })
  }

  return async () => {
    const connections = await documents().transaction(session, (tx) =>
      tx.list(
        ConnectionDoctype,
        [
          ['kind', '=', 'Slack'],
          ['is_default', '=', 1],
        ],
        { order_by: 'organization' },
      ),
    )
    for (const connection of connections) {
      try {
        await notify(connection)
      } catch (error) {
        log.error('Slack notifications could not be sent', { organization: connection.organization, error })
      }
    }
  }
}

interface UnsentEntries {
  organization: Organization
  values: ConnectionValues
  entries: Entry[]
  /** Sequence of the newest entry that was read. */
  last: number
}

/** Unsent entries, or null if there are none. The first run only stores the current position. */
async function unsent(tx: Tx, connection: Connection): Promise<UnsentEntries | null> {
  const organization = await tx.get(OrganizationDoctype, connection.organization)
  if (organization?.enabled !== 1 || !canPost(connection)) return null
  const { name } = organization
  const own: FilterTriple = ['organization', '=', name]
  const newestFirst = { order_by: 'sequence desc' }
  const [newest] = await tx.list(ActivityDoctype, [own], { ...newestFirst, limit: 1 })
  const last = newest?.sequence ?? 0
  const cursor = organization.slack_cursor
  if (cursor === null) {
    await moveTo(tx, name, last)
    return null
  }
  if (last <= cursor) return null
  const entries = await tx.list(ActivityDoctype, [own, ['sequence', '<=', last]], {
    ...newestFirst,
    limit: Math.min(maxEntries, last - cursor),
  })
  const values = await credentialsOf(tx, connection)
  return { organization, values, entries: entries.toReversed(), last }
}

async function post(
  context: ConnectionTestContext,
  { organization, values }: UnsentEntries,
  lines: readonly string[],
): Promise<ConnectionTestResult> {
  const more = lines.length - maxLines
  const text = [
    `*${escaped(organization.title)}*`,
    ...lines.slice(0, maxLines),
    ...(more > 0 ? [`and ${more} more`] : []),
  ].join('\n')
  try {
    return await postMessage(values, context, text)
  } catch (error) {
    return unreachableResult(slack, error)
  }
}

/** Stores the position in the log. This is not an edit of the organization, so `modified` stays. */
async function moveTo(tx: Tx, name: string, last: number): Promise<void> {
  await tx.updateColumns(OrganizationDoctype, name, { slack_cursor: last })
}
