import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'react-router'
import type { Doctype } from '#shared/doctype.ts'
import { readListState, writeListState, type ListDefaults, type ListState } from './list-state.ts'

/**
 * A list's state, kept in the URL: a reload, a link and "back" show the same rows. Any change but of the page goes to
 * the first page. `quiet` takes the present step of the history instead of a new one (typing).
 */
export function useListState(
  type: Doctype,
  defaults: ListDefaults,
): [ListState, (change: Partial<ListState>, quiet?: boolean) => void] {
  const [params, setParams] = useSearchParams()
  const state = useMemo(() => readListState(params, type, defaults), [params, type, defaults])
  const change = useCallback(
    (part: Partial<ListState>, quiet = false) => {
      setParams(
        (current) =>
          writeListState(current, { ...readListState(current, type, defaults), page: 1, ...part }, type, defaults),
        {
          replace: quiet,
          preventScrollReset: true,
        },
      )
    },
    [setParams, type, defaults],
  )
  return [state, change]
}
