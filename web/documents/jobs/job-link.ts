import { useCallback } from 'react'
import { useLocation, useNavigate } from 'react-router'

/** The search part that opens a job's drawer over the present page, leaving everything else in the URL alone. */
export function jobSearch(search: string, job: string | null): string {
  const params = new URLSearchParams(search)
  if (job === null) params.delete('job')
  else params.set('job', job)
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}

/** Opens (or with null closes) the drawer of a job. Opening adds a step to the history, so "back" closes it. */
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
