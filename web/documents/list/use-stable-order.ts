import { useEffectEvent, useLayoutEffect, useState } from 'react'
import type { ListRow } from './cells.tsx'

/** Rows as they are shown, and how many changes of order wait to be. */
export interface StableOrder {
  readonly rows: readonly ListRow[] | undefined
  /** New rows that are not shown yet. */
  readonly added: number
  /** The order is not that of the server any more (new rows included). */
  readonly outdated: boolean
  /** Shows everything where it belongs. */
  readonly settle: () => void
}

/**
 * The rows of an answer in the order somebody is looking at: known ones keep their places with new values, those that
 * are gone go, new ones wait.
 */
export function inOrder(rows: readonly ListRow[], order: readonly string[]): readonly ListRow[] {
  const byName = new Map(rows.map((row) => [row.name, row]))
  return order.flatMap((name) => byName.get(name) ?? [])
}

/** Whether somebody is in the middle of the list: scrolled, in a row with the keyboard, or with rows selected. */
function isReading(selected: boolean): boolean {
  return selected || scrollY > 80 || Boolean(document.activeElement?.closest('[data-name]'))
}

/**
 * Keeps rows where they are while live changes arrive and somebody works with them; another request or nobody reading
 * shows the new order at once. `key` names the request the rows answer; null while they are those of the one before.
 */
export function useStableOrder(
  key: string | null,
  rows: readonly ListRow[] | undefined,
  selected: boolean,
): StableOrder {
  const [held, setHeld] = useState<{ key: string | null; order: readonly string[] }>({ key, order: [] })
  const order = rows?.map((row) => row.name)
  const text = order?.join(' ')
  const isKnown = rows !== undefined && key !== null && held.key === key
  // Rows in their own order stay the same list, so that nothing is drawn anew.
  const isOrdered = isKnown && held.order.join(' ') === text
  const shown = isOrdered ? rows : isKnown ? inOrder(rows, held.order) : []
  const accept = () => setHeld({ key, order: order ?? [] })
  const arrived = useEffectEvent(() => {
    if (order && key !== null && (shown.length === 0 || !isReading(selected))) accept()
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
