/** How often a site that is awake is checked, in seconds. The web app says so when a check is older. */
export const siteCheckSeconds = 60
/** Maximum duration of one check, in seconds. Its result can come that much later than the interval. */
export const siteCheckTimeoutSeconds = 60
/**
 * A check, or a measurement of a server, that is older than its interval by this is late, in seconds: pages read a due one again
 * every 30 seconds.
 */
export const checkGraceSeconds = 30
/** How often the machine that this program runs on is measured, in seconds. */
export const serverCheckSeconds = 60
/**
 * How often other servers are measured, in seconds: so that each slot of the graphs gets a sample, although the schedule adds up to a
 * tenth.
 */
export const serverWatchSeconds = 240
/** A site whose homepage takes longer is slow, in milliseconds. */
export const slowMs = 3000
/** Longest text that the homepage has to contain. */
export const longestKeyword = 100
