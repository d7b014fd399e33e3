import { mayLearnOfPeople } from '#shared/people.ts'
import type { Documents } from '#server/contracts/documents.ts'
import type { Session } from '#server/contracts/session.ts'
import { namedTask, runTask } from '#server/platform/log/loop-watchdog.ts'
import type { WorkerLiveness } from './presence.ts'
import type { RecentChanges } from './recent-changes.ts'
import { rooms, type WireSocket } from './socket-types.ts'

/** Most rooms of one connection. */
export const maxSubscriptions = 200
/** Events a connection may send at once, and how many come back each second. */
const eventBurst = 500
const eventsPerSecond = 25
/** Longest doctype or document name that is looked at. */
const maxName = 280

/** What the handlers of a connection need. */
export interface SubscriptionSetting {
  documents: Pick<Documents, 'canRead' | 'readsOneOf'>
  presence: WorkerLiveness
  changes: RecentChanges
  /** The connection's session as it is now; null when it is over (the connection is closed then). */
  currentSession(socket: WireSocket): Promise<Session | null>
  failed(error: unknown): void
  now(): number
}

/**
 * Answers the events of one connection. Refusals are silent: no room is joined and nothing is sent. Each event runs
 * after the one before it, so that a quick unsubscribe is not overtaken by its own subscribe, and `pong` tells that the
 * subscriptions before its `ping` stand: a client that reads then has missed nothing.
 */
export function handleSubscriptions(socket: WireSocket, setting: SubscriptionSetting): void {
  const { documents, presence, changes } = setting
  const allowed = eventBudget(setting.now)
  let last: Promise<void> = Promise.resolve()

  const on = (event: string, count: number, act: (...names: string[]) => Promise<void>) => {
    const task = namedTask(`socket ${event}`)
    socket.on(event, (...args: unknown[]) => {
      const names = args.slice(0, count)
      if (!allowed() || names.length < count || !names.every(isName)) return
      last = last.then(() => runTask(task, () => act(...(names as string[])))).catch(setting.failed)
    })
  }
  const mayRead = async (doctype: string, name: string | null): Promise<Session | null> => {
    if (socket.rooms.size >= maxSubscriptions) return null
    const session = await setting.currentSession(socket)
    if (session === null || !(await documents.canRead(session, doctype, name))) return null
    // Its rights may have ended while they were asked for.
    return socket.connected && !socket.data.ending ? session : null
  }

  /** Whether something changed in a room that the person may read: of lists, one of the documents at least. */
  const mayHear = async (session: Session, room: string, ms: number): Promise<boolean> => {
    if (!room.startsWith('doctype:')) return true
    const names = changes.documentsIn(room, ms, session.user)
    return names === null || documents.readsOneOf(session, room.slice(room.lastIndexOf(':') + 1), names)
  }

  on('doctype_subscribe', 1, async (doctype) => {
    const session = await mayRead(doctype as string, null)
    if (session?.organization) await socket.join(rooms.doctype(session.organization, doctype as string))
  })
  on('doctype_unsubscribe', 1, async (doctype) => {
    for (const room of socket.rooms)
      if (room.startsWith('doctype:') && room.endsWith(`:${doctype}`)) await socket.leave(room)
  })
  on('doc_subscribe', 2, async (doctype, name) => {
    if (await mayRead(doctype as string, name as string))
      await socket.join(rooms.document(doctype as string, name as string))
  })
  on('doc_unsubscribe', 2, async (doctype, name) => socket.leave(rooms.document(doctype as string, name as string)))
  on('doc_open', 2, async (doctype, name) => {
    // Viewers are people; a program is none.
    const { token } = socket.data.session
    if (token && !mayLearnOfPeople(token.scopes)) return
    if (await mayRead(doctype as string, name as string)) await presence.open(socket, doctype as string, name as string)
  })
  on('doc_close', 2, (doctype, name) => presence.close(socket, doctype as string, name as string))
  for (const event of ['task_subscribe', 'progress_subscribe']) {
    // A task is a Job; who may not read it learns nothing of its progress.
    on(event, 1, async (id) => {
      if (await mayRead('Job', id as string)) await socket.join(rooms.task(id as string))
    })
  }
  on('task_unsubscribe', 1, async (id) => socket.leave(rooms.task(id as string)))
  on('ping', 0, async () => {
    socket.emit('pong')
    return Promise.resolve()
  })
  // Ours, beside Frappe's events: what changed while a client read and subscribed, so that it need not read twice.
  socket.on('catch_up', (ms: unknown, acknowledge: unknown) => {
    if (!allowed() || typeof ms !== 'number' || typeof acknowledge !== 'function') return
    // The events before this one may take their time.
    const from = setting.now() - ms
    last = last
      .then(async () => {
        const { session } = socket.data
        const changed = changes.since(socket.rooms, setting.now() - from, session.user)
        const changedKeys: string[] = []
        for (const room of changed ?? [])
          if (await mayHear(session, room, setting.now() - from)) changedKeys.push(keyOf(room))
        ;(acknowledge as (keys: string[] | null) => void)(changed && changedKeys)
      })
      .catch(setting.failed)
  })
}

/** A room as clients know it: they name no organization. */
function keyOf(room: string): string {
  return room.startsWith('doctype:') ? `doctype:${room.slice(room.lastIndexOf(':') + 1)}` : room
}

function isName(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    value !== '' &&
    value.length <= maxName &&
    !value.includes('\0') &&
    value.isWellFormed()
  )
}

/** A bucket of events: what is too much is ignored. */
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
