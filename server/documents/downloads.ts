import type { Readable } from 'node:stream'

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
