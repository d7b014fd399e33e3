/** Text logs of sites: PHP's errors, the debug log of WordPress, and the requests of visitors. */
export const logNames = ['php', 'debug', 'access'] as const

/** One of `logNames`. */
export type LogName = (typeof logNames)[number]
