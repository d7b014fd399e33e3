import { canSeePeople } from '#shared/people.ts'
import type { Documents } from '#server/contracts/documents.ts'
import type { Doctype } from '#shared/doctype.ts'
import type { Session } from '#server/contracts/session.ts'
import { namedTask, runTask } from '#server/platform/log/loop-watchdog.ts'
import type { DocumentViewers } from './document-viewers.ts'
import type { RecentChanges } from './recent-changes.ts'
import { documentOf, rooms, type WireSocket } from './socket-types.ts'

/** Maximum number of rooms per connection. */
export const maxSubscriptions = 200
/** Events a connection may send at once, and per second. */
const eventBurst = 500
const eventsPerSecond = 25
/** Maximum length of a doctype or document name. */
const maxName = 280

/** Dependencies of a connection's handlers. */
export interface SubscriptionDeps {
  documents: Pick<Documents, 'canRead' | 'readers' | 'readsOneOf' | 'type'>
  viewers: DocumentViewers
  changes: RecentChanges
  /** The connection's current session; null if it has ended (the connection is closed then). */
  currentSession(socket: WireSocket): Promise<Session | null>
  failed(error: unknown): void
  now(): number
}

/**
 * Handles the events of one connection. Denials are silent: no room is joined and nothing is sent. Events run one after the
 * other, so that a quick unsubscribe cannot overtake its subscribe, and `pong` confirms that all subscriptions before its
 * `ping` are active: a client that reads after it misses nothing.
 */
export function handleSubscriptions(socket: WireSocket, deps: SubscriptionDeps): void {
  const { documents, viewers, changes } = deps
  const allowed = eventBudget(deps.now)
  let last: Promise<void> = Promise.resolve()

  const on = (event: string, count: number, act: (doctype: string, name: string) => Promise<void>) => {
    const task = namedTask(`socket ${event}`)
    socket.on(event, (...args: unknown[]) => {
      const names = args.slice(0, count)
      if (!allowed() || names.length < count || !names.every(isName)) return
      const [first = '', second = ''] = names
      last = last.then(() => runTask(task, () => act(first, second))).catch(deps.failed)
    })
  }
  const mayRead = async (doctype: string, name: string | null): Promise<Session | null> => {
    if (socket.rooms.size >= maxSubscriptions) return null
    const session = await deps.currentSession(socket)
    if (session === null || !(await documents.canRead(session, doctype, name))) return null
    // The permission may have been revoked while it was checked.
    return socket.connected && !socket.data.ending ? session : null
  }

  /** Whether a change in a room is visible to the user: the document or, for lists, at least one changed document must be. */
  const seesChange = async (session: Session, room: string, ms: number): Promise<boolean> => {
    if (room.startsWith('doc:')) return (await documents.readers([session], documentOf(room))).has(session)
    if (!room.startsWith('doctype:')) return true
    const [, organization, doctype = ''] = room.split(':')
    // Accounts change in the list of an organization when they join or leave it, and whose account left can't be looked up.
    if (organization !== '' && documents.type(doctype).tenant.kind === 'user') return true
    const names = changes.documentsIn(room, ms, session.user)
    return names === null || documents.readsOneOf(session, doctype, names)
  }

  on('doctype_subscribe', 1, async (doctype) => {
    const session = await mayRead(doctype, null)
    if (session) await socket.join(listRooms(documents.type(doctype), session.organization))
  })
  on('doctype_unsubscribe', 1, async (doctype) => {
    for (const room of socket.rooms)
      if (room.startsWith('doctype:') && room.endsWith(`:${doctype}`)) await socket.leave(room)
  })
  on('doc_subscribe', 2, async (doctype, name) => {
    if (await mayRead(doctype, name)) await socket.join(rooms.document(doctype, name))
  })
  on('doc_unsubscribe', 2, async (doctype, name) => socket.leave(rooms.document(doctype, name)))
  on('doc_open', 2, async (doctype, name) => {
    // Viewers are people, so API tokens do not count.
    const { token } = socket.data.session
    if (token && !canSeePeople(token.scopes)) return
    if (await mayRead(doctype, name)) await viewers.open(socket, doctype, name)
  })
  on('doc_close', 2, (doctype, name) => viewers.close(socket, doctype, name))
  for (const event of ['task_subscribe', 'progress_subscribe']) {
    // A task is a Job; without read permission there is no progress.
    on(event, 1, async (id) => {
      if (await mayRead('Job', id)) await socket.join(rooms.task(id))
    })
  }
  on('task_unsubscribe', 1, async (id) => socket.leave(rooms.task(id)))
  on('ping', 0, async () => {
    socket.emit('pong')
    return Promise.resolve()
  })
  // Our own addition to Frappe's events: what changed while a client read and subscribed, so that it need not read twice.
  socket.on('catch_up', (ms: unknown, acknowledge: unknown) => {
    if (!allowed() || typeof ms !== 'number' || typeof acknowledge !== 'function') return
    // Computed now, because the events queued before may take time.
    const from = deps.now() - ms
    last = last
      .then(async () => {
        const { session } = socket.data
        const changed = changes.since(socket.rooms, deps.now() - from, session.user)
        const changedKeys = new Set<string>()
        for (const room of changed ?? [])
          if (await seesChange(session, room, deps.now() - from)) changedKeys.add(keyOf(room))
        ;(acknowledge as (keys: string[] | null) => void)(changed && [...changedKeys])
      })
      .catch(deps.failed)
  })
}

/** Rooms of the rows that a list can have: those of the organization, and those that are outside of organizations. */
function listRooms({ name, tenant }: Doctype, organization: string | null): string[] {
  const ofOrganization = organization === null || tenant.kind === 'platform' ? [] : [rooms.doctype(organization, name)]
  const isOrganizations = tenant.kind === 'link' || tenant.kind === 'organization'
  return isOrganizations ? ofOrganization : [...ofOrganization, rooms.doctype(null, name)]
}

/** A room as clients know it, without the organization. */
function keyOf(room: string): string {
  return room.startsWith('doctype:') ? `doctype:${room.slice(room.lastIndexOf(':') + 1)}` : room
}

function isName(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    value.length <= maxName &&
    !value.includes('\0') &&
    value.isWellFormed()
  )
}

/** Token bucket for events: excess events are ignored. */
function eventBudget(now: () => number): () => boolean {
  let left = eventBurst
  let since = now()
  return () => {
    const time = now()
    left = Math.min(eventBurst, left + ((time - since) / 1000) * eventsPerSecond)
    since = time
    if (left < 1) return false
    left -= 1
    return true
  }
}
