import type { ClientRequest, IncomingMessage } from 'node:http'
import { maxBodyBytes } from '../limits.ts'

/** Sends the body of a visitor's request to the site, at the site's speed. Calls `reject` once it is longer than allowed. */
export function sendBody(request: IncomingMessage, upstream: ClientRequest, reject: () => void): void {
  let size = 0
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > maxBodyBytes) {
      request.removeAllListeners('data')
      request.resume()
      reject()
      upstream.destroy()
    } else if (!upstream.write(chunk)) {
      request.pause()
      upstream.once('drain', () => request.resume())
    }
  })
  // If the request is repeated, its body has been read completely.
  if (request.readableEnded) upstream.end()
  else request.once('end', () => upstream.end())
}
