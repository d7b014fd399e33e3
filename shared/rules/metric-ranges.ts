/** Seconds between two samples of a server. Each has a slot of this length; a slot has one sample at most. */
export const metricInterval = 300

/** What was measured longer ago says nothing about now, in milliseconds. */
export const metricFreshMs = 3 * metricInterval * 1000

/** Number of slots that a range of the graphs shows. The last one is that of now. */
export const metricRanges = { '1h': 12, '6h': 72, '12h': 144, '24h': 288, '3d': 864, '7d': 2016 } as const

/** Key of a range. */
export type MetricRange = keyof typeof metricRanges

/** All ranges, shortest first. */
export const metricRangeKeys = ['1h', '6h', '12h', '24h', '3d', '7d'] as const satisfies readonly MetricRange[]

/** Ranges of the graphs of servers that show averages: of what, and how many of them. Samples are kept for eight days, these for longer. */
export const averageRanges = {
  '30d': { unit: 'hour', seconds: 3600, slots: 720 },
  '90d': { unit: 'hour', seconds: 3600, slots: 2160 },
  '2y': { unit: 'day', seconds: 86_400, slots: 730 },
} as const

/** All ranges of the graphs of servers, shortest first. */
export const serverRangeKeys = [...metricRangeKeys, '30d', '90d', '2y'] as const

/** Key of a range of the graphs of servers. */
export type ServerRange = (typeof serverRangeKeys)[number]

/** Most samples of one request: those of the longest range. */
export const mostSamples = metricRanges['7d']
