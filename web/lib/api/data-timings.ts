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

/** Timings of reading, in ms (docs/contracts/screens.md, section 9), with the slow variants. */
export function dataTimings(slow: boolean): {
  errorRetry: number
  dedupe: number
  focusThrottle: number
  /** After which a first reading is told to be slow. */
  loadingTimeout: number
} {
  return {
    errorRetry: slow ? 10_000 : 5000,
    dedupe: 2000,
    focusThrottle: 5000,
    loadingTimeout: slow ? 5000 : 3000,
  }
}
