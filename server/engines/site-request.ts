/** Response to the engine's own HTTP request to a site. */
export interface SiteResponse {
  status: number
  headers: Record<string, string>
  body: string
  /** Milliseconds until the status and headers were received. */
  ttfbMs: number
  /** Milliseconds until the whole body was received. */
  tookMs: number
}

/** Options of the engine's own HTTP request to a site. */
export interface SiteRequestOptions {
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /** Fails while visitors are kept out by a job, which our own requests pass otherwise, as they always do maintenance. */
  readonly asVisitor?: boolean
  /** Default true. */
  readonly countsAsUse?: boolean
}
