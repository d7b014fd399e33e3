import type { PushPlan, PushSide, PushWhat } from '#shared/responses/push-plan.ts'
import { t } from './messages.ts'

type Kind = NonNullable<PushPlan['database']>['clashes'][number]['kind'] | 'files'

const labels: Readonly<Record<Kind, () => string>> = {
  files: () => t('kind.files'),
  posts: () => t('kind.posts'),
  comments: () => t('kind.comments'),
  users: () => t('kind.users'),
  terms: () => t('kind.terms'),
  options: () => t('kind.options'),
  orders: () => t('kind.orders'),
  other: () => t('kind.other'),
  database: () => t('kind.database'),
}

/** What a kind of content is called. */
export const kindLabel = (kind: Kind): string => labels[kind]()

/** What happened to a file or row. */
export const whatLabel = (what: PushWhat): string =>
  what === 'add' ? t('push.do_add') : what === 'change' ? t('push.do_change') : t('push.do_delete')

/** How much changed on a side. */
export const changesOf = ({ added, changed, deleted }: PushSide): number => added + changed + deleted

/** The same in words. */
export function sideText({ added, changed, deleted }: PushSide): string {
  const parts = [
    ...(added > 0 ? [t('push.added', { count: added })] : []),
    ...(changed > 0 ? [t('push.changed', { count: changed })] : []),
    ...(deleted > 0 ? [t('push.deleted', { count: deleted })] : []),
  ]
  return parts.length === 0 ? t('push.no_changes') : parts.join(', ')
}

/** One side of it. */
interface ClashSide {
  readonly op: PushWhat
  readonly value: string
  readonly hidden: boolean
}

/** A clash of any kind, as the list shows it. */
export interface ShownClash {
  readonly id: string
  readonly kind: Kind
  readonly type: 'changed' | 'number'
  readonly label: string
  readonly detail: string
  readonly staging: ClashSide
  readonly live: ClashSide
}

/** Clashes of a part of a plan, by kind, with the number of those that are not listed. */
export interface ClashGroup {
  readonly kind: Kind
  readonly clashes: readonly ShownClash[]
}

/** The clashes of what is to be pushed. */
export function clashGroups(plan: PushPlan, parts: { files: boolean; database: boolean }): ClashGroup[] {
  const files = parts.files
    ? plan.files.clashes.map(({ id, path, staging, live }): ShownClash => ({
        ...{ id, kind: 'files', type: 'changed', label: path, detail: '' },
        staging: { op: staging, value: '', hidden: false },
        live: { op: live, value: '', hidden: false },
      }))
    : []
  const all: ShownClash[] = [...files, ...(parts.database ? (plan.database?.clashes ?? []) : [])]
  return [...new Set(all.map(({ kind }) => kind))].map((kind) => ({
    kind,
    clashes: all.filter((clash) => clash.kind === kind),
  }))
}

/** How many clashes are not listed. */
export function unlisted(plan: PushPlan, parts: { files: boolean; database: boolean }): number {
  const files = parts.files ? plan.files.total - plan.files.clashes.length : 0
  const database = parts.database && plan.database ? plan.database.total - plan.database.clashes.length : 0
  return files + database
}
