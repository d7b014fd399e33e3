import { useCallback } from 'react'
import { useLocation, useNavigate } from 'react-router'

/** Search string that opens a job's drawer on the current page and keeps the rest of the URL. */
export function jobSearch(search: string, job: string | null): string {
  const params = new URLSearchParams(search)
  if (job === null) params.delete('job')
  else params.set('job', job)
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}

/** Opens the drawer of a job, or closes it with null. Opening adds a history entry, so "back" closes it. */
export function useOpenJob(): (job: string | null) => void {
  const navigate = useNavigate()
  const { search, hash } = useLocation()
  return useCallback(
    (job) => {
      void navigate({ search: jobSearch(search, job), hash }, { replace: job === null })
    },
    [navigate, search, hash],
  )
}
