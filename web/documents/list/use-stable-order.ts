import { useEffectEvent, useLayoutEffect, useState } from 'react'
import type { ListRow } from '../values/cells.tsx'

/** Displayed rows and pending changes of their order. */
export interface StableOrder<R extends ListRow> {
  readonly rows: readonly R[] | undefined
  /** Number of new rows not shown yet. */
  readonly added: number
  /** The order differs from the server's (including new rows). */
  readonly outdated: boolean
  /** Applies the server's order. */
  readonly settle: () => void
}

/**
 * Rows of a response in the displayed order: known rows keep their position with new values, deleted ones are removed, new
 * ones wait.
 */
export function inOrder<R extends ListRow>(rows: readonly R[], order: readonly string[]): readonly R[] {
  const byName = new Map(rows.map((row) => [row.name, row]))
  return order.flatMap((name) => byName.get(name) ?? [])
}

/** Whether the user is in the middle of the list: its beginning is out of sight, a row has the focus, or rows are selected. */
function isReading(selected: boolean): boolean {
  // On a page with much above its list, being scrolled says nothing. The top bar takes the rest.
  const isPast = scrollY > 80 && (document.querySelector('[data-name]')?.getBoundingClientRect().top ?? 0) < 64
  return selected || isPast || Boolean(document.activeElement?.closest('[data-name]'))
}

/**
 * Keeps the order of rows stable while live changes arrive and the user works with them. A new request, or an idle list,
 * takes the new order immediately. `key` identifies the request of the rows; null while they are from the previous one.
 */
export function useStableOrder<R extends ListRow>(
  key: string | null,
  rows: readonly R[] | undefined,
  selected: boolean,
): StableOrder<R> {
  const order = rows?.map((row) => row.name)
  const [held, setHeld] = useState<{ key: string | null; order: readonly string[] }>({ key, order: order ?? [] })
  const text = order?.join(' ')
  const isKnown = rows !== undefined && key !== null && held.key === key
  // Keeps the same array if the order is unchanged, to avoid re-rendering.
  const isOrdered = isKnown && held.order.join(' ') === text
  const shown = isOrdered ? rows : isKnown ? inOrder(rows, held.order) : []
  const accept = () => setHeld({ key, order: order ?? [] })
  const arrived = useEffectEvent(() => {
    if (order && key !== null && !isOrdered && (shown.length === 0 || !isReading(selected))) accept()
  })
  useLayoutEffect(() => arrived(), [key, text])
  if (!order || shown.length === 0) return { rows, added: 0, outdated: false, settle: accept }
  const known = new Set(held.order)
  return {
    rows: shown,
    added: order.filter((name) => !known.has(name)).length,
    outdated: shown.map((row) => row.name).join(' ') !== text,
    settle: accept,
  }
}
