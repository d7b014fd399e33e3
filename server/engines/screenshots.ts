import type { Capability, SiteThumbnail } from './engine.ts'

/** The only source of content for a page in a screenshot. */
export interface PageSource {
  /** Scheme, host and port of the site; every other origin is blocked. */
  readonly origin: string
  /** Requests a path from the site as a visitor without cookies. `path` starts with `/`. */
  read(path: string, accept: string): Promise<SourceResponse>
}

/** The site's response. */
export interface SourceResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Takes screenshots of pages, one at a time, in a browser on this machine that has no network but the source of the page. */
export interface Screenshots {
  /**
   * A browser that fails to start doesn't make the capability unsupported: it is retried, and immediately on a user's
   * request.
   */
  capability(): Capability
  /**
   * Queues a screenshot. `requestedByUser`: a user is waiting for it, so a browser that failed to start is retried without delay.
   * Throws EngineError `unsupported` with the capability's reason, `unavailable` otherwise.
   */
  take(source: PageSource, signal: AbortSignal, requestedByUser?: boolean): Promise<SiteThumbnail>
}
