import type { IncomingHttpHeaders } from 'node:http'
import { Transform, type Readable } from 'node:stream'
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import { AppError } from '#shared/errors.ts'
import { say } from '#shared/sentence.ts'

/** Most bytes of a request's body: one that carries a file, as multipart or as text in JSON. */
export const bodyLimit = 25 * 1024 * 1024
/** Of other JSON's: two hundred documents of 20 KB. Reading it takes some ten milliseconds in which nobody else is served. */
export const jsonLimit = 4 * 1024 * 1024
/** Of a form's: fields of a page. */
export const formLimit = 1024 * 1024
/** Of every body of callers who are not signed in: forms of a few fields. */
export const guestBodyLimit = 64 * 1024

/** Longest separator of a multipart body (RFC 2046, section 5.1.1). */
const longestBoundary = 70

/** A body from here on is read in a turn of its own. */
const largeBody = 256 * 1024
/** Most bytes of large bodies that wait in memory, of one caller and of all: until its end each is kept whole. */
const mostPending = { ofCaller: 4 * bodyLimit, ofAll: 16 * bodyLimit } as const

const tooLarge = () => new AppError('too_large', say`The request is too large.`)

/** Who sends a body, and where to. */
export interface BodySender {
  isGuest: boolean
  /** The address takes a file, in whatever form. */
  takesFile: boolean
}

/** Most bytes of a body of this kind. */
export function bodyLimitOf({ 'content-type': type = '' }: IncomingHttpHeaders, sender: BodySender): number {
  if (sender.isGuest) return guestBodyLimit
  if (/^\s*application\/x-www-form-urlencoded\b/i.test(type)) return formLimit
  return /^\s*multipart\//i.test(type) || sender.takesFile ? bodyLimit : jsonLimit
}

/**
 * Refuses a body by its announced length, before any of it is read: 413. Who sends parts that are counted one by one
 * (multipart) has to say how much it is, and to separate them as the standard says: 417.
 */
export function refuseLargeBody(headers: IncomingHttpHeaders, sender: BodySender): void {
  const type = headers['content-type'] ?? ''
  if (/^\s*multipart\//i.test(type)) {
    if (headers['transfer-encoding'] !== undefined)
      throw new AppError('invalid', say`The request must say how long it is.`)
    const [, quoted, plain] = /\bboundary=(?:"([^"]*)"|([^";,\s]*))/i.exec(type) ?? []
    if ((quoted ?? plain ?? '').length > longestBoundary)
      throw new AppError('invalid', say`The separator of the multipart body is too long.`)
  }
  if (Number(headers['content-length'] ?? 0) > bodyLimitOf(headers, sender)) throw tooLarge()
}

/** A body that did not say its length, up to a limit: what is longer fails with 413 while it is read. */
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
  // Who reads the body hears of it; when nobody does (it was refused by its type), a caller that hangs up is no event.
  limited.on('error', () => undefined)
  return body.pipe(limited)
}

/** The large bodies that are being received. */
export interface PendingBodies {
  /**
   * Counts a body that is about to be read; the returned function ends that, null when there is nothing to count.
   * Throws 429 when this caller has too many under way, 503 when everybody together has.
   */
  admit(caller: string, headers: IncomingHttpHeaders, limit: number): (() => void) | null
}

/** Counts what waits in memory, so that many large bodies, sent slowly, cannot fill it. */
export function countPendingBodies(): PendingBodies {
  const pending = new Map<string, number>()
  let all = 0
  return {
    admit(caller, headers, limit) {
      const announced = Number(headers['content-length'] ?? 0)
      const bytes = headers['transfer-encoding'] === undefined ? announced : limit
      // Files of a multipart body go to the disk as they come.
      if (bytes <= largeBody || /^\s*multipart\//i.test(headers['content-type'] ?? '')) return null
      const own = pending.get(caller) ?? 0
      if (own + bytes > mostPending.ofCaller) {
        const sentence = say`Too many large requests at once.`
        throw new AppError('rate_limited', sentence, { retryAfterSeconds: 5, retryable: true })
      }
      if (all + bytes > mostPending.ofAll)
        throw new AppError('unavailable', say`Too many large requests at once.`, {
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

/** Longest pause after the work on a large body. */
const longestPauseMs = 500

let lastTurn: Promise<unknown> = Promise.resolve()

/**
 * Resolves when a body of this size may be read. Large ones are read one after the other, and after each the others have
 * the event loop for as long as it took: a request needs some turns of the loop, and waits for one body, not for many.
 */
export async function bodyTurn(bytes: number): Promise<void> {
  if (bytes < largeBody) return
  const turn = lastTurn.then(() => nextTurn())
  lastTurn = turn.then(pauseAfterTurn)
  await turn
}

async function pauseAfterTurn(): Promise<void> {
  const started = performance.now()
  // Whoever waited for the turn works in it; by the next one that is done.
  await nextTurn()
  await delay(Math.min(performance.now() - started, longestPauseMs))
}
