import { createHash } from 'node:crypto'
import { pushKinds, type DatabasePlan, type PushKind, type PushPlan } from '#shared/responses/push-plan.ts'
import { compareFileLists, sideOf, type Change } from '../compare-sides.ts'
import type { PushLoss } from '../site-staging.ts'
import type { KnownDatabase } from './database-items.ts'
import type { KnownContent } from './known-content.ts'

/** What a site and its staging site had when they were last the same. */
export interface CommonState {
  /** What the site had when it was copied, or after a push. */
  readonly base: KnownContent
  /** What the staging site had when it was ready, or was pushed: addresses and titles are its own. */
  readonly start: KnownContent
}

/** Both, then and now. */
interface StagedPair extends CommonState {
  readonly staging: KnownContent
  readonly live: KnownContent
}

/** What a push would do, with all changes of files. */
export interface ComparedPair extends CommonState {
  readonly plan: PushPlan
  readonly changes: readonly Change[]
  /** What was compared of the staging site. */
  readonly staging: KnownContent
}

/** Compares both. Files are merged; the database is pushed as a whole, so a site that changed it has to give that up. */
export function comparePair({ base, start, staging, live }: StagedPair): ComparedPair {
  const { plan: files, changes } = compareFileLists(base.files, staging.files, live.files, shownPath)
  const databases = [base.database, start.database, staging.database, live.database] as const
  const [before, first, ours, theirs] = databases
  const database =
    before === null || first === null || ours === null || theirs === null
      ? null
      : compareDatabases({ before, first, ours, theirs })
  return { plan: { files, database }, changes, base, start, staging }
}

const shownPath = (path: string): string => path.slice(0, 300)

function compareDatabases(
  sides: Readonly<Record<'before' | 'first' | 'ours' | 'theirs', KnownDatabase>>,
): DatabasePlan {
  const { before, first, ours, theirs } = sides
  const kinds = pushKinds.map((kind) => ({
    kind,
    staging: sideOf(first[kind], ours[kind], shownKey(kind)),
    live: sideOf(before[kind], theirs[kind], shownKey(kind)),
  }))
  const changed = (side: 'staging' | 'live') => kinds.some((one) => countOf(one[side]) > 0)
  const isClash = changed('staging') && changed('live')
  const digest = createHash('sha256').update(String(isClash))
  for (const kind of pushKinds)
    for (const key of [...ours[kind].keys()].toSorted()) digest.update(`${kind} ${key} ${ours[kind].get(key)?.hash}\n`)
  const sum = digest.digest('hex')
  const side = { op: 'change', value: '', hidden: false } as const
  return {
    digest: sum,
    kinds,
    clashes: isClash
      ? [
          {
            ...{ id: sum.slice(0, 16), kind: 'database', type: 'changed', label: '', detail: '' },
            ...{ staging: side, live: side },
          },
        ]
      : [],
    total: isClash ? 1 : 0,
    notes: [],
  }
}

const countOf = ({ added, changed, deleted }: { added: number; changed: number; deleted: number }): number =>
  added + changed + deleted

const shownKey =
  (kind: PushKind) =>
  (key: string): string =>
    (/^\d+$/.test(key) && kind !== 'options' ? `#${key}` : key).slice(0, 300)

/** Whether the database of staging takes the place of that of the site. */
export function takesDatabase(
  plan: DatabasePlan | null,
  { take, takeAll }: { readonly take: readonly string[]; readonly takeAll: readonly string[] },
): boolean {
  if (plan === null || plan.kinds.every(({ staging }) => countOf(staging) === 0)) return false
  return plan.clashes.every(({ id, kind }) => take.includes(id) || takeAll.includes(kind))
}

/** What changed between two times, of the kinds that did. */
export function lossBetween(before: KnownContent, now: KnownContent): Omit<PushLoss, 'at'> {
  const [old, current] = [before.database, now.database]
  const kinds =
    old === null || current === null
      ? []
      : pushKinds.map((kind) => ({ kind, changes: sideOf(old[kind], current[kind], shownKey(kind)) }))
  return {
    files: sideOf(before.files, now.files, shownPath),
    kinds: kinds.filter(({ changes }) => countOf(changes) > 0),
  }
}
