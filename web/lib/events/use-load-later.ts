import { useEffect } from 'react'
import { dataClient } from '../api/data-client.ts'
import { firstReads } from './first-reads.ts'

/** Loads code in advance, after the requests of the first view. A failure shows when it is used. */
export function useLoadLater(load: () => Promise<unknown>): void {
  useEffect(() => {
    const left = new AbortController()
    const start = async (): Promise<void> => {
      await firstReads(dataClient, left.signal)
      if (!left.signal.aborted) await load()
    }
    start().catch(() => undefined)
    return () => left.abort()
  }, [load])
}
