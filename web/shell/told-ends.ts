import { isObject } from '#shared/parse-json.ts'
import type { EndedJob } from './job-end-toasts.ts'

/** What a tab knows of the ends of a user's jobs. All times are the server's. */
export interface ToldEnds {
  /** The newest ends. A job that is retried ends again. */
  readonly ends: readonly string[]
  /** Ends up to this time count as told, because the list no longer reached back to them. */
  readonly until: string
}

const prefix = 'easydash:told:'

/** One end of a job. */
const endOf = ({ name, ended }: Pick<EndedJob, 'name' | 'ended'>): string => `${name} ${ended ?? ''}`

/** Of the newest ended jobs, those whose end is not told yet. Nothing is known at first (null): then all are old. */
export function untoldJobs<T extends EndedJob>(newest: readonly T[], told: ToldEnds | null): T[] {
  if (told === null) return []
  return newest.filter((job) => (job.ended ?? '') > told.until && !told.ends.includes(endOf(job)))
}

/** What is known after the ends of these jobs are told; `limit` is how many jobs the list has at most. */
export function toldAfter(newest: readonly EndedJob[], told: ToldEnds | null, limit: number): ToldEnds {
  const last = newest.length === limit ? (newest.at(-1)?.ended ?? '') : ''
  const before = told?.until ?? ''
  return { ends: newest.map(endOf), until: last > before ? last : before }
}

/** What this tab knew before it was reloaded; null if nothing. */
export function storedEnds(user: string, organization: string): ToldEnds | null {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(prefix + user + organization) ?? 'null')
    if (!isObject(kept) || !Array.isArray(kept['ends']) || typeof kept['until'] !== 'string') return null
    return { ends: kept['ends'].map(String), until: kept['until'] }
  } catch {
    // Storage is blocked or holds data of another version.
    return null
  }
}

/** Keeps what this tab knows for after a reload. */
export function storeEnds(user: string, organization: string, told: ToldEnds): void {
  try {
    sessionStorage.setItem(prefix + user + organization, JSON.stringify(told))
  } catch {
    // Storage is blocked: a reload forgets it.
  }
}
