import type { DefaultEventsMap, Namespace, Server, Socket } from 'socket.io'
import type { Session } from '#server/contracts/session.ts'

/** Data the server keeps per connection. */
export interface SocketData {
  session: Session
  /** When the session was last looked up (ms since epoch). */
  checkedAt: number
  /** The connection is about to be closed and joins no more rooms. */
  ending?: true
}

/** The socket server. */
export type WireIo = Server<DefaultEventsMap, DefaultEventsMap, DefaultEventsMap, SocketData>
/** One connection. */
export type WireSocket = Socket<DefaultEventsMap, DefaultEventsMap, DefaultEventsMap, SocketData>
/** The connections of one site name. */
export type WireNamespace = Namespace<DefaultEventsMap, DefaultEventsMap, DefaultEventsMap, SocketData>

/** Room names. Clients never name a room; they name documents, whose permissions are checked. */
export const rooms = {
  user: (user: string) => `user:${user}`,
  organization: (organization: string) => `org:${organization}`,
  document: (doctype: string, name: string) => `doc:${doctype}/${name}`,
  openDocument: (doctype: string, name: string) => `open_doc:${doctype}/${name}`,
  /** The list of a doctype. Null: its rows outside of organizations, which belong to users or to the platform. */
  doctype: (organization: string | null, doctype: string) => `doctype:${organization ?? ''}:${doctype}`,
  task: (id: string) => `task_progress:${id}`,
}

/** The document that a room of `document` or `openDocument` is about. */
export function documentOf(room: string): { doctype: string; name: string } {
  const [doctype = '', ...name] = room.slice(room.indexOf(':') + 1).split('/')
  return { doctype, name: name.join('/') }
}
