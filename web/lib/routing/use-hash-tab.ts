import { useLocation, useNavigate } from 'react-router'
import { useShortcuts } from '#web/lib/browser/use-shortcuts.ts'

/**
 * The page's open tab, from the URL hash; unknown ones mean the first. `[` and `]` switch to the neighbors. The rest of the
 * URL (an open job) stays. `also`: a second hash of a tab.
 */
export function useHashTab<Id extends string>(
  ids: readonly [Id, ...Id[]],
  also: Readonly<Record<string, string>> = {},
): [Id, (id: Id) => void] {
  const { hash, search } = useLocation()
  const navigate = useNavigate()
  const current = ids.find((id) => `#${id}` === hash || `#${also[id]}` === hash) ?? ids[0]
  const open = (id: Id): void => {
    void navigate({ search, hash: `#${id}` }, { replace: true })
  }
  const step = (by: number) => {
    const next = ids[(ids.indexOf(current) + by + ids.length) % ids.length]
    if (next) open(next)
  }
  useShortcuts({ '[': () => step(-1), ']': () => step(1) })
  return [current, open]
}

/** The tab that the URL names if the page has it, but does not show it to this user or now; otherwise null. */
export function useHiddenTab<Id extends string>(all: readonly Id[], shown: readonly string[]): Id | null {
  const { hash } = useLocation()
  return all.find((id) => `#${id}` === hash && !shown.includes(id)) ?? null
}
