/** Results of a check; `asleep` and `paused` mean that there was none on purpose. */
export const uptimeStates = ['up', 'slow', 'down', 'asleep', 'paused'] as const

/** One of `uptimeStates`. */
export type UptimeState = (typeof uptimeStates)[number]

/** What a range of the graphs shows: its length, and how much time one point stands for, in seconds. At most 300 points. */
export const uptimeRanges = {
  '1h': { seconds: 3_600, bucket: 60 },
  '6h': { seconds: 21_600, bucket: 120 },
  '12h': { seconds: 43_200, bucket: 180 },
  '24h': { seconds: 86_400, bucket: 300 },
  '3d': { seconds: 259_200, bucket: 900 },
  '7d': { seconds: 604_800, bucket: 2_400 },
} as const

/** Key of a range. */
export type UptimeRange = keyof typeof uptimeRanges

/** All ranges, shortest first. */
export const uptimeRangeKeys = ['1h', '6h', '12h', '24h', '3d', '7d'] as const satisfies readonly UptimeRange[]

/**
 * How often the sample of a site that goes on sleeping or being paused is repeated, in seconds: thousands of sleeping sites
 * must not write a row each minute.
 */
export const quietSampleSeconds = 300

/** How long samples are kept, in seconds. */
export const uptimeKeptSeconds = 8 * 86_400

/** How long incidents are kept after their end, in seconds. */
export const incidentsKeptSeconds = 90 * 86_400
