/** At which moments of a site's creation which part of the product is killed: generated, the same in each run. */
import fc from 'fast-check'
import { crashPointName, type stepMoments } from '#server/jobs/crash-point.ts'

/** Steps of the creation of a WordPress, in their order. */
const steps = ['prepare_core', 'copy_files', 'start_php', 'install', 'check', 'check_page'] as const

/** Moments of a step, in their order; `during` is as soon as something of its work can be seen from outside. */
const moments = ['before-intent', 'after-intent', 'during', 'after-run', 'after-record'] as const

/** How many points each part gets: of all, and of those the short run takes. */
const counts = {
  server: { all: 7, short: 2 },
  database: { all: 5, short: 1 },
  engine: { all: 6, short: 2 },
  worker: { all: 2, short: 0 },
} as const

/** A part of the product that is killed: `engine` is the PHP process of the site, `worker` a second process for jobs. */
export type Target = keyof typeof counts

/** One kill. */
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

/** All twenty points in the order of their targets, or the sample of the short run. */
export function killPoints(long: boolean): KillPoint[] {
  const every = steps.flatMap((step) => moments.map((moment) => ({ step, moment })))
  return (Object.keys(counts) as Target[]).flatMap((target, index) => {
    const fit = target === 'engine' ? every.filter(phpRuns) : every
    const [shuffled = []] = fc.sample(fc.shuffledSubarray(fit, { minLength: fit.length }), {
      seed: 2026 + index,
      numRuns: 1,
    })
    const { all, short } = counts[target]
    return spread(shuffled)
      .slice(0, long ? all : short)
      .map((point) => ({ target, ...point }))
  })
}

/** No step comes again before every other one came as often. */
function spread<Point extends { step: string }>(points: readonly Point[]): Point[] {
  const rounds = Map.groupBy(points, (point) => points.filter((one) => one.step === point.step).indexOf(point))
  return [...rounds.keys()].toSorted((a, b) => a - b).flatMap((round) => rounds.get(round) ?? [])
}

/** Where the server has to stand still: `during` is what follows the intent. */
export function stopPoint({ step, moment }: KillPoint): string {
  const at: (typeof stepMoments)[number] = moment === 'during' ? 'after-intent' : moment
  return crashPointName('site.create', at, step)
}

/** E.g. "server after-run of install". */
export function describePoint({ target, step, moment }: KillPoint): string {
  return `${target} ${moment} of ${step}`
}
