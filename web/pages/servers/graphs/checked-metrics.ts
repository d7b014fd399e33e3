import { isObject } from '#shared/parse-json.ts'
import type { ServerMetrics } from '#shared/responses/server-metrics.ts'
import type { Checkable } from '#web/lib/api/checked-response.ts'

const groups = ['load', 'cpu', 'memory', 'disk', 'swap', 'network'] as const

const isNumber = (value: unknown): boolean => typeof value === 'number'

function isSample(value: unknown): boolean {
  if (!isObject(value) || !isNumber(value['timestamp'])) return false
  return (
    value['missing'] === 1 ||
    groups.every((name) => isObject(value[name]) && Object.values(value[name]).every(isNumber))
  )
}

/**
 * Whether a response has what the graphs read. The schema of the response would take a tenth of a second for a week of samples.
 */
export const checkedMetrics: Checkable<ServerMetrics> = {
  safeParse: (value) =>
    isObject(value) && Array.isArray(value['samples']) && value['samples'].every(isSample)
      ? { success: true, data: value as unknown as ServerMetrics }
      : { success: false },
}
