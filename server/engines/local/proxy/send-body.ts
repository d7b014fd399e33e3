import type { ClientRequest, IncomingMessage } from 'node:http'
import { maxBodyBytes } from '../limits.ts'

/** Bodies up to this size are kept until the answer comes: forms, comments and settings, but no uploads. */
const maxKeptBytes = 1024 * 1024

/** The body of a request that may have to be sent once more. */
export interface KeptBody {
  /** All of it; null: it is too large, or has not arrived. */
  content(): Buffer | null
}

/**
 * Sends the body of a visitor's request to the site, at the site's speed. Calls `reject` once it is longer than allowed.
 * @param again the body that was read for another process before
 */
export function sendBody(
  request: IncomingMessage,
  upstream: ClientRequest,
  reject: () => void,
  again?: KeptBody,
): KeptBody {
  if (again !== undefined) {
    upstream.end(again.content())
    return again
  }
  let size = 0
  let kept: Buffer[] = []
  let isComplete = false
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size <= maxKeptBytes) kept.push(chunk)
    else kept = []
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
  request.once('end', () => {
    isComplete = true
    upstream.end()
  })
  return { content: () => (isComplete && size <= maxKeptBytes ? Buffer.concat(kept) : null) }
}
