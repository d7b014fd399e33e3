import { sql } from 'kysely'
import type { Trx, Tx } from '#server/contracts/transaction.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { written, type Sentence } from '#shared/sentence.ts'

/**
 * Creates the table of sites' pictures where it is missing (part of the additive migration, after the documents' tables):
 * the picture itself, and whether a new one is wanted. It goes with its site. In the database, because every process that
 * answers people must have it, on whichever machine it was taken.
 */
export async function thumbnailTable(trx: Trx): Promise<void> {
  await sql`create table if not exists easydash_site_picture (
    site text primary key references tab_site (name) on delete cascade,
    wanted timestamp(6),
    tried timestamp(6),
    failed boolean not null default false,
    tag text,
    content bytea)`.execute(trx)
  await sql`alter table easydash_site_picture add column if not exists asked boolean not null default false`.execute(
    trx,
  )
  await sql`create index if not exists easydash_site_picture_wanted on easydash_site_picture (wanted) where wanted is not null`.execute(
    trx,
  )
}

/** A kept picture. */
export interface StoredThumbnail {
  readonly content: Buffer
  /** Changes with the content. */
  readonly tag: string
}

/** A site whose picture is wanted now. */
export interface ThumbnailRequest {
  readonly site: Pick<Site, 'name' | 'domain' | 'site_type' | 'php_version'>
  /** When it was asked for last. */
  readonly wanted: string
  /** Somebody waits for it, who is told when it cannot be taken now. */
  readonly asked: boolean
}

/** A picture is taken anew at a visit after this time; sooner when the last try failed. */
const freshMs = { taken: 24 * 3_600_000, failed: 3_600_000 }

/** Asks for a new picture, `asked` where a person does. It is taken when the site is Live and no job works on it. */
export async function requestThumbnail(tx: Tx, site: string, at: string, asked = false): Promise<void> {
  await sql`insert into easydash_site_picture as known (site, wanted, asked) values (${site}, ${at}, ${asked})
    on conflict (site) do update set wanted = excluded.wanted, asked = known.asked or excluded.asked`.execute(tx.trx)
}

/** Who asked for a picture was told that none can be taken now; it stays wanted. */
export async function answerThumbnailRequest(tx: Tx, { site, wanted }: ThumbnailRequest): Promise<void> {
  await sql`update easydash_site_picture set asked = false where site = ${site.name} and wanted = ${wanted}`.execute(
    tx.trx,
  )
}

/** The same where the last one is old or there is none. Returns whether it is wanted now and was not before. */
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

/** The site of an engine's host whose picture comes next: those people ask for first, then by time; null when none is. */
export async function nextThumbnailRequest(tx: Tx, engineHost: string): Promise<ThumbnailRequest | null> {
  const { rows } = await sql<ThumbnailRequest['site'] & Omit<ThumbnailRequest, 'site'>>`
    select site.name, site.domain, site.site_type, site.php_version, picture.wanted, picture.asked
    from easydash_site_picture picture join tab_site site on site.name = picture.site
    where picture.wanted is not null and site.engine_host = ${engineHost}
      and site.status = 'Live' and site.locked_by_job is null
    order by picture.asked desc, picture.wanted limit 1`.execute(tx.trx)
  const [row] = rows
  if (!row) return null
  const { wanted, asked, ...site } = row
  return { site, wanted, asked }
}

/** Fields of a site that tell of its picture. */
type PictureFields = Partial<Pick<Site, 'thumbnail' | 'thumbnail_taken'>> & {
  /** Why there is none; null when nothing is wrong. */
  problem?: Sentence | null
}

/**
 * Writes what a site's document tells of its picture. Nobody edited the site: `modified` stays, so that a form somebody
 * has open can still be saved; whoever watches the site hears of it all the same.
 */
export async function writeThumbnail(tx: Tx, site: Site, { problem, ...fields }: PictureFields): Promise<void> {
  const told = problem === undefined ? {} : written('thumbnail_problem', problem, 300)
  const values = Object.entries({ ...fields, ...told }).map(([name, value]) => sql`${sql.id(name)} = ${value}`)
  await sql`update tab_site set ${sql.join(values)} where name = ${site.name}`.execute(tx.trx)
  tx.wrote(SiteDoctype, [{ name: site.name, organization: site.organization, modified: site.modified }])
}

/** Keeps a picture, or remembers that a try gave none. A wish that came since the try began stays. */
export async function settleThumbnailRequest(
  tx: Tx,
  { site, wanted }: ThumbnailRequest,
  at: string,
  picture: StoredThumbnail | null,
): Promise<void> {
  const kept = picture === null ? sql`` : sql`, tag = ${picture.tag}, content = ${picture.content}`
  await sql`update easydash_site_picture set tried = ${at}, failed = ${picture === null},
    asked = asked and wanted <> ${wanted},
    wanted = case when wanted = ${wanted} then null else wanted end ${kept} where site = ${site.name}`.execute(tx.trx)
}

/** A site's picture; null when there is none. */
export async function readThumbnail(tx: Tx, site: string): Promise<StoredThumbnail | null> {
  const { rows } = await sql<{ tag: string | null; content: Buffer | null }>`
    select tag, content from easydash_site_picture where site = ${site}`.execute(tx.trx)
  const { tag = null, content = null } = rows[0] ?? {}
  return tag === null || content === null ? null : { tag, content }
}
