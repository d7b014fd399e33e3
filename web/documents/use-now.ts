import { useSyncExternalStore } from 'react'

interface Clock {
  now: number
  timer: ReturnType<typeof setInterval> | null
  listeners: Set<() => void>
}

/** One timer per interval for the whole page, however many texts count with it. */
const clocks = new Map<number, Clock>()

function clockFor(every: number): Clock {
  const existing = clocks.get(every)
  if (existing) return existing
  const created: Clock = { now: Date.now(), timer: null, listeners: new Set() }
  clocks.set(every, created)
  return created
}

function subscribe(every: number, listener: () => void): () => void {
  const clock = clockFor(every)
  clock.listeners.add(listener)
  clock.timer ??= setInterval(() => {
    clock.now = Date.now()
    for (const each of clock.listeners) each()
  }, every)
  return () => {
    clock.listeners.delete(listener)
    if (clock.listeners.size > 0 || clock.timer === null) return
    clearInterval(clock.timer)
    clock.timer = null
  }
}

/** The present in ms since epoch, renewed every `every` ms. */
export function useNow(every: number): number {
  return useSyncExternalStore(
    (listener) => subscribe(every, listener),
    () => {
      const clock = clockFor(every)
      // Without a running timer the kept time may be old: a component that mounts now must not read the past.
      if (clock.timer === null) clock.now = Math.max(clock.now, Math.floor(Date.now() / every) * every)
      return clock.now
    },
  )
}
