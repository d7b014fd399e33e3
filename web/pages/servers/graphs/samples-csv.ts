import type { ServerMetrics } from '#shared/responses/server-metrics.ts'
import { csvFile } from '#shared/rules/csv.ts'
import { saveText } from '#web/lib/browser/save-file.ts'

/** The samples as CSV, as the API has them: a row for each, oldest first, with a column for each value. */
export function samplesCsv(samples: ServerMetrics['samples']): string {
  const rows = samples.flatMap((sample) => {
    if (sample.missing === 1) return []
    const { timestamp, missing: _missing, ...values } = sample
    return [{ time: new Date(timestamp * 1000).toISOString(), timestamp, ...flat(values) }]
  })
  const columns = Object.keys(rows[0] ?? {})
  return csvFile([columns, ...rows.map((row) => Object.values(row))])
}

/** Values of groups, such as `cpu.user`. */
function flat(values: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]: [string, unknown]) =>
      typeof value === 'object' && value !== null
        ? Object.entries(value).map(([key, one]) => [`${name}.${key}`, one])
        : [[name, value]],
    ),
  )
}

/** Saves the samples as a file. */
export function downloadSamples(name: string, samples: ServerMetrics['samples']): void {
  saveText(name, samplesCsv(samples), 'text/csv')
}
