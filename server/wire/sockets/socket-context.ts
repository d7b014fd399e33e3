import type { IncomingMessage } from 'node:http'
import type { Client } from '../request/client-address.ts'
import type { WireOptions } from '../options.ts'
import type { Admission } from './admission.ts'
import type { ConnectionSlots } from './connection-slots.ts'
import type { DocumentViewers } from './document-viewers.ts'
import type { RecentChanges } from './recent-changes.ts'
import type { WireIo, WireNamespace, WireSocket } from './socket-types.ts'

/** State of the socket server of this process. */
export interface SocketContext extends Pick<WireOptions, 'documents' | 'sessions' | 'log' | 'streams'> {
  readonly io: WireIo
  readonly admission: Admission
  readonly slots: ConnectionSlots
  readonly viewers: DocumentViewers
  readonly changes: RecentChanges
  /** The open namespaces, one for each host name. */
  readonly namespaces: Set<WireNamespace>
  /** Users of admitted handshakes, whose connections take their slots. */
  readonly users: WeakMap<IncomingMessage, string | null>
  /** Number of revocations so far: sessions looked up before the latest one may be outdated. */
  revocations: number
  /** That number when a connection's session was first looked up. */
  readonly lookedUp: WeakMap<WireSocket, number>
  readClient(request: IncomingMessage): Client
  failed(error: unknown): void
  now(): number
}
