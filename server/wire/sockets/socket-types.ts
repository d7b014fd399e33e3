import type { DefaultEventsMap, Namespace, Server, Socket } from 'socket.io'
import type { Session } from '#server/contracts/session.ts'

/** What the server keeps about a connection. */
export interface SocketData {
  session: Session
  /** When the session was last looked up (ms since 1970). */
  checkedAt: number
  /** It is about to be closed: it joins nothing any more. */
  ending?: true
}

/** The socket server. */
export type WireIo = Server<DefaultEventsMap, DefaultEventsMap, DefaultEventsMap, SocketData>
/** One connection. */
export type WireSocket = Socket<DefaultEventsMap, DefaultEventsMap, DefaultEventsMap, SocketData>
/** The connections of one site name. */
export type WireNamespace = Namespace<DefaultEventsMap, DefaultEventsMap, DefaultEventsMap, SocketData>

/** Names of the rooms. Clients never name a room; they name documents, and the gate decides. */
export const rooms = {
  user: (user: string) => `user:${user}`,
  organization: (organization: string) => `org:${organization}`,
  document: (doctype: string, name: string) => `doc:${doctype}/${name}`,
  openDocument: (doctype: string, name: string) => `open_doc:${doctype}/${name}`,
  doctype: (organization: string, doctype: string) => `doctype:${organization}:${doctype}`,
  task: (id: string) => `task_progress:${id}`,
}
