import type { Log } from './log/log.ts'

/** A typed event bus within one process: event name → payload. */
export interface Events<Map extends Record<string, unknown>> {
  /** Adds a listener; the returned function removes it again. */
  on<Name extends keyof Map>(name: Name, listener: (payload: Map[Name]) => void | Promise<void>): () => void
  off<Name extends keyof Map>(name: Name, listener: (payload: Map[Name]) => void | Promise<void>): void
  /**
   * Calls every listener in order of registration. A failing listener is logged and never affects the others or the caller.
   */
  emit<Name extends keyof Map>(name: Name, payload: Map[Name]): void
}

/** Creates an event bus. Listeners added or removed during an `emit` take effect with the next one. */
export function createEvents<Map extends Record<string, unknown>>(log: Pick<Log, 'error'>): Events<Map> {
  type Listener = (payload: never) => void | Promise<void>
  const listeners = new globalThis.Map<keyof Map, Set<Listener>>()

  const events: Events<Map> = {
    on(name, listener) {
      const set = listeners.get(name) ?? new Set<Listener>()
      listeners.set(name, set)
      set.add(listener)
      return () => events.off(name, listener)
    },
    off(name, listener) {
      const set = listeners.get(name)
      set?.delete(listener)
      if (set?.size === 0) listeners.delete(name)
    },
    emit(name, payload) {
      const failed = (error: unknown) => log.error('A listener failed', { event: String(name), error })
      for (const listener of [...(listeners.get(name) ?? [])]) {
        try {
          const result = listener(payload as never)
          if (result instanceof Promise) result.catch(failed)
        } catch (error) {
          failed(error)
        }
      }
    },
  }
  return events
}
