/** Frames a connection may send at once and per second; must be at least the limits for messages. */
const frameBurst = 2500
const framesPerSecond = 150

/** The parts of `ws` used here; its server takes the connection class as an option. */
interface Connection {
  setSocket(...given: unknown[]): void
  terminate(): void
  /** Reads frames: `getInfo` starts the next one, and `_loop` continues reading. */
  readonly _receiver: { getInfo(done: unknown): void; _loop: boolean }
}
interface ConnectionServer {
  options: { WebSocket: new (...given: never[]) => Connection; allowSynchronousEvents: boolean; maxFragments: number }
}

/** Maximum fragments per message; browsers send messages whole. */
const maxFragments = 64

/**
 * Limits many small units over websockets. One read can contain ten thousand of them, which would all be handled before
 * other requests. Messages, pings and pongs are limited to one per turn of the event loop. Empty fragments emit no event, so
 * frames are counted as well, including those of connections being upgraded.
 */
export function limitFrames({ options }: ConnectionServer, now: () => number): void {
  const Plain = options.WebSocket
  class Limited extends Plain {
    override setSocket(...given: unknown[]): void {
      super.setSocket(...given)
      const receiver = this._receiver
      const { getInfo } = receiver
      let left = frameBurst
      let since = now()
      receiver.getInfo = (done) => {
        const time = now()
        left = Math.min(frameBurst, left + ((time - since) / 1000) * framesPerSecond) - 1
        since = time
        if (left >= 0) {
          getInfo.call(receiver, done)
          return
        }
        receiver._loop = false
        this.terminate()
      }
    }
  }
  Object.assign(options, { WebSocket: Limited, allowSynchronousEvents: false, maxFragments })
}
