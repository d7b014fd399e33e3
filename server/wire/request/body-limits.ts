import type { IncomingHttpHeaders } from 'node:http'
import { Transform, type Readable } from 'node:stream'
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import { addressGroup } from '#server/platform/network/address-groups.ts'
import type { LimitKey } from '#server/platform/rate-limit.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'

/** Maximum body size in bytes for requests that carry a file, as multipart or as text in JSON. */
export const bodyLimit = 25 * 1024 * 1024
/** Maximum for other JSON: two hundred documents of 20 KB. Parsing it blocks the event loop for some ten milliseconds. */
export const jsonLimit = 4 * 1024 * 1024
/** Maximum for forms. */
export const formLimit = 1024 * 1024
/** Maximum for all bodies of guests: forms with a few fields. */
export const guestBodyLimit = 64 * 1024

/** Maximum length of a multipart boundary (RFC 2046, section 5.1.1). */
const longestBoundary = 70

/** Bodies from this size on are parsed one at a time. */
const largeBody = 256 * 1024
/** Maximum bytes of large bodies in memory, per caller and in total: each is kept until it is complete. */
const maxPending = { ofCaller: 4 * bodyLimit, ofAll: 16 * bodyLimit } as const

const tooLarge = () => new AppError('too_large', msg`The request is too large.`)

/** The sender and target of a body. */
export interface BodySender {
  isGuest: boolean
  /** Whether the address accepts a file, in any form. */
  takesFile: boolean
}

/** Maximum size of this kind of body. */
export function bodyLimitOf({ 'content-type': type = '' }: IncomingHttpHeaders, sender: BodySender): number {
  if (sender.isGuest) return guestBodyLimit
  if (/^\s*application\/x-www-form-urlencoded\b/i.test(type)) return formLimit
  return /^\s*multipart\//i.test(type) || sender.takesFile ? bodyLimit : jsonLimit
}

/**
 * Rejects a body by its announced length before reading it (413). Multipart bodies must announce their length and use a
 * boundary of standard length (417).
 */
export function assertBodyLimit(headers: IncomingHttpHeaders, sender: BodySender): void {
  const type = headers['content-type'] ?? ''
  if (/^\s*multipart\//i.test(type)) {
    if (headers['transfer-encoding'] !== undefined)
      throw new AppError('invalid', msg`The request must say how long it is.`)
    const [, quoted, plain] = /\bboundary=(?:"([^"]*)"|([^";,\s]*))/i.exec(type) ?? []
    if ((quoted ?? plain ?? '').length > longestBoundary)
      throw new AppError('invalid', msg`The separator of the multipart body is too long.`)
  }
  if (Number(headers['content-length'] ?? 0) > bodyLimitOf(headers, sender)) throw tooLarge()
}

/** Limits a body without announced length: longer ones fail with 413 while being read. */
export function limitBody(body: Readable, limit: number): Readable {
  let bytes = 0
  const limited = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes > limit) done(tooLarge())
      else done(null, chunk)
    },
  })
  body.on('error', (error) => limited.destroy(error))
  // The reader of the body gets the error. If nothing reads it (its type was rejected), a disconnecting caller must not
  // raise an unhandled error.
  limited.on('error', () => undefined)
  return body.pipe(limited)
}

/** Large bodies being received. */
export interface PendingBodies {
  /**
   * Counts a body that is about to be read; call the returned function when it is done. Null if it need not be counted.
   * Throws 429 if this caller has too many in progress, and 503 if all callers together have. `caller`: a user, or the address
   * of a guest.
   */
  admit(caller: LimitKey, headers: IncomingHttpHeaders, limit: number): (() => void) | null
}

/** Counts the bytes in memory, so that many large, slow bodies cannot fill it. */
export function countPendingBodies(): PendingBodies {
  const pending = new Map<string, number>()
  let all = 0
  return {
    admit(from, headers, limit) {
      const caller = typeof from === 'string' ? from : addressGroup(from.address)
      const announced = Number(headers['content-length'] ?? 0)
      const bytes = headers['transfer-encoding'] === undefined ? announced : limit
      // Files in a multipart body are written to disk as they arrive.
      if (bytes <= largeBody || /^\s*multipart\//i.test(headers['content-type'] ?? '')) return null
      const own = pending.get(caller) ?? 0
      if (own + bytes > maxPending.ofCaller) {
        const localized = msg`Too many large requests at once.`
        throw new AppError('rate_limited', localized, { retryAfterSeconds: 5, retryable: true })
      }
      if (all + bytes > maxPending.ofAll)
        throw new AppError('unavailable', msg`Too many large requests at once.`, {
          retryAfterSeconds: 5,
          retryable: true,
        })
      pending.set(caller, own + bytes)
      all += bytes
      return () => {
        all -= bytes
        const left = (pending.get(caller) ?? 0) - bytes
        if (left > 0) pending.set(caller, left)
        else pending.delete(caller)
      }
    },
  }
}

/** Maximum pause after parsing a large body. */
const longestPauseMs = 500

let lastTurn: Promise<unknown> = Promise.resolve()

/**
 * Resolves when a body of this size may be parsed. Large ones are parsed one at a time, and after each the event loop is
 * free for as long as it took: other requests wait for one body, not for many.
 */
export async function awaitParseSlot(bytes: number): Promise<void> {
  if (bytes < largeBody) return
  const turn = lastTurn.then(() => nextTurn())
  lastTurn = turn.then(pauseAfterTurn)
  await turn
}

async function pauseAfterTurn(): Promise<void> {
  const started = performance.now()
  // The waiting parser works during this turn and is done by the next one.
  await nextTurn()
  await delay(Math.min(performance.now() - started, longestPauseMs))
}
