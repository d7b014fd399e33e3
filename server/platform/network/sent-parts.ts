/** Content that another machine sends to a store in parts. We begin and end the upload, and say for each part where it goes. */
import { createHash } from 'node:crypto'

/** A part of it, with its checksums in hex. Not every store knows SHA-256. */
export interface SentPart {
  readonly bytes: number
  readonly sha256: string
  readonly md5: string
}

/** Bytes of a part; the last one of an archive has fewer. A store takes 10,000 of them, which is 156 GiB. */
export const partBytes = 16 * 1024 * 1024
export const maxParts = 10_000

/** A part as its content says it. */
export function partOf(content: Buffer): SentPart {
  const sum = (name: string) => createHash(name).update(content).digest('hex')
  return { bytes: content.length, sha256: sum('sha256'), md5: sum('md5') }
}

/** What a machine sends to see whether a store takes it. */
export const triedContent = 'easydash'

/** The PUT that a store takes one part by, for some minutes. The URL is a secret: whoever has it can send the part. */
export interface PartTarget {
  /** From 1. */
  readonly number: number
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Has the machine send a part, and returns the ETag of the store's answer. Throws `PartRefused` for an answer that is an error, and an
 * error with `retryable` for anything that can be better the next time.
 */
export type SendPart = (part: SentPart, target: PartTarget) => Promise<string>

/** An upload that goes on after a restart of this process. */
export interface KeptUpload {
  /** As the store called it when it was begun; null: it was not. */
  readonly begun: string | null
  /** Keeps what the store calls it. */
  keep(upload: string): void
  /** So many of its parts are there already. */
  found(parts: number): void
  /** Whether somebody goes on later, so that it stays at the store, when the work is stopped for this reason. */
  staysFor(reason: unknown): boolean
}

/** Content that another machine sends. */
export interface SentContent {
  readonly parts: readonly SentPart[]
  readonly send: SendPart
  readonly upload: KeptUpload
}

/** A store did not take a part. */
export class PartRefused extends Error {
  readonly status: number
  /** As S3 names it; '' without one. */
  readonly code: string
  constructor(status: number, code: string) {
    super(`The store answered ${status} ${code}`)
    this.status = status
    this.code = code
  }
}
