import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { toApiError } from '#web/lib/api-error.ts'
import { call } from '#web/lib/api.ts'
import { useConnected, useDocEvents } from '#web/lib/use-events.ts'
import { appendLines, type LogLine, type LogPage } from './log-lines.ts'

const method = 'easydash.easydash.doctype.server_logs.server_logs.get_job_logs'
/** How often is asked while no live changes arrive. */
const pollMs = 5000

/**
 * A job's log so far: read by cursor from where the last answer ended, whenever the job is saved, so a reconnection
 * replays nothing twice and loses nothing. While the socket is down it asks every 5 seconds.
 */
export function useJobLog(
  job: string,
  ended: boolean,
): { lines: readonly LogLine[]; failure: string | null; loaded: boolean } {
  const [lines, setLines] = useState<readonly LogLine[]>([])
  const [failure, setFailure] = useState<string | null>(null)
  const [loaded, setLoaded] = useState(false)
  const cursor = useRef<LogPage['cursor']>(null)
  const reading = useRef(false)
  const again = useRef(false)
  const stopped = useRef(false)

  const read = useEffectEvent(async () => {
    if (reading.current) {
      // A save arrived while an answer was on its way: its lines may not be in it.
      again.current = true
      return
    }
    reading.current = true
    try {
      do {
        again.current = false
        const page = await call<LogPage>(method, { job, ...(cursor.current !== null && { cursor: cursor.current }) })
        if (stopped.current) return
        cursor.current = page.cursor
        setLines((before) => appendLines(before, page.lines))
        setFailure(null)
        if (page.lines.length > 0) again.current = true
      } while (again.current)
    } catch (error) {
      if (!stopped.current) setFailure(toApiError(error).message)
    } finally {
      reading.current = false
      if (!stopped.current) setLoaded(true)
    }
  })

  useEffect(() => {
    stopped.current = false
    void read()
    return () => {
      stopped.current = true
    }
  }, [job, ended])
  useDocEvents('Job', job, () => void read())
  const connected = useConnected()
  useEffect(() => {
    if (connected || ended) return
    const timer = setInterval(() => void read(), pollMs)
    return () => clearInterval(timer)
  }, [connected, ended])
  return { lines, failure, loaded }
}
