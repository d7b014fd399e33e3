import type { Readable } from 'node:stream'
import type { AnyDoc } from '#shared/doctype.ts'
import type { Session } from './session.ts'

/** Bytes instead of JSON: what a method may return, and what addresses of files answer. */
export interface Download {
  /** Name for people; the wire writes it into the header safely. */
  readonly fileName: string
  readonly contentType: string
  /** Bytes; null when it is not known before the end. */
  readonly length: number | null
  /** Hash of the content, for conditional requests; null when it changes with each request. */
  readonly tag: string | null
  /** How long the caller alone may keep it without asking again; absent: each time is asked. For addresses of one content only. */
  readonly maxAgeSeconds?: number
  /** Begins to read; called at most once, and not at all for HEAD. */
  open(): Readable
}

const downloads = new WeakSet<object>()

/** Marks an answer as bytes to be streamed. Only what went through here is one: nothing from a client ever does. */
export function download(answer: Download): Download {
  downloads.add(answer)
  return answer
}

/** Whether a method's return value is a download. */
export function isDownload(value: unknown): value is Download {
  return typeof value === 'object' && value !== null && downloads.has(value)
}

/** Content of an upload on its way in; gone for good unless it was attached. */
export interface Upload {
  /** Name as the client sent it. */
  readonly fileName: string
  /** Bytes. */
  readonly size: number
  /** Removes it; does nothing once it is attached. */
  discard(): Promise<void>
}

/** What a caller wants of a new file. Texts as they came, not checked yet. */
export interface FileRequest {
  /** Null: linked by `fileUrl` instead. */
  readonly upload: Upload | null
  readonly fileUrl: string | null
  readonly fileName: string | null
  readonly isPrivate: boolean
  readonly folder: string | null
  /** Both or none. */
  readonly doctype: string | null
  readonly docname: string | null
  readonly fieldname: string | null
  /** Field of the document that shall hold the new address. */
  readonly docfield: string | null
}

/** Files behind the gate. Written by the files feature, used by the wire; both know it only by this shape. */
export interface FileStore {
  /** Takes in a content of at most 10 MiB; `too_large` above, `invalid` for an empty one. The stream is always read to its end. */
  receive(content: AsyncIterable<Buffer>, fileName: string): Promise<Upload>
  /** Makes a File of it. The caller needs write permission on the document it is attached to. */
  attach(session: Session, wish: FileRequest): Promise<AnyDoc>
  /** Opens `/files/…` for everybody, `/private/files/…` for its owner and for readers of the attached document. */
  open(session: Session, fileUrl: string): Promise<Download>
}
