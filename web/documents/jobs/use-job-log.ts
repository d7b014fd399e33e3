import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { logPage, type LogLine, type LogPage } from '#shared/responses/job-log.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { call } from '#web/lib/api/api.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { appendLines } from './log-lines.ts'

const method = 'easydash.easydash.doctype.server_logs.server_logs.get_job_logs'
/** Delay before a failed read is retried. */
const retryMs = 5000

/**
 * A job's log so far. `written` is the job's number of log lines. Changes of the document (live, or polled every 5 seconds
 * without a socket) trigger reads, so an idle job costs no requests. Lines are read by cursor from the end of the last
 * response, so a reconnect neither repeats nor loses lines.
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
  const isUnmounted = useRef(false)

  const read = useEffectEvent(async () => {
    if (reading.current) {
      // Triggered while a request is running, whose response may not include the new lines.
      again.current = true
      return
    }
    reading.current = true
    try {
      do {
        again.current = false
        const from = cursor.current !== null && { cursor: cursor.current }
        const page = checkedResult(logPage, await call(method, { job, ...from }))
        if (isUnmounted.current) return
        cursor.current = page.cursor
        setLines((before) => appendLines(before, page.lines))
        setFailure(null)
        // A page may be cut off; the empty one after the last ends the loop.
        if (page.lines.length > 0) again.current = true
      } while (again.current)
    } catch (error) {
      if (!isUnmounted.current) setFailure(toApiError(error).message)
    } finally {
      reading.current = false
      if (!isUnmounted.current) setLoaded(true)
    }
  })

  useEffect(() => {
    isUnmounted.current = false
    return () => {
      isUnmounted.current = true
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
