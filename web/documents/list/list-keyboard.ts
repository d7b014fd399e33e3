import type { ListRow } from './cells.tsx'
import { useShortcuts } from '#web/lib/browser/use-shortcuts.ts'
import type { Selection } from '../bulk/use-selection.ts'

const rowSelector = '[data-name]'

/** What of a row takes the focus: its name, or in rows without pages the first button. */
function focusOf(row: HTMLElement): HTMLElement | null {
  return row.querySelector<HTMLElement>('[data-row-link]') ?? row.querySelector<HTMLElement>('a, button')
}

/** Focuses the next (or previous) row; from nowhere, the first (or last). */
function walk(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>(rowSelector)].flatMap((row) => focusOf(row) ?? [])
  const row = document.activeElement?.closest(rowSelector)
  const at = links.findIndex((link) => row?.contains(link))
  const next = links[at < 0 ? (step === 1 ? 0 : links.length - 1) : at + step]
  next?.focus()
  next?.scrollIntoView({ block: 'nearest' })
}

/** Opens the menu of the row that has the focus. */
function openRowMenu(): void {
  const trigger = document.activeElement?.closest(rowSelector)?.querySelector<HTMLElement>('[data-row-menu]')
  trigger?.focus()
  trigger?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
}

/** The row that has the focus. */
function focusedRow(rows: readonly ListRow[]): ListRow | null {
  const name = document.activeElement?.closest<HTMLElement>(rowSelector)?.dataset['name']
  return rows.find((row) => row.name === name) ?? null
}

/**
 * Keys of a list: j and k walk, x selects, Shift+X up to here, f adds a filter, . opens the row's menu, Esc ends the
 * selection; `rowKeys` are the page's own for the row with the focus. Enter is the link itself.
 */
export function useListKeys({
  rows,
  selection,
  rowKeys,
  onFilter,
}: {
  rows: readonly ListRow[]
  selection: Selection | null
  rowKeys: Readonly<Record<string, (row: ListRow) => void>>
  onFilter: () => void
}): void {
  const withRow = (work: (row: ListRow) => void) => () => {
    const row = focusedRow(rows)
    if (row) work(row)
  }
  useShortcuts({
    ...Object.fromEntries(Object.entries(rowKeys).map(([key, work]) => [key, withRow(work)])),
    j: () => walk(1),
    k: () => walk(-1),
    f: onFilter,
    '.': openRowMenu,
    ...(selection && {
      x: withRow((row) => selection.toggle(row)),
      X: withRow((row) => selection.range(row)),
      ...(selection.rows.length > 0 && { Escape: () => selection.clear() }),
    }),
  })
}
