import type { Readable } from 'node:stream'
import type { AnyDoc } from '#shared/doctype.ts'
import type { Session } from './session.ts'

/** Part of a content in bytes: `start` and `end` are offsets, both included. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** A response of bytes instead of JSON: returned by methods and served at file URLs. */
export interface Download {
  /** Display name; the wire escapes it for the header. */
  readonly fileName: string
  readonly contentType: string
  /** Bytes; null if not known in advance. */
  readonly length: number | null
  /** Hash of the content, for conditional requests; null if the content changes with each request. */
  readonly tag: string | null
  /**
   * How long the caller can cache it privately without revalidation. Default: always revalidate. Only for URLs whose content
   * never changes.
   */
  readonly maxAgeSeconds?: number
  /** Starts reading. Called at most once, and never for HEAD; with a range only if the length is known. */
  open(range?: ByteRange): Readable
  /** Called instead of `open` if the content is not read: HEAD, an unchanged content, a range that does not exist. */
  close?(): void
}

const downloads = new WeakSet<object>()

/** Marks a response as bytes to stream. Only objects marked here are downloads, so client input never counts as one. */
export function download(response: Download): Download {
  downloads.add(response)
  return response
}

/** Whether a method's return value is a download. */
export function isDownload(value: unknown): value is Download {
  return typeof value === 'object' && value !== null && downloads.has(value)
}

/** Uploaded content that isn't attached yet; it is deleted unless it gets attached. */
export interface Upload {
  /** Name sent by the client. */
  readonly fileName: string
  /** Bytes. */
  readonly size: number
  /** Deletes the content; does nothing once it is attached. */
  discard(): Promise<void>
}

/** Request to create a file. Texts are raw client input, not validated yet. */
export interface FileRequest {
  /** Null: linked by `fileUrl` instead. */
  readonly upload: Upload | null
  readonly fileUrl: string | null
  readonly fileName: string | null
  readonly isPrivate: boolean
  readonly folder: string | null
  /** Set together or not at all. */
  readonly doctype: string | null
  readonly docname: string | null
  readonly fieldname: string | null
  /** Field of the document to set to the new file's URL. */
  readonly docfield: string | null
}

/**
 * Files behind the permission gate. Implemented by the files feature and used by the wire; this interface is all they share.
 */
export interface FileStore {
  /**
   * Receives content of at most 10 MiB. Throws `too_large` above that and `invalid` if it is empty. Always reads the stream
   * to its end.
   */
  receive(content: AsyncIterable<Buffer>, fileName: string): Promise<Upload>
  /** Creates a File from it. The caller needs write permission on the document it is attached to. */
  attach(session: Session, request: FileRequest): Promise<AnyDoc>
  /**
   * Opens `/files/…` for everyone, and `/private/files/…` for the owner and for users who can read the attached document.
   */
  open(session: Session, fileUrl: string): Promise<Download>
}
