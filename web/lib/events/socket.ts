import { io, type ManagerOptions, type Socket, type SocketOptions } from 'socket.io-client'

/**
 * Opens this page's socket. The namespace is the site's name, and the session cookie identifies the user (docs/api.md,
 * realtime). socket.io's default timings match docs/contracts/screens.md, section 9.
 */
export function openSocket(options: Partial<ManagerOptions & SocketOptions> = {}): Socket {
  return io(`${location.origin}/${location.hostname}`, { withCredentials: true, ...options })
}
