import { useEffect, useEffectEvent, useRef, useState } from 'react'
import type { LogLine, LogPage } from '#shared/responses/job-log.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { call } from '#web/lib/api/api.ts'
import { appendLines } from './log-lines.ts'

const method = 'easydash.easydash.doctype.server_logs.server_logs.get_job_logs'
/** How long after a failed read the next one comes. */
const retryMs = 5000

/**
 * A job's log so far. `written` is the number of lines the Job says it has: the document's own changes (live, or every
 * 5 seconds without a socket) are the signal, so a job that says nothing costs no request. Lines are read by cursor
 * from where the last answer ended, so a reconnection replays nothing twice and loses nothing.
 */
export function useJobLog(
  job: string,
  written: number,
  ended: boolean,
): { lines: readonly LogLine[]; failure: string | null; loaded: boolean } {
  const [lines, setLines] = useState<readonly LogLine[]>([])
  const [failure, setFailure] = useState<string | null>(null)
  const [loaded, setLoaded] = useState(false)
  const cursor = useRef<LogPage['cursor']>(null)
  const reading = useRef(false)
  const again = useRef(false)
  const gone = useRef(false)

  const read = useEffectEvent(async () => {
    if (reading.current) {
      // The signal came while an answer was on its way: its lines may not be in it.
      again.current = true
      return
    }
    reading.current = true
    try {
      do {
        again.current = false
        const page = await call<LogPage>(method, { job, ...(cursor.current !== null && { cursor: cursor.current }) })
        if (gone.current) return
        cursor.current = page.cursor
        setLines((before) => appendLines(before, page.lines))
        setFailure(null)
        // A page may be cut; the one after a full read is empty and ends the loop.
        if (page.lines.length > 0) again.current = true
      } while (again.current)
    } catch (error) {
      if (!gone.current) setFailure(toApiError(error).message)
    } finally {
      reading.current = false
      if (!gone.current) setLoaded(true)
    }
  })

  useEffect(() => {
    gone.current = false
    return () => {
      gone.current = true
    }
  }, [])
  useEffect(() => void read(), [job, written, ended])
  useEffect(() => {
    if (failure === null) return
    const timer = setTimeout(() => void read(), retryMs)
    return () => clearTimeout(timer)
  }, [failure])
  return { lines, failure, loaded }
}
