import * as z from 'zod/mini'
import { described, timestamp } from '../schema.ts'

const what = z.enum(['add', 'change', 'delete'])
const count = z.int().check(z.minimum(0))
const text = (length: number) => z.string().check(z.maxLength(length))

/** What changed on one side since the staging site was made. */
const side = z.object({
  added: count,
  changed: count,
  deleted: count,
  samples: described(
    z.array(z.object({ label: text(300), what })).check(z.maxLength(40)),
    'Some of them, in no special order',
  ),
})

const clashSide = z.object({
  op: what,
  value: text(200),
  hidden: described(z.boolean(), 'Whether the value is not shown because it is, or holds, a secret'),
})

/** Kinds of content in the database of WordPress. */
export const pushKinds = ['posts', 'comments', 'users', 'terms', 'options', 'orders', 'other'] as const

/** One of these. */
export type PushKind = (typeof pushKinds)[number]

/** Something that changed on both sides. */
const clash = z.object({
  id: described(text(16), 'Another one as soon as either side changes again'),
  kind: described(z.enum([...pushKinds, 'database']), '`database`: all content, where it is pushed as a whole'),
  type: described(
    z.enum(['changed', 'number']),
    '`number`: both sides made something new that got the same number; staging’s can get another one',
  ),
  label: text(200),
  detail: described(text(200), 'Names of what differs'),
  staging: clashSide,
  live: clashSide,
})

/** What a push of the database would do. */
export const databasePlan = z.object({
  digest: text(64),
  kinds: z.array(z.object({ kind: z.enum(pushKinds), staging: side, live: side })).check(z.maxLength(pushKinds.length)),
  clashes: z.array(clash).check(z.maxLength(100)),
  total: described(count, 'All clashes, of which the first are listed'),
  notes: described(
    z.array(z.object({ table: text(190), note: z.enum(['no_key', 'removed', 'columns']) })).check(z.maxLength(40)),
    'Tables that are not merged, or only in part',
  ),
})

/** What a push of the files would do. */
export const filesPlan = z.object({
  digest: text(64),
  staging: side,
  live: side,
  clashes: z.array(z.object({ id: text(16), path: text(300), staging: what, live: what })).check(z.maxLength(100)),
  total: count,
})

/** What a push from a staging site to its source would do. */
export const pushPlan = z.object({
  files: filesPlan,
  database: described(z.nullable(databasePlan), 'Null for a site without WordPress'),
})

/** What the dry run of `push_staging` returns. */
export const dryPush = z.object({
  files: described(side, 'Files that staging changed; nothing, unless `what` names files'),
  tables: described(
    z.array(z.object({ table: z.enum(pushKinds), added: count, changed: count, deleted: count })),
    'Content that staging changed, by the kind of content that its tables hold',
  ),
  clashes: described(
    z.array(z.object({ id: text(16), kind: z.enum(['files', ...pushKinds, 'database']), label: text(300) })),
    'Changed on both sides: it stays as it is on the live site, unless `take` or `take_all` names it',
  ),
})

/** What the dry run of `push_staging` returns. */
export type DryPush = z.infer<typeof dryPush>

/** The plan as stored. */
export const storedPushPlan = z.object({
  plan: z.nullable(pushPlan),
  made_at: z.nullable(z.string()),
})

/** What a push would do. */
export type PushPlan = z.infer<typeof pushPlan>
/** The part about the database. */
export type DatabasePlan = z.infer<typeof databasePlan>
/** What changed on one side. */
export type PushSide = z.infer<typeof side>
/** What happened to a file or row. */
export type PushWhat = z.infer<typeof what>

/** What a rollback of the last push would lose (`push_losses`). */
export const pushLosses = z.object({
  since: described(timestamp, 'When the site was pushed to'),
  files: described(side, 'Files that changed since then'),
  kinds: described(
    z.array(z.object({ kind: z.enum(pushKinds), changes: side })).check(z.maxLength(pushKinds.length)),
    'Content that changed since then, of the kinds that did',
  ),
})

/** What a rollback of the last push would lose. */
export type PushLosses = z.infer<typeof pushLosses>
