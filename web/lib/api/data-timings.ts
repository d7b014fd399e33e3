import type { SWRConfiguration } from 'swr'

/** What browsers that measure it tell of the connection. */
interface Connection {
  effectiveType?: string
  saveData?: boolean
}

/** Whether the browser calls its connection slow, or is asked to save data. */
export function isSlowConnection(browser: object = navigator): boolean {
  const { connection } = browser as { connection?: Connection }
  return connection?.saveData === true || ['slow-2g', '2g'].includes(connection?.effectiveType ?? '')
}

/** Retries, de-duplication, focus and patience of reading, in ms (specification section 9), with the slow variants. */
export function dataTimings(
  slow: boolean,
): Required<
  Pick<SWRConfiguration, 'errorRetryInterval' | 'dedupingInterval' | 'focusThrottleInterval' | 'loadingTimeout'>
> {
  return {
    errorRetryInterval: slow ? 10_000 : 5000,
    dedupingInterval: 2000,
    focusThrottleInterval: 5000,
    loadingTimeout: slow ? 5000 : 3000,
  }
}
