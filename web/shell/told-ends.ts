import { isObject } from '#shared/parse-json.ts'

/** A job or bulk run that has ended. */
interface Ended {
  readonly name: string
  readonly ended: string | null
}

/** What a tab knows of the ends of a user's jobs, or of their bulk runs. All times are the server's. */
export interface ToldEnds {
  /** The newest ends. A job that is retried ends again. */
  readonly ends: readonly string[]
  /** Ends up to this time count as told, because the list no longer reached back to them. */
  readonly until: string
}

/** What ends. */
type Kind = 'jobs' | 'runs'

const keyOf = (user: string, organization: string, kind: Kind) =>
  `easydash:told:${kind === 'jobs' ? '' : `${kind}:`}${user}${organization}`

/** One end of a job or bulk run. */
const endOf = ({ name, ended }: Ended): string => `${name} ${ended ?? ''}`

/** Of the newest that ended, those whose end is not told yet. Nothing is known at first (null): then all are old. */
export function untoldEnds<T extends Ended>(newest: readonly T[], told: ToldEnds | null): T[] {
  if (told === null) return []
  return newest.filter((job) => (job.ended ?? '') > told.until && !told.ends.includes(endOf(job)))
}

/** What is known after these ends are told; `limit` is how many the list has at most. */
export function toldAfter(newest: readonly Ended[], told: ToldEnds | null, limit: number): ToldEnds {
  const last = newest.length === limit ? (newest.at(-1)?.ended ?? '') : ''
  const before = told?.until ?? ''
  return { ends: newest.map(endOf), until: last > before ? last : before }
}

/** What this tab knew before it was reloaded; null if nothing. */
export function storedEnds(user: string, organization: string, kind: Kind = 'jobs'): ToldEnds | null {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(keyOf(user, organization, kind)) ?? 'null')
    if (!isObject(kept) || !Array.isArray(kept['ends']) || typeof kept['until'] !== 'string') return null
    return { ends: kept['ends'].map(String), until: kept['until'] }
  } catch {
    // Storage is blocked or holds data of another version.
    return null
  }
}

/** Keeps what this tab knows for after a reload. */
export function storeEnds(user: string, organization: string, told: ToldEnds, kind: Kind = 'jobs'): void {
  try {
    sessionStorage.setItem(keyOf(user, organization, kind), JSON.stringify(told))
  } catch {
    // Storage is blocked: a reload forgets it.
  }
}
