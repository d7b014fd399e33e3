import { io, type Socket } from 'socket.io-client'

/**
 * The socket of this page: its namespace is the site's name, the session's cookie says who listens (docs/api.md,
 * realtime). The client's own timings are those of docs/contracts/screens.md, section 9.
 */
export function openSocket(): Socket {
  return io(`${location.origin}/${location.hostname}`, { withCredentials: true })
}
