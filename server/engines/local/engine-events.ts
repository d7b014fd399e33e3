import { EventEmitter } from 'node:events'
import type { SiteStorage } from '#shared/rules/site-quotas.ts'
import type { SiteEvent } from '../site-host.ts'

/** Listeners' arguments by event. */
interface EventArguments {
  /** A site woke, went to sleep, or crashed. */
  site: [event: SiteEvent]
  /** A site was visited. */
  visit: [id: string]
  /** A site's disk usage was measured or evaluated. */
  storage: [id: string, storage: SiteStorage]
}

/** The engine's events. */
export type EngineEvents = EventEmitter<EventArguments>

/** Creates them without listeners. */
export function createEngineEvents(): EngineEvents {
  return new EventEmitter<EventArguments>()
}

/** Calls `listener` for each event; the returned function unsubscribes. */
export function subscribe<Name extends keyof EventArguments>(
  events: EngineEvents,
  name: Name,
  listener: (...values: EventArguments[Name]) => void,
): () => void {
  const emitter: EventEmitter = events
  emitter.on(name, listener)
  return () => {
    emitter.off(name, listener)
  }
}
