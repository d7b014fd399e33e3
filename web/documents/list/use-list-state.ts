import { useCallback, useMemo } from 'react'
import { useSearchParams } from '#web/lib/routing/router.tsx'
import type { Doctype } from '#shared/doctype.ts'
import { readListState, writeListState, type ListDefaults, type ListState } from '../query/list-state.ts'

/** Changes part of a list's state; `columns` are shown until the user chooses others. */
export type ChangeList = (change: Partial<ListState>, quiet?: boolean, columns?: readonly string[]) => void

/**
 * A list's state, stored in the URL: a reload, a link and "back" show the same rows. Any change except the page resets to
 * the first page. `quiet` replaces the current history entry (typing).
 */
export function useListState(type: Doctype, defaults: ListDefaults): [ListState, ChangeList] {
  const [params, setParams] = useSearchParams()
  const state = useMemo(() => readListState(params, type, defaults), [params, type, defaults])
  const change = useCallback(
    (part: Partial<ListState>, quiet = false, columns?: readonly string[]) => {
      setParams(
        (current) => {
          const before = readListState(current, type, defaults)
          const next = writeListState(current, { ...before, page: 1, ...part }, type, defaults)
          if (columns) next.set('columns', JSON.stringify(columns))
          return next
        },
        {
          replace: quiet,
        },
      )
    },
    [setParams, type, defaults],
  )
  return [state, change]
}
