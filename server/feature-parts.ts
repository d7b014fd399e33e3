import type { CreateTables, Feature } from '#server/contracts/feature.ts'
import type { ScheduledWork, Sweep, WorkOnHosts } from '#server/contracts/schedule.ts'
import type { DocumentEvent } from '#server/contracts/transaction.ts'
import type { Log } from '#server/platform/log/log.ts'

/** What all features declare, by kind. */
export type FeatureParts = Required<
  Pick<Feature, 'controllers' | 'methods' | 'routes' | 'uploads' | 'streams' | 'jobs' | 'metrics'>
> & {
  /** Includes the sweeps. */
  readonly schedules: readonly (ScheduledWork | WorkOnHosts)[]
}

/** Collects what features declare. Throws if two declare a job type, a stream, scheduled work or a metric of the same name. */
export function collectParts(features: readonly Feature[], log: Pick<Log, 'info'>): FeatureParts {
  const parts: FeatureParts = {
    controllers: features.flatMap((feature) => feature.controllers ?? []),
    methods: features.flatMap((feature) => feature.methods ?? []),
    routes: features.flatMap((feature) => feature.routes ?? []),
    uploads: features.flatMap((feature) => feature.uploads ?? []),
    streams: features.flatMap((feature) => feature.streams ?? []),
    jobs: features.flatMap((feature) => feature.jobs ?? []),
    metrics: features.flatMap((feature) => feature.metrics ?? []),
    schedules: features.flatMap((feature) => [
      ...(feature.schedules ?? []),
      ...(feature.sweeps ?? []).map((sweep) => scheduledSweep(sweep, log)),
    ]),
  }
  assertDistinct('job type', parts.jobs, ({ type }) => type)
  assertDistinct('scheduled work', parts.schedules, ({ name }) => name)
  assertDistinct('kind of upload', parts.uploads, ({ name }) => name)
  assertDistinct('stream', parts.streams, ({ name }) => name)
  assertDistinct('metric', parts.metrics, ({ name }) => name)
  return parts
}

function scheduledSweep(sweep: Sweep, log: Pick<Log, 'info'>): ScheduledWork {
  return {
    ...sweep,
    async run() {
      const deleted = await sweep.run()
      if (deleted > 0) log.info('Deleted expired data', { work: sweep.name, deleted })
    },
  }
}

function assertDistinct<T>(kind: string, parts: readonly T[], nameOf: (part: T) => string): void {
  const names = parts.map(nameOf)
  const duplicate = names.find((name, at) => names.indexOf(name) !== at)
  if (duplicate !== undefined) throw new Error(`The ${kind} ${duplicate} is declared twice.`)
}

/** Throws if a feature declares tables that the migration does not create. */
export function assertTablesListed(features: readonly Feature[], listed: readonly CreateTables[]): void {
  const unlisted = features.flatMap(({ tables }) => (tables && !listed.includes(tables) ? [tables.name] : []))
  if (unlisted.length > 0)
    throw new Error(`server/tables.ts does not list the tables of a feature: ${unlisted.join()}.`)
}

/** Sends a document event to every feature that listens. */
export function listenersOf(features: readonly Feature[]): ((event: DocumentEvent) => void)[] {
  return features.flatMap((feature) => (feature.on ? [(event: DocumentEvent) => feature.on?.(event)] : []))
}

/** Background work of features: starts it in their order and stops it in reverse. */
export function createLifecycle(
  features: readonly Feature[],
  log: Pick<Log, 'error'>,
): { start(): Promise<void>; stop(): Promise<void> } {
  const started: Feature[] = []
  return {
    async start() {
      for (const feature of features) {
        // Noted first: what started halfway is stopped, too.
        started.unshift(feature)
        await feature.start?.()
      }
    },
    async stop() {
      for (const feature of started.splice(0)) {
        try {
          await feature.stop?.()
        } catch (error) {
          log.error('A part did not stop cleanly', { error })
        }
      }
    },
  }
}
