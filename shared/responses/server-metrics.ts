import * as z from 'zod/mini'
import { described } from '../schema.ts'

const share = (what: string) => described(z.number().check(z.minimum(0), z.maximum(100)), `Percent: ${what}`)
/** Sizes and counters; all whole numbers up to this are exact. */
const amount = z.number().check(z.nonnegative(), z.maximum(Number.MAX_SAFE_INTEGER))
const counter = described(amount, 'Since the machine started')
const load = z.number().check(z.nonnegative(), z.maximum(1e6))

const usage = (what: string) =>
  described(z.object({ total: amount, used: amount, free: amount, percent: share('used of total') }), what)

/** One measurement of a machine, as its agent sends it and as it is returned. */
export const metricsSample = z.object({
  timestamp: described(z.int().check(z.nonnegative(), z.maximum(253_402_300_799)), 'In seconds since 1970'),
  instance: described(z.string().check(z.maxLength(253)), 'Host name of the server'),
  primary_interface: described(
    z.string().check(z.regex(/^[^\s/\p{C}]{0,64}$/u)),
    'Network interface of the default route; empty if there is none',
  ),
  load: described(z.object({ m1: load, m5: load, m15: load }), 'Averages of 1, 5 and 15 minutes'),
  uptime: described(amount, 'Seconds'),
  cpu: described(
    z.object({
      user: share('programs'),
      system: share('the kernel'),
      idle: share('unused, and waiting for disks'),
      total: share('used'),
    }),
    'Since the sample before',
  ),
  memory: usage('Bytes. Used is what programs hold; free is also not used for caches'),
  disk: usage('Bytes of the file system that holds the sites'),
  network: z.object({
    rx_bytes: counter,
    tx_bytes: counter,
    rx_packets: counter,
    tx_packets: counter,
    rx_errors: counter,
    tx_errors: counter,
    rx_dropped: counter,
    tx_dropped: counter,
  }),
  swap: usage('Bytes'),
  missing: z.literal(0),
})

/** One measurement of a machine. */
export type MetricsSample = z.infer<typeof metricsSample>

/** A sample as agents send it: the token says which server it is of. */
export const sentSample = z.extend(metricsSample, {
  instance: z.optional(metricsSample.shape.instance),
  missing: z.optional(z.literal([0, false])),
})

/** A sample as agents send it. */
export type SentSample = z.infer<typeof sentSample>

const missingSample = z.object({
  timestamp: described(z.int(), 'Start of the slot, in seconds since 1970'),
  missing: z.literal(1),
})

/** Response with the samples of a range. */
export const serverMetrics = z.object({
  interval: described(z.int(), 'Seconds of a slot'),
  samples: described(
    z.array(z.union([metricsSample, missingSample])),
    'One for each slot of the range, oldest first. A slot without a sample has `missing` 1 and nothing else.',
  ),
})

/** Samples of a range. */
export type ServerMetrics = z.infer<typeof serverMetrics>
