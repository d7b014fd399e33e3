/*
 * Replaces `ws` in a site's process (`module-hooks.ts`): PHP uses the sockets of `outbound.ts`, and nothing in this process
 * opens a connection or listens.
 */

/** Throws when constructed. */
export class WebSocket {
  constructor() {
    throw new Error('This process has no network.')
  }
}

/** Throws when constructed. */
export class WebSocketServer {
  constructor() {
    throw new Error('This process has no network.')
  }
}
export { WebSocketServer as Server }
