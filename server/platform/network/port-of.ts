import type { Server } from 'node:net'

/** Port a server listens on. Throws if it doesn't listen on one. */
export function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server does not listen on a port.')
  return address.port
}
