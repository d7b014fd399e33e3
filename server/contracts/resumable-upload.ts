import type { Readable } from 'node:stream'
import type { TokenScope } from '#shared/rules/token-scopes.ts'
import type { Session } from './session.ts'

/** A large file that is sent in parts. Names and texts are raw client input, not validated beyond being storable text. */
export interface ResumableUpload {
  readonly id: string
  /** Name of its kind. */
  readonly kind: string
  readonly fileName: string
  /** Bytes of the whole file. */
  readonly size: number
  /** Other metadata sent by the client, e.g. the target document. */
  readonly metadata: Readonly<Record<string, string>>
}

/** A kind of large file that a feature accepts. */
export interface UploadKind {
  /** Unique; clients name it in the metadata `kind`. */
  readonly name: string
  /** Scope that an API token needs; without it, API tokens cannot send this kind. */
  readonly tokens?: TokenScope
  /** Maximum size in bytes. */
  readonly maxSize: number
  /** `finish` says `invalid` about the content itself: the upload is deleted then, because sending its end again can't help. */
  readonly invalidIsFinal?: true
  /** Throws AppError if the caller cannot send this file. Called before anything is stored, and again before `finish`. */
  check(session: Session, upload: ResumableUpload): Promise<void>
  /**
   * Takes the complete content, which is at `path` and is deleted afterwards; move it to keep it. Returns the response of
   * the upload. If it throws, the client can send the end again without the content. After a crash it is called again for
   * the same `upload.id`, so it must recognize what it has already taken. A response with the id as `upload` says that something is
   * still to be made of it, see `claimUpload`.
   */
  finish(session: Session, upload: ResumableUpload, path: string): Promise<Readonly<Record<string, unknown>>>
  /** Forgets what it kept of an upload that is deleted before anything was made of it. */
  discard?(upload: string): Promise<void>
}

/** A complete upload whose kind kept its content for what is made of it. */
export interface ClaimedUpload {
  readonly kind: string
  readonly fileName: string
  /** What its kind answered. */
  readonly response: Readonly<Record<string, unknown>>
}

/** How much of an upload has arrived. */
export interface UploadProgress extends ResumableUpload {
  /** Bytes stored so far. */
  readonly offset: number
}

/**
 * Uploads in progress. Each belongs to the account and the organization that started it; for everybody else it does not
 * exist. Implemented by the uploads feature and used by the wire; this interface is all they share.
 */
export interface UploadStore {
  /**
   * Starts an upload. Throws `invalid` for an unknown kind or an empty file, `too_large`, `limit_reached` if the caller has
   * too many unfinished ones, `unavailable` if the disk is too full, and what the kind's `check` throws.
   */
  create(session: Session, upload: ResumableUpload): Promise<void>
  /** Throws `not_found` if there is none, or not for this caller. */
  get(session: Session, id: string): Promise<UploadProgress>
  /**
   * Appends bytes at `offset`, which must be the current one; what arrives beyond the size is refused by the caller of this.
   * Keeps what was stored if `content` fails. Returns the new offset.
   */
  append(session: Session, id: string, offset: number, content: Readable): Promise<number>
  /** Hands the complete content to its kind, once; returns the same response when called again. */
  finish(session: Session, id: string): Promise<Readonly<Record<string, unknown>>>
  /** Deletes an upload with its content, also one that its kind refused. Throws `invalid` if its kind has taken it. */
  remove(session: Session, id: string): Promise<void>
}
