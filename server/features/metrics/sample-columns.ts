import { sql } from 'kysely'
import type { MetricsSample } from '#shared/responses/server-metrics.ts'

const usage = ['total', 'used', 'free', 'percent'] as const

const groups = {
  load: ['m1', 'm5', 'm15'],
  cpu: ['user', 'system', 'idle', 'total'],
  memory: usage,
  disk: usage,
  swap: usage,
  network: ['rx_bytes', 'tx_bytes', 'rx_packets', 'tx_packets', 'rx_errors', 'tx_errors', 'rx_dropped', 'tx_dropped'],
} as const

/** A number of a sample, as a column of the tables. */
interface SampleColumn {
  readonly name: string
  readonly type: 'real' | 'double precision'
  /** What stands for many of them: counters only grow, so the highest is the latest. */
  readonly merged: 'avg' | 'max'
}

const isSmall = (group: string, key: string) => group === 'load' || group === 'cpu' || key === 'percent'

/** The numbers of a sample. */
export const sampleColumns: readonly SampleColumn[] = [
  { name: 'uptime', type: 'double precision', merged: 'max' },
  ...Object.entries(groups).flatMap(([group, keys]) =>
    keys.map((key): SampleColumn => ({
      name: `${group}_${key}`,
      type: isSmall(group, key) ? 'real' : 'double precision',
      merged: group === 'network' ? 'max' : 'avg',
    })),
  ),
]

/** Names of the columns, as a list of SQL. */
export const sampleNames = sql.raw(sampleColumns.map(({ name }) => name).join(', '))
/** What stands for many samples `m`, in the order of `sampleNames`. */
export const averageOfSamples = sql.raw(
  sampleColumns.map(({ name, merged }) => `${merged}(m.${name}) as ${name}`).join(', '),
)
/** What stands for many averages, of different numbers of `samples`. */
export const averageOfAverages = sql.raw(
  sampleColumns
    .map(
      ({ name, merged }) => `${merged === 'max' ? `max(${name})` : `sum(${name} * samples) / sum(samples)`} as ${name}`,
    )
    .join(', '),
)

/** The numbers of a sample. */
type SampleNumbers = Pick<MetricsSample, keyof typeof groups | 'uptime'>

/** The numbers of a sample, by column. */
export function columnsOf(sample: SampleNumbers): Record<string, number> {
  const columns: Record<string, number> = { uptime: sample.uptime }
  for (const group of Object.keys(groups) as (keyof typeof groups)[])
    for (const [key, value] of Object.entries(sample[group])) columns[`${group}_${key}`] = value
  return columns
}

/** Keys of a group, each with its column: rows are read by the thousand. */
const columnsIn = <K extends string>(group: string, keys: readonly K[]) =>
  keys.map((key) => [key, `${group}_${key}`] as const)
const [load, cpu, memory] = [
  columnsIn('load', groups.load),
  columnsIn('cpu', groups.cpu),
  columnsIn('memory', groups.memory),
]
const [disk, swap, network] = [
  columnsIn('disk', groups.disk),
  columnsIn('swap', groups.swap),
  columnsIn('network', groups.network),
]

/** The numbers of a sample, from a row of the table. */
export function numbersOf(row: Readonly<Record<string, unknown>>): SampleNumbers {
  return {
    uptime: Number(row['uptime']),
    load: read(row, load),
    cpu: read(row, cpu),
    memory: read(row, memory),
    disk: read(row, disk),
    swap: read(row, swap),
    network: read(row, network),
  }
}

function read<K extends string>(
  row: Readonly<Record<string, unknown>>,
  columns: readonly (readonly [K, string])[],
): Record<K, number> {
  const numbers = {} as Record<K, number>
  for (const [key, column] of columns) numbers[key] = Number(row[column])
  return numbers
}
