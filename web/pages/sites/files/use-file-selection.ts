import { useState } from 'react'

/** The chosen entries of the shown folder. */
export interface FileSelection {
  readonly names: ReadonlySet<string>
  /** Chooses or leaves one; with `range` all from the last one on. */
  toggle(name: string, range?: boolean): void
  /** Chooses all, or none if all are. */
  toggleAll(): void
  clear(): void
}

/** Keeps the selection of a folder with these names in their order; those that are gone are not chosen any more. */
export function useFileSelection(all: readonly string[]): FileSelection {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [last, setLast] = useState<string | null>(null)
  const names = new Set(all.filter((name) => chosen.has(name)))
  return {
    names,
    toggle(name, range = false) {
      const next = new Set(names)
      const [from, to] = [last === null ? -1 : all.indexOf(last), all.indexOf(name)]
      if (range && from >= 0 && to >= 0) {
        for (const one of all.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(one)
      } else if (!next.delete(name)) next.add(name)
      setLast(name)
      setChosen(next)
    },
    toggleAll: () => setChosen(names.size === all.length ? new Set() : new Set(all)),
    clear: () => setChosen(new Set()),
  }
}
