/*
 * Takes the place of `ws` in a site's process (`module-hooks.ts`): PHP's sockets are those of `outbound.ts`, and nothing
 * in this process opens a connection or listens.
 */

/** Refuses to be made. */
export class WebSocket {
  constructor() {
    throw new Error('This process has no network.')
  }
}

/** Refuses to be made. */
export class WebSocketServer {
  constructor() {
    throw new Error('This process has no network.')
  }
}
export { WebSocketServer as Server }
