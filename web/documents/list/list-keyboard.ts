import type { ListRow } from '../values/cells.tsx'
import { useShortcuts } from '#web/lib/browser/use-shortcuts.ts'
import type { Selection } from '../bulk/use-selection.ts'

const rowSelector = '[data-name]'

/** The element of a row that gets the focus: its name, or in rows without pages the first button. */
function focusOf(row: HTMLElement): HTMLElement | null {
  return row.querySelector<HTMLElement>('[data-row-link]') ?? row.querySelector<HTMLElement>('a, button')
}

/** Focuses the next or previous row; without focus in a row, the first or last. */
function moveFocus(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>(rowSelector)].flatMap((row) => focusOf(row) ?? [])
  const row = document.activeElement?.closest(rowSelector)
  const at = links.findIndex((link) => row?.contains(link))
  const next = links[at < 0 ? (step === 1 ? 0 : links.length - 1) : at + step]
  next?.focus()
  next?.scrollIntoView({ block: 'nearest' })
}

/** Opens the menu of the focused row. */
function openRowMenu(): void {
  const trigger = document.activeElement?.closest(rowSelector)?.querySelector<HTMLElement>('[data-row-menu]')
  trigger?.focus()
  trigger?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
}

/** The focused row. */
function focusedRow<R extends ListRow>(rows: readonly R[]): R | null {
  const name = document.activeElement?.closest<HTMLElement>(rowSelector)?.dataset['name']
  return rows.find((row) => row.name === name) ?? null
}

/**
 * Keys of a list: j and k move, x selects, Shift+X selects a range, f adds a filter, . opens the row menu, Esc clears the
 * selection; `rowKeys` are the page's keys for the focused row. Enter follows the link.
 */
export function useListKeys<R extends ListRow>({
  rows,
  selection,
  rowKeys,
  onFilter,
}: {
  rows: readonly R[]
  selection: Selection<R> | null
  rowKeys: Readonly<Record<string, (row: R) => void>>
  onFilter: () => void
}): void {
  const withRow = (work: (row: R) => void) => () => {
    const row = focusedRow(rows)
    if (row) work(row)
  }
  useShortcuts({
    ...Object.fromEntries(Object.entries(rowKeys).map(([key, work]) => [key, withRow(work)])),
    j: () => moveFocus(1),
    k: () => moveFocus(-1),
    f: onFilter,
    '.': openRowMenu,
    ...(selection && {
      x: withRow((row) => selection.toggle(row)),
      X: withRow((row) => selection.range(row)),
      ...(selection.rows.length > 0 && { Escape: () => selection.clear() }),
    }),
  })
}
