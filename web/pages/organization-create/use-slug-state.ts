import { useEffect, useState } from 'react'
import { checkOrganizationSlug } from '#shared/rules/slugs.ts'
import { call } from '#web/lib/api/api.ts'
import { messageText } from '#web/lib/i18n/catalog.ts'
import { useDebounced } from '#web/lib/api/debounce.ts'

/** State of a slug. `unknown`: the check failed; the server decides on submit. */
export type SlugState =
  | { kind: 'empty' | 'checking' | 'free' | 'taken' | 'unknown' }
  | { kind: 'wrong'; problem: string }

/** Validates a slug immediately, and checks its availability 300 ms after the last change. */
export function useSlugState(slug: string): SlugState {
  const problem = slug === '' ? null : checkOrganizationSlug(slug)
  const settled = useDebounced(slug)
  const [result, setResult] = useState<{ slug: string; free: boolean | null } | null>(null)

  useEffect(() => {
    if (settled === '' || checkOrganizationSlug(settled)) return
    const stop = new AbortController()
    call<boolean>('easydash.api.organization.is_slug_available', { slug: settled }, { signal: stop.signal }).then(
      (free) => setResult({ slug: settled, free }),
      () => {
        if (!stop.signal.aborted) setResult({ slug: settled, free: null })
      },
    )
    return () => stop.abort()
  }, [settled])

  if (slug === '') return { kind: 'empty' }
  if (problem) return { kind: 'wrong', problem: messageText(problem) }
  if (result?.slug !== slug) return { kind: 'checking' }
  if (result.free === null) return { kind: 'unknown' }
  return { kind: result.free ? 'free' : 'taken' }
}
