import { useEffect, useRef, useState } from 'react'
import { logChunk, type LogChunk } from '#shared/responses/site-logs.ts'
import type { LogName } from '#shared/rules/site-logs.ts'
import { toApiError, type ApiError } from '#web/lib/api/api-error.ts'
import { runAction } from '#web/lib/api/api.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { noPages, withEarlier, withFound, withNext, withoutFound, type LogPages } from './log-pages.ts'
import { usePolling } from './use-polling.ts'

/** A log as far as it was read. */
export interface TextLog extends LogPages {
  readonly isLoaded: boolean
  /** Why the last read failed; reading goes on where it stopped. */
  readonly failure: ApiError | null
  /** Reads what is new, now. */
  readonly refresh: () => Promise<void>
  /** Reads what precedes the first line. */
  readonly readEarlier: () => Promise<void>
  /** Goes back to the next lines that contain this text, or to the beginning, unless `forgetFound` ends the search. */
  readonly findEarlier: (text: string) => Promise<void>
  /** Ends a search, and drops what it found: the lines between would be missing. */
  readonly forgetFound: () => void
  /** Forgets what was read, after the log was emptied. */
  readonly restart: () => void
}

/**
 * Reads a log of a site from its end, and what is added to it while `isFollowing`. The position of the last read is kept, so
 * no line is missed or shown twice after a pause, in a hidden tab or without a network.
 */
export function useTextLog(site: string, log: LogName, isFollowing: boolean): TextLog {
  const [read, setRead] = useState<LogPages>(noPages)
  const [failure, setFailure] = useState<ApiError | null>(null)
  const position = useRef<string | null>(null)
  const turn = useRef<Promise<void>>(Promise.resolve())
  const isUnmounted = useRef(false)
  /** Number of searches that were ended. */
  const ended = useRef(0)
  useEffect(() => {
    isUnmounted.current = false
    return () => {
      isUnmounted.current = true
    }
  }, [])

  const ask = async (args: Record<string, unknown>): Promise<LogChunk> =>
    checkedResult(logChunk, await runAction('Site', site, 'read_log', { log, ...args }))

  /** One read at a time: two with the same position would show lines twice. */
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    turn.current = turn.current.then(async () => {
      if (isUnmounted.current) return
      try {
        await work()
        if (!isUnmounted.current) setFailure(null)
      } catch (error) {
        if (!isUnmounted.current) setFailure(toApiError(error))
      }
    })
    return turn.current
  }

  const refresh = () =>
    inTurn(async () => {
      for (let more = true; more && !isUnmounted.current;) {
        const from = position.current
        const chunk = await ask(from === null ? {} : { after: from })
        position.current = chunk.end
        setRead((before) => withNext(from === null ? noPages : before, chunk))
        // An answer that doesn't get on would be asked for without end.
        more = chunk.more && chunk.end !== from
      }
    })
  usePolling(refresh, isFollowing || read.end === null)

  return {
    ...read,
    isLoaded: read.end !== null,
    failure,
    refresh,
    readEarlier: () =>
      inTurn(async () => {
        const start = read.pages[0]?.start
        if (!start) return
        const chunk = await ask({ before: start })
        setRead((before) => withEarlier(before, chunk))
      }),
    findEarlier: (text) => {
      const search = ended.current
      const isEnded = () => isUnmounted.current || search !== ended.current
      return inTurn(async () => {
        for (let start = read.pages[0]?.start ?? null; start !== null && !isEnded();) {
          const chunk = await ask({ before: start, containing: text })
          if (isEnded()) return
          setRead((before) => withFound(before, chunk))
          start = chunk.lines.length > 0 ? null : chunk.start
        }
      })
    },
    forgetFound: () => {
      ended.current += 1
      setRead(withoutFound)
    },
    restart: () => {
      position.current = null
      setRead(noPages)
    },
  }
}
