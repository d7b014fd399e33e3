import type { LogFields, LogLevel } from '#server/platform/log/log.ts'
import type { LoopStats } from '#server/platform/log/loop-watchdog.ts'
import type { AskForHits, Grant } from '#server/platform/leased-hits.ts'
import type { PostgresConnection } from '#server/platform/postgres/postgres.ts'
import type { WireConfig } from '#server/wire/options.ts'

/** Connections to the database that a web process has at most: 12 in its pool, and those outside of it. */
export const connectionsOfWebProcess = 16

/** What a web process is started with. It gets no other settings, and no keys. */
export interface WebStart {
  readonly kind: 'start'
  readonly own: number
  readonly count: number
  /** Beginning of the paths of the unix sockets. */
  readonly paths: string
  readonly token: string
  readonly config: WireConfig
  readonly connection: string | PostgresConnection
  readonly poolSize: number
  readonly pagesDir: string
}

/** What the main process asks of a web process. */
export type WebQuestion =
  /** Drop the cached sessions of a user, or all. */
  | { readonly ask: 'forget'; readonly user: string | null }
  /** A sid was replaced. */
  | { readonly ask: 'replaced'; readonly sid: string }
  | { readonly ask: 'figures' }

/** Figures of a web process. */
export interface WebFigures {
  readonly residentBytes: number
  readonly loop: LoopStats
}

/** Messages of the main process. */
export type ToWebProcess =
  | WebStart
  | { readonly kind: 'connection'; readonly id: number }
  | { readonly kind: 'question'; readonly id: number; readonly question: WebQuestion }
  | { readonly kind: 'granted'; readonly id: number; readonly grant: Grant }
  | { readonly kind: 'stop' }

/** Messages of a web process. */
export type FromWebProcess =
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly error: unknown }
  /** It has this connection now. */
  | { readonly kind: 'taken'; readonly id: number }
  | { readonly kind: 'log'; readonly level: LogLevel; readonly message: string; readonly fields: LogFields }
  | { readonly kind: 'answer'; readonly id: number; readonly figures: WebFigures | null }
  | { readonly kind: 'hits'; readonly id: number; readonly of: Parameters<AskForHits> }
