import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Trx, Tx } from '#server/contracts/transaction.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { serializeMessage, type LocalizedMessage } from '#shared/localized-message.ts'

/**
 * Creates the thumbnail table if it is missing (part of the additive migration, after the document tables): the image
 * itself, and whether a new one is requested. Rows are deleted with their site. Stored in the database because every process
 * serves it, on whichever machine it was taken.
 */
export async function thumbnailTable(trx: Trx): Promise<void> {
  await sql`create table if not exists easydash_site_picture (
    site text primary key references tab_site (name) on delete cascade,
    wanted timestamp(6),
    tried timestamp(6),
    failed boolean not null default false,
    asked boolean not null default false,
    tag text,
    content bytea)`.execute(trx)
  await sql`create index if not exists easydash_site_picture_wanted on easydash_site_picture (wanted) where wanted is not null`.execute(
    trx,
  )
}

/** A stored thumbnail. */
export interface StoredThumbnail {
  readonly content: Buffer
  /** Hash of the content. */
  readonly tag: string
}

/** A thumbnail as it is stored. */
export const storedThumbnail = (content: Buffer): StoredThumbnail => ({
  content,
  tag: createHash('sha256').update(content).digest('hex').slice(0, 16),
})

/** A site whose thumbnail is requested. */
export interface ThumbnailRequest {
  readonly site: Pick<Site, 'name' | 'domain' | 'site_type' | 'php_version'> & Partial<Pick<Site, 'is_found' | 'url'>>
  /** Time of the last request. */
  readonly wanted: string
  /** Requested by a user, who gets a message if it cannot be taken now. */
  readonly requestedByUser: boolean
}

/** Age after which a visit requests a new thumbnail; shorter after a failed attempt. */
const freshMs = { taken: 24 * 3_600_000, failed: 3_600_000 }

/** Requests a new thumbnail. It is taken when the site is Live and has no active job. */
export async function requestThumbnail(tx: Tx, site: string, at: string, requestedByUser = false): Promise<void> {
  await sql`insert into easydash_site_picture as known (site, wanted, asked) values (${site}, ${at}, ${requestedByUser})
    on conflict (site) do update set wanted = excluded.wanted, asked = known.asked or excluded.asked`.execute(tx.trx)
}

/** Least time between two thumbnails of a site that is changed again and again. */
const changedMs = 120_000

/**
 * Requests a new thumbnail after a change without a job, of which there may be many in a row: a site gets at most one in two
 * minutes, and the last change is in one of them. Does nothing for a site that is not Live: its next job requests one.
 */
export async function requestChangedThumbnail(tx: Tx, site: string, at: string): Promise<void> {
  await sql`insert into easydash_site_picture as known (site, wanted)
    select name, ${at}::timestamp from tab_site where name = ${site} and status = 'Live'
    on conflict (site) do update set wanted =
      greatest(excluded.wanted, known.tried + ${changedMs}::int * interval '1 millisecond')`.execute(tx.trx)
}

/** Notes that the user got the message that no thumbnail can be taken now; the request stays. */
export async function answerThumbnailRequest(tx: Tx, { site, wanted }: ThumbnailRequest): Promise<void> {
  await sql`update easydash_site_picture set asked = false where site = ${site.name} and wanted = ${wanted}`.execute(
    tx.trx,
  )
}

/** Requests a new thumbnail if the last one is old or missing. Returns whether this added a request. */
export async function requestStaleThumbnail(tx: Tx, site: string, at: string): Promise<boolean> {
  const { numAffectedRows } = await sql`insert into easydash_site_picture as known (site, wanted)
    select name, ${at}::timestamp from tab_site where name = ${site} and status = 'Live'
    on conflict (site) do update set wanted = excluded.wanted
    where known.wanted is null and (known.tried is null or known.tried < excluded.wanted
      - (case when known.failed then ${freshMs.failed}::int else ${freshMs.taken}::int end) * interval '1 millisecond')`.execute(
    tx.trx,
  )
  return (numAffectedRows ?? 0n) > 0n
}

/** The next request for an engine's host that is due: those by users first, then by time; null if there is none. */
export async function nextThumbnailRequest(tx: Tx, engineHost: string, now: string): Promise<ThumbnailRequest | null> {
  const { rows } = await sql<ThumbnailRequest['site'] & Omit<ThumbnailRequest, 'site'>>`
    select site.name, site.domain, site.site_type, site.php_version, site.is_found, site.url, request.wanted, request.asked as "requestedByUser"
    from easydash_site_picture request join tab_site site on site.name = request.site
    where request.wanted is not null and (request.wanted <= ${now} or request.asked) and site.engine_host = ${engineHost}
      and site.status = 'Live' and site.locked_by_job is null
    order by request.asked desc, request.wanted limit 1`.execute(tx.trx)
  const [row] = rows
  if (!row) return null
  const { wanted, requestedByUser, ...site } = row
  return { site, wanted, requestedByUser }
}

/** Thumbnail fields of a site. */
type ThumbnailFields = Partial<Pick<Site, 'thumbnail' | 'thumbnail_taken'>> & {
  /** Why there is none; null if nothing is wrong. */
  problem?: LocalizedMessage | null
}

/**
 * Writes the thumbnail fields of a site. This is not an edit, so `modified` stays and open forms can still be saved;
 * subscribers are notified.
 */
export async function writeThumbnail(tx: Tx, site: Site, { problem, ...fields }: ThumbnailFields): Promise<void> {
  const problemFields = problem === undefined ? {} : serializeMessage('thumbnail_problem', problem, 300)
  await tx.updateColumns(SiteDoctype, site.name, { ...fields, ...problemFields })
  tx.emitEvents(SiteDoctype, [{ name: site.name, organization: site.organization, modified: site.modified }])
}

/** Stores a thumbnail, or a failed attempt. A request made since the attempt began stays. */
export async function settleThumbnailRequest(
  tx: Tx,
  { site, wanted }: ThumbnailRequest,
  at: string,
  thumbnail: StoredThumbnail | null,
): Promise<void> {
  const kept = thumbnail === null ? sql`` : sql`, tag = ${thumbnail.tag}, content = ${thumbnail.content}`
  await sql`update easydash_site_picture set tried = ${at}, failed = ${thumbnail === null},
    asked = asked and wanted <> ${wanted},
    wanted = case when wanted = ${wanted} then null else wanted end ${kept} where site = ${site.name}`.execute(tx.trx)
}

/** A site's thumbnail, or null. */
export async function readThumbnail(tx: Tx, site: string): Promise<StoredThumbnail | null> {
  const { rows } = await sql<{ tag: string | null; content: Buffer | null }>`
    select tag, content from easydash_site_picture where site = ${site}`.execute(tx.trx)
  const { tag = null, content = null } = rows[0] ?? {}
  return tag === null || content === null ? null : { tag, content }
}
