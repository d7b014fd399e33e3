import { createHash } from 'node:crypto'
import type { PushPlan, PushSide, PushWhat } from '#shared/responses/push-plan.ts'
import { msg } from '#shared/localized-message.ts'
import { EngineError, type EngineStep, type StepContext } from './engine.ts'

/** What is known of a file, or of something in a database. */
export interface Known {
  readonly hash: string
  readonly bytes?: number
}

/** Everything of its kind, by what identifies it on both sides. */
export type KnownItems = ReadonlyMap<string, Known>

/** Something that changed on the staging site, and is not the same on both sides. */
export interface Change {
  readonly key: string
  readonly what: PushWhat
  /** Set if the site changed it, too. */
  readonly live: PushWhat | null
  /** Another one as soon as either side changes again. */
  readonly id: string
}

const maxSamples = 40
const maxClashes = 100

/** What happened to something; null: nothing. */
function changeOf(before: Known | undefined, after: Known | undefined): PushWhat | null {
  if (before === undefined) return after === undefined ? null : 'add'
  if (after === undefined) return 'delete'
  return before.hash === after.hash && before.bytes === after.bytes ? null : 'change'
}

/** What changed on one side. @param shown what people see of a key */
export function sideOf(before: KnownItems, after: KnownItems, shown: (key: string) => string): PushSide {
  const counts = { add: 0, change: 0, delete: 0 }
  const samples: PushSide['samples'] = []
  for (const key of keysOf(before, after)) {
    const what = changeOf(before.get(key), after.get(key))
    if (what === null) continue
    counts[what] += 1
    if (samples.length < maxSamples) samples.push({ label: shown(key), what })
  }
  return { added: counts.add, changed: counts.change, deleted: counts.delete, samples }
}

/** What a push would do, in the order of keys, and a digest of it. */
function changesBetween(
  base: KnownItems,
  staging: KnownItems,
  live: KnownItems,
): { readonly changes: readonly Change[]; readonly digest: string } {
  const changes: Change[] = []
  const digest = createHash('sha256')
  for (const key of keysOf(base, staging, live)) {
    const [before, staged, now] = [base.get(key), staging.get(key), live.get(key)]
    const what = changeOf(before, staged)
    if (what === null || changeOf(now, staged) === null) continue
    const id = createHash('sha1')
      .update([key, staged?.hash, now?.hash, before?.hash].join('\n'))
      .digest('hex')
      .slice(0, 16)
    digest.update(id)
    changes.push({ key, what, live: changeOf(before, now), id })
  }
  return { changes, digest: digest.digest('hex') }
}

/** What a push of files would do, with all of its changes. */
export function compareFileLists(
  base: KnownItems,
  staging: KnownItems,
  live: KnownItems,
  shown: (path: string) => string,
): { readonly plan: PushPlan['files']; readonly changes: readonly Change[] } {
  const { changes, digest } = changesBetween(base, staging, live)
  const clashes = changes.flatMap(({ id, key, what, live: theirsDid }) =>
    theirsDid === null ? [] : [{ id, path: shown(key), staging: what, live: theirsDid }],
  )
  const plan = {
    digest,
    staging: sideOf(base, staging, shown),
    live: sideOf(base, live, shown),
    clashes: clashes.slice(0, maxClashes),
    total: clashes.length,
  }
  return { plan, changes }
}

/** What two sides last had in common: where they have the same now, that is it. */
export function commonItems(before: KnownItems, ours: KnownItems, theirs: KnownItems): KnownItems {
  const common = new Map(before)
  for (const key of keysOf(before, ours, theirs)) {
    const now = ours.get(key)
    if (changeOf(now, theirs.get(key)) !== null) continue
    if (now === undefined) common.delete(key)
    else common.set(key, now)
  }
  return common
}

const keysOf = (...all: readonly KnownItems[]): string[] =>
  [...new Set(all.flatMap((items) => [...items.keys()]))].toSorted()

/** The step that compares a site with its staging site, and keeps what a push would do. @param seconds until it is ended */
export const comparisonStep = (
  seconds: number,
  compare: (step: StepContext) => Promise<PushPlan>,
  keep: (plan: PushPlan) => Promise<void>,
): EngineStep => ({
  key: 'compare',
  label: 'Compare both sites',
  weight: 1,
  deadlineSeconds: seconds,
  async run(step) {
    const plan = await compare(step)
    const clashes = plan.files.total + (plan.database?.total ?? 0)
    step.log(clashes === 0 ? 'Nothing changed on both sides' : `Changed on both sides: ${clashes}`)
    await keep(plan)
    step.progress(1)
  },
})

/** The error for a plan that is not true any more. */
export function planChanged(): EngineError {
  return new EngineError('conflict', msg`Something changed since the plan was made.`, {
    nextAction: msg`Plan the push again, and look at what is different.`,
  })
}
