import { useCallback, useMemo } from 'react'
import { useSearchParams } from '#web/lib/routing/router.tsx'
import type { Doctype } from '#shared/doctype.ts'
import { readListState, writeListState, type ListDefaults, type ListState } from './list-state.ts'

/** Changes a part of what a list shows; `columns` are shown until the person chooses others. */
export type ChangeList = (change: Partial<ListState>, quiet?: boolean, columns?: readonly string[]) => void

/**
 * A list's state, kept in the URL: a reload, a link and "back" show the same rows. Any change but of the page goes to
 * the first page. `quiet` takes the present step of the history instead of a new one (typing).
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
