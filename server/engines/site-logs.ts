import type { LogName } from '#shared/rules/site-logs.ts'
import type { SiteRef } from './site-ref.ts'

/** A log that a site of its kind has. */
export interface LogSource {
  readonly name: LogName
  /** Bytes; null if nothing was written yet. */
  readonly bytes: number | null
  /** Milliseconds since 1970 of the last write; null if there was none. */
  readonly changedAt: number | null
}

/**
 * What to read: lines at the end, from the beginning, or next to a position of an earlier read. Throws EngineError `invalid`
 * for a text that is no position.
 */
export type LogRange = { readonly from: 'end' | 'start' } | { readonly after: string } | { readonly before: string }

/**
 * Lines of a log, oldest first: at most `maxLogChunkLines` of at most 4 KiB, without control characters. Each line is
 * returned once by reads that go on `after` the end of the one before, whatever happens to the log meanwhile.
 */
export interface LogChunk {
  readonly lines: readonly string[]
  /** What the log ends with if that is not a complete line yet; the same text comes again as a line. '' otherwise. */
  readonly partial: string
  /** Position after these lines. */
  readonly end: string
  /** Position before them; null if nothing is before them. */
  readonly start: string | null
  /** More lines follow already. */
  readonly more: boolean
  /** Lines are missing before these: the log was emptied, or removed or replaced (also by rotation), since the position. */
  readonly gap: 'emptied' | 'removed' | null
}

/** Maximum number of lines of a chunk. */
export const maxLogChunkLines: number = 2_000
/** Maximum size of a chunk in bytes of the log. */
export const maxLogChunkBytes: number = 256 * 1024

/** An email that a site sent and the engine kept, in a list. */
export interface MailSummary {
  /** Valid for this site; letters, digits and `-`. */
  readonly id: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** At most 1,000 characters, as are the next two. */
  readonly to: string
  readonly from: string
  readonly subject: string
  readonly attachments: number
  /** Bytes of the file it is kept in. */
  readonly bytes: number
  /** Its file is too large or damaged: only id, time and bytes are known. */
  readonly unreadable: boolean
}

/** A page of the captured emails, newest first. */
export interface MailPage {
  readonly mails: readonly MailSummary[]
  /** Total number; of a search, the number of matches. */
  readonly total: number
  /** A search left out the oldest emails, because the mailbox is too large to be read whole. */
  readonly isPartial: boolean
  /** Identifies the state of the mailbox. */
  readonly version: string
}

/** A captured email. Everything in it is foreign text: bounded, and without control characters except line breaks. */
export interface Mail extends Omit<MailSummary, 'attachments' | 'unreadable'> {
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  /** Raw, never sanitized. */
  readonly body: string
  readonly isHtml: boolean
  /** The body is longer than what is returned. */
  readonly isCut: boolean
  readonly attachments: readonly { readonly name: string; readonly bytes: number | null }[]
}

/** Whether a search finds an email: its addresses, subject or body contain the text, in any case. */
export function isMailFound({ to, from, subject, body }: Mail, search: string): boolean {
  const wanted = search.toLowerCase()
  return [to, from, subject, body].some((text) => text.toLowerCase().includes(wanted))
}

/** Number of emails of a page. */
export const mailPageSize: number = 50

/**
 * Logs and captured emails of sites. All methods throw EngineError `not_found` for an unknown site, and `unsupported` without
 * the capability `logs`; they work in every state of a site, and never wake it.
 */
export interface SiteLogs {
  /** The logs that a site of its kind can have. */
  sources(site: SiteRef): Promise<LogSource[]>
  /** Lines of a log; none if it does not exist. */
  read(site: SiteRef, log: LogName, range: LogRange): Promise<LogChunk>
  /** Empties a log. */
  clear(site: SiteRef, log: LogName): Promise<void>
  /**
   * Captured emails, newest first, `skip` of them left out. With `search` those that contain this text in their addresses,
   * subject or body, in any case. Null if the mailbox is still at the version `known`.
   */
  mails(
    site: SiteRef,
    options?: { readonly skip?: number; readonly known?: string; readonly search?: string },
  ): Promise<MailPage | null>
  /** An email; null if there is none of that id. */
  mail(site: SiteRef, id: string): Promise<Mail | null>
  /** Removes an email, if there is one of that id. */
  deleteMail(site: SiteRef, id: string): Promise<void>
  /** Removes all emails. */
  clearMails(site: SiteRef): Promise<void>
}
