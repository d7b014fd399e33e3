/** Which part of the product is killed at which moment of a site's creation: generated, identical in each run. */
import fc from 'fast-check'
import { crashPointName, type stepCrashPoints } from '#server/jobs/crash-point.ts'

/** Steps of a WordPress creation, in order. */
const steps = ['prepare_core', 'copy_files', 'start_php', 'install', 'check', 'check_page'] as const

/** Moments of a step, in order; `during` is as soon as some of its work is visible from outside. */
const moments = ['before-intent', 'after-intent', 'during', 'after-run', 'after-record'] as const

/** Number of points per part: in total, and in the short run. */
const counts = {
  server: { all: 7, short: 2 },
  database: { all: 5, short: 1 },
  engine: { all: 6, short: 2 },
  worker: { all: 2, short: 0 },
} as const

/** The part to kill: `engine` is the site's PHP process, `worker` a second process for jobs. */
export type Target = keyof typeof counts

/** A kill. */
export interface KillPoint {
  target: Target
  step: (typeof steps)[number]
  moment: (typeof moments)[number]
}

/** A site's PHP runs from within `start_php` on. */
function phpRuns({ step, moment }: Pick<KillPoint, 'step' | 'moment'>): boolean {
  if (step === 'start_php') return !['before-intent', 'after-intent'].includes(moment)
  return steps.indexOf(step) > steps.indexOf('start_php')
}

/** All twenty points, ordered by target, or the sample of the short run. */
export function killPoints(long: boolean): KillPoint[] {
  const every = steps.flatMap((step) => moments.map((moment) => ({ step, moment })))
  return (Object.keys(counts) as Target[]).flatMap((target, index) => {
    const fit = target === 'engine' ? every.filter(phpRuns) : every
    const [shuffled = []] = fc.sample(fc.shuffledSubarray(fit, { minLength: fit.length }), {
      seed: 2026 + index,
      numRuns: 1,
    })
    const { all, short } = counts[target]
    return interleave(shuffled)
      .slice(0, long ? all : short)
      .map((point) => ({ target, ...point }))
  })
}

/** Distributes the points evenly over the steps. */
function interleave<Point extends { step: string }>(points: readonly Point[]): Point[] {
  const rounds = Map.groupBy(points, (point) => points.filter((one) => one.step === point.step).indexOf(point))
  return [...rounds.keys()].toSorted((a, b) => a - b).flatMap((round) => rounds.get(round) ?? [])
}

/** Crash point where the server stops: `during` follows the intent. */
export function stopPoint({ step, moment }: KillPoint): string {
  const at: (typeof stepCrashPoints)[number] = moment === 'during' ? 'after-intent' : moment
  return crashPointName('site.create', at, step)
}

/** E.g. "server after-run of install". */
export function describePoint({ target, step, moment }: KillPoint): string {
  return `${target} ${moment} of ${step}`
}
