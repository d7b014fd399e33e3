/** The Network Information API, in browsers that support it. */
interface Connection {
  effectiveType?: string
  saveData?: boolean
}

/** Whether the connection is slow or the browser is in data-saver mode. */
export function isSlowConnection(browser: object = navigator): boolean {
  const { connection } = browser as { connection?: Connection }
  return connection?.saveData === true || ['slow-2g', '2g'].includes(connection?.effectiveType ?? '')
}

/** Fetch timings in ms, normal and slow (docs/contracts/screens.md, section 9). */
export function dataTimings(slow: boolean): {
  errorRetry: number
  dedupe: number
  focusThrottle: number
  /** After this time, an initial load is reported as slow. */
  loadingTimeout: number
} {
  return {
    errorRetry: slow ? 10_000 : 5000,
    dedupe: 2000,
    focusThrottle: 5000,
    loadingTimeout: slow ? 5000 : 3000,
  }
}
