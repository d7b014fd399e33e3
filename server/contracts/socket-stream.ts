import type { Session } from './session.ts'

/** Most bytes that are sent to a page at once. */
export const maxStreamChunk = 32 * 1024

/** The page at the other end of a stream. */
export interface StreamPeer {
  /** Sends at most `maxStreamChunk` bytes. Resolves when the page has processed them, and once it is gone. One call at a time. */
  send(bytes: Buffer): Promise<void>
  /** Says that the stream has ended, and why. Ends it. */
  end(why: Readonly<Record<string, unknown>>): void
}

/** A stream of a page. */
export interface Stream {
  /** Takes text from the page. It sends no more until this resolves. */
  receive(text: string): Promise<void>
  /** Takes a message about the stream, which nobody has checked. */
  control(message: unknown): void
  /** The page is gone. */
  close(): void
}

/** Streams of bytes between pages and a feature, over the sockets of pages: with the session, the origin and the limits of these. */
export interface StreamKind {
  readonly name: string
  /** Opens a stream for a caller, whose rights it checks. `params` is what the page sent. Throws AppError. */
  open(session: Session, params: Readonly<Record<string, unknown>>, peer: StreamPeer): Promise<Stream>
}
