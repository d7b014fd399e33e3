import type { IncomingMessage, ServerResponse } from 'node:http'

/** Measures how long a site itself takes for a response, without its start and without a visitor's slow connection. */
export interface SiteTimer {
  /** The request is passed on to a site that runs. */
  start(): void
  /** Follows the response until all of it was received. */
  follow(upstream: IncomingMessage, response: ServerResponse): void
  /** The site had to be started for it after all. */
  discard(): void
  /** Milliseconds; so far, if it has not ended. Null: not measured. */
  ms(): number | null
}

/** Creates a timer for one request. */
export function createSiteTimer(): SiteTimer {
  let started: number | null = null
  let ended: number | null = null
  let pausedAt: number | null = null
  let paused = 0
  const resume = (): void => {
    if (pausedAt !== null) paused += performance.now() - pausedAt
    pausedAt = null
  }
  const end = (): void => {
    resume()
    ended ??= performance.now()
  }
  return {
    start: () => {
      started = performance.now()
    },
    follow: (upstream, response) => {
      // `pipe` pauses while the visitor's connection takes no more.
      upstream.on('pause', () => {
        pausedAt ??= performance.now()
      })
      response.on('drain', resume)
      upstream.once('end', end)
      response.once('close', end)
    },
    discard: () => {
      started = null
    },
    ms: () => (started === null ? null : (ended ?? performance.now()) - started - paused),
  }
}
