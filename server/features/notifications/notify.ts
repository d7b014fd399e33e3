import type { Session } from '#server/contracts/session.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { accountSession, systemSession } from '#server/jobs/session.ts'
import { ActivityDoctype, type Activity } from '#shared/doctypes/activity.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import { NotificationLogDoctype } from '#shared/doctypes/notification-log.ts'
import { OrganizationMemberDoctype } from '#shared/doctypes/organization-member.ts'
import { UserDoctype } from '#shared/doctypes/user.ts'
import { UserMetaDoctype } from '#shared/doctypes/user-meta.ts'
import { serializeMessage } from '#shared/localized-message.ts'
import { notableActions, notableIn, type Notable } from '#shared/rules/notification-events.ts'
import { moveCursor, unreadChains, type UnreadChain } from './notification-cursor.ts'
import { mailNotifications } from './notification-mail.ts'
import { notificationText } from './notification-text.ts'
import type { NotificationsDeps } from './notifications-deps.ts'

/** Entries that are read at once. */
const batchSize = 100
/** Batches of an organization in one run: one where everything fails must not delay the others. */
const maxBatches = 5

const session = systemSession('schedule')

/**
 * Notifies people about new entries of the activity log, from which Slack messages are made, too: everyone who can read the entry.
 * The cursor of an organization moves in the transaction that writes the notifications, so each person gets each once.
 */
export async function notifyPeople(deps: NotificationsDeps): Promise<void> {
  const chains = await deps.documents().transaction(session, (tx) => unreadChains(tx.trx))
  for (const chain of chains) {
    try {
      await notifyChain(deps, chain)
    } catch (error) {
      deps.log.error('People could not be notified', { organization: chain.organization, error })
    }
  }
}

async function notifyChain(deps: NotificationsDeps, { organization, cursor, last }: UnreadChain): Promise<void> {
  let from = cursor
  for (let batch = 0; batch < maxBatches; batch += 1) {
    const entries = await deps.documents().transaction(session, (tx) => readEntries(tx, organization, from, last))
    for (const entry of withoutRepetitions(entries)) await notifyOf(deps, organization, entry)
    const end = entries.at(-1)?.sequence ?? last
    from = entries.length < batchSize ? last : end
    const reached = from
    await deps.documents().transaction(session, (tx) => moveCursor(tx.trx, organization, reached))
    if (reached === last) return
  }
}

/** Entries that may be worth a notification, oldest first. */
function readEntries(tx: Tx, organization: string | null, from: number, last: number): Promise<Activity[]> {
  return tx.list(
    ActivityDoctype,
    [
      ['organization', '=', organization],
      ['sequence', '>', from],
      ['sequence', '<=', last],
    ],
    {
      or_filters: [
        ['action', 'in', notableActions],
        ['result', '=', 'Failed'],
      ],
      order_by: 'sequence asc',
      limit: batchSize,
    },
  )
}

/** A job is recorded at each document it is about, together: the last entry says most about it. */
function withoutRepetitions(entries: readonly Activity[]): Activity[] {
  return entries.filter((entry, at) => {
    const next = entries[at + 1]
    return !(entry.job !== null && next?.job === entry.job && next.action === entry.action)
  })
}

/** Who is notified about an entry, with the organization in which they see it. */
interface Recipients {
  readonly organization: string
  readonly users: readonly string[]
}

async function notifyOf(deps: NotificationsDeps, organization: string | null, entry: Activity): Promise<void> {
  const notable = notableIn(entry)
  if (!notable) return
  const recipients =
    notable.event === 'new_sign_in'
      ? await ownAccount(deps, entry)
      : organization === null
        ? null
        : await readersOf(deps, organization, entry)
  if (!recipients) return
  await deps.documents().transaction(session, async (tx) => {
    if (!(await moveCursor(tx.trx, organization, entry.sequence ?? 0))) return
    await writeNotifications(deps, tx, { entry, notable, recipients })
  })
}

/** The person whose account it is, wherever they work now. */
function ownAccount({ documents }: NotificationsDeps, entry: Activity): Promise<Recipients | null> {
  return documents().transaction(session, async (tx) => {
    const meta = await tx.find(UserMetaDoctype, [['user', '=', entry.reference_name ?? '']])
    const organization = meta?.current_organization
    return meta && organization ? { organization, users: [meta.user] } : null
  })
}

/** The members who can read the entry now. */
async function readersOf(
  { documents }: NotificationsDeps,
  organization: string,
  { name }: Activity,
): Promise<Recipients> {
  const sessions = await documents().transaction(session, (tx) => memberSessions(tx, organization))
  const readers = await documents().readers(sessions, { doctype: 'Activity', name, organization })
  return { organization, users: sessions.filter((one) => readers.has(one)).map(({ user }) => user) }
}

async function memberSessions(tx: Tx, organization: string): Promise<Session[]> {
  const members = await tx.listFields(OrganizationMemberDoctype, ['user'], [['parent', '=', organization]])
  if (members.length === 0) return []
  const accounts = await tx.list(UserDoctype, [
    ['name', 'in', members.map(({ user }) => user)],
    ['enabled', '=', 1],
  ])
  return accounts.map((account) => accountSession(account, organization))
}

async function writeNotifications(
  deps: NotificationsDeps,
  tx: Tx,
  { entry, notable, recipients }: { entry: Activity; notable: Notable; recipients: Recipients },
): Promise<void> {
  const job = entry.job === null ? null : await tx.get(JobDoctype, entry.job)
  const { subject, body } = notificationText(notable, entry, job)
  const values = {
    ...{ organization: recipients.organization, event: notable.event, severity: notable.severity },
    ...serializeMessage('subject', subject, 300),
    ...serializeMessage('body', body, 1000),
    // Of one's own account there is nothing to read that others could lose sight of.
    ...(notable.event === 'new_sign_in'
      ? {}
      : { reference_doctype: entry.reference_doctype, reference_name: entry.reference_name }),
    ...{ job: entry.job, created: entry.creation, activity: entry.name },
  }
  const said = { ...values, subject: values.subject ?? '' }
  for (const user of recipients.users) await tx.insert(NotificationLogDoctype, { ...said, user })
  // Emails about a new login are sent at once, whatever is chosen for the others.
  if (notable.event !== 'new_sign_in') await mailNotifications(deps, tx, said, recipients.users)
}
