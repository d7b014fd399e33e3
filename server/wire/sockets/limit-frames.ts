/** Frames a connection may send at once, and how many may follow each second: at least as many as messages. */
const frameBurst = 2500
const framesPerSecond = 150

/** What of `ws` is used; its server takes the class of its connections as an option. */
interface Connection {
  setSocket(...given: unknown[]): void
  terminate(): void
  /** Reads frames; `getInfo` begins with the next one, `_loop` goes on with it. */
  readonly _receiver: { getInfo(done: unknown): void; _loop: boolean }
}
interface ConnectionServer {
  options: { WebSocket: new (...given: never[]) => Connection; allowSynchronousEvents: boolean; maxFragments: number }
}

/** Pieces of one message; browsers send it whole. */
const maxFragments = 64

/**
 * Bounds what comes over websockets in many small units. One read of the system holds ten thousand of them: else all are
 * handled before anybody else's request. Messages, pings and pongs come one in a turn of the event loop. Empty pieces of
 * a message are no event at all, so that frames are counted as well, of connections that are being upgraded, too.
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
