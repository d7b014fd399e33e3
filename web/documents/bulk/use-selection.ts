import { useState } from 'react'
import type { ListRow } from '../values/cells.tsx'

/** Selected rows of a list, kept across pages. */
export interface Selection<R extends ListRow> {
  /** With current values if they are on screen. */
  readonly rows: readonly R[]
  readonly has: (name: string) => boolean
  /** Selects or deselects a row (toggles by default). It becomes the start of the next range. */
  readonly toggle: (row: R, on?: boolean) => void
  /** Selects the range of rows on screen from the last toggled row to this one. */
  readonly range: (row: R) => void
  readonly add: (rows: readonly R[]) => void
  readonly remove: (rows: readonly R[]) => void
  readonly clear: () => void
}

interface State<R extends ListRow> {
  /** Identifies the filters of the selection; other filters clear it. */
  readonly scope: string
  readonly picked: ReadonlyMap<string, R>
  readonly anchor: string | null
}

/** The rows between two names, inclusive; only the second if the first is not on screen. */
export function rowsBetween<R extends ListRow>(shown: readonly R[], from: string | null, to: string): readonly R[] {
  const end = shown.findIndex((row) => row.name === to)
  const start = shown.findIndex((row) => row.name === from)
  if (end < 0) return []
  return start < 0 ? shown.slice(end, end + 1) : shown.slice(Math.min(start, end), Math.max(start, end) + 1)
}

/** Selection of rows within `scope` (any string that changes with the filters); `shown` are on screen. */
export function useSelection<R extends ListRow>(scope: string, shown: readonly R[]): Selection<R> {
  const [stored, setState] = useState<State<R>>({ scope, picked: new Map(), anchor: null })
  const state = stored.scope === scope ? stored : { scope, picked: new Map<string, R>(), anchor: null }
  const change = (edit: (picked: Map<string, R>) => void, anchor: string | null = state.anchor) => {
    const picked = new Map(state.picked)
    edit(picked)
    setState({ scope, picked, anchor })
  }
  const now = new Map(shown.map((row) => [row.name, row]))
  return {
    rows: [...state.picked.values()].map((row) => now.get(row.name) ?? row),
    has: (name) => state.picked.has(name),
    toggle: (row, on = !state.picked.has(row.name)) =>
      change((picked) => void (on ? picked.set(row.name, row) : picked.delete(row.name)), row.name),
    range: (row) =>
      change((picked) => {
        for (const one of rowsBetween(shown, state.anchor, row.name)) picked.set(one.name, one)
      }, row.name),
    add: (rows) =>
      change((picked) => {
        for (const row of rows) picked.set(row.name, row)
      }),
    remove: (rows) =>
      change((picked) => {
        for (const row of rows) picked.delete(row.name)
      }),
    clear: () => setState({ scope, picked: new Map(), anchor: null }),
  }
}
