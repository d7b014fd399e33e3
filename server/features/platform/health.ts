import { diskSpace } from '#server/platform/files/disk-space.ts'
import { freemem, totalmem } from 'node:os'
import { sql } from 'kysely'
import { defineMethod, type Method } from '#server/contracts/method.ts'
import { countMails } from '#server/platform/mail/mail-outbox.ts'
import type { Health, WordPressHealth } from '#shared/responses/health.ts'
import { formatTimestamp } from '#server/jobs/clock.ts'
import type { PlatformDeps } from './deps.ts'
import { health as healthSchema } from '#shared/responses/health.ts'

/** Minimum free space; below it the data folder counts as full. */
const minDiskBytes = 1024 ** 3
/** A job queued for longer than this counts as stuck. */
const longestWaitSeconds = 900

/** `easydash.api.platform.health`: metrics of the installation, without paths, addresses or settings. */
export function healthMethod(deps: PlatformDeps): Method {
  return defineMethod({
    name: 'easydash.api.platform.health',
    access: 'platform',
    verbs: ['GET', 'POST'],
    description:
      'Database, migrations, disk, memory, queue, WordPress cache, screenshots, mail, payments, errors, version and uptime. `ok` is false when one of the parts is not.',
    returns: healthSchema,
    run: () => health(deps),
  })
}

async function health(deps: PlatformDeps): Promise<Health> {
  const [database, migrations, disk, queue, mail, wordpress_cache, payments, web_processes] = await Promise.all([
    databaseHealth(deps),
    deps.schema.isCurrent().then((ok) => ({ ok, schema_version: deps.schema.version })),
    diskHealth(deps),
    queueHealth(deps),
    mailHealth(deps),
    wordpressHealth(deps),
    deps.payments(),
    deps.webProcesses(),
  ])
  return {
    ok: [database, migrations, disk, queue, mail, payments].every((part) => part?.ok !== false),
    version: deps.version,
    node: process.versions.node,
    uptime_seconds: Math.round(process.uptime()),
    database,
    migrations,
    disk,
    memory: { ...memory(), web_processes },
    queue,
    // Not part of `ok`: the first site fetches a version, and newer ones are checked for automatically.
    wordpress_cache,
    pictures: thumbnailsHealth(deps),
    mail,
    payments,
    errors: deps.errors(),
  }
}

async function databaseHealth({ database }: PlatformDeps) {
  const began = performance.now()
  const { rows } = await sql<{ version: string; bytes: number; connections: number }>`
    select current_setting('server_version') as version, pg_database_size(current_database()) as bytes,
      (select count(*) from pg_stat_activity where datname = current_database()) as connections`.execute(database.db)
  const row = rows[0]
  return {
    ok: row !== undefined,
    took_ms: Math.round((performance.now() - began) * 10) / 10,
    version: row?.version ?? null,
    size_bytes: row?.bytes ?? null,
    connections: row?.connections ?? null,
  }
}

async function diskHealth({ config, log }: PlatformDeps) {
  try {
    const { free, total } = await diskSpace(config.dataDir)
    return { ok: free > minDiskBytes, free_bytes: free, total_bytes: total }
  } catch (error) {
    // An unavailable disk is what this report is for, so it is not an error of the call.
    log.error('The data folder cannot be looked at', { error })
    return { ok: false, free_bytes: null, total_bytes: null }
  }
}

function memory() {
  const { rss, heapUsed } = process.memoryUsage()
  return {
    process_bytes: rss,
    heap_bytes: heapUsed,
    system_free_bytes: freemem(),
    system_total_bytes: totalmem(),
  }
}

async function queueHealth({ database }: PlatformDeps) {
  const { rows } = await sql<{ queued: number; running: number; lost: number; failed: number; oldest: number | null }>`
    select count(*) filter (where status = 'Queued') as queued,
      count(*) filter (where status in ('Running', 'Cancelling')) as running,
      count(*) filter (where status = 'Lost Contact') as lost,
      count(*) filter (where status = 'Failed' and ended > (now() at time zone 'utc') - interval '24 hours') as failed,
      extract(epoch from (now() at time zone 'utc') - min(creation)
        filter (where status = 'Queued' and waiting_call is null))::float8 as oldest
    from tab_job`.execute(database.db)
  const row = rows[0]
  const oldest = row?.oldest == null ? null : Math.max(0, Math.round(row.oldest))
  return {
    ok: (row?.lost ?? 0) === 0 && (oldest ?? 0) <= longestWaitSeconds,
    queued: row?.queued ?? 0,
    running: row?.running ?? 0,
    lost_contact: row?.lost ?? 0,
    failed_24h: row?.failed ?? 0,
    oldest_queued_seconds: oldest,
  }
}

async function wordpressHealth({ wordpressVersions }: PlatformDeps): Promise<WordPressHealth | null> {
  const found = await wordpressVersions()
  if (found === null) return null
  const { versions, fallback, lastTry, lastFailed } = found
  return {
    versions,
    fallback,
    last_try: lastTry === null ? null : formatTimestamp(lastTry),
    last_failed: lastFailed,
  }
}

function thumbnailsHealth({ thumbnails }: PlatformDeps): Health['pictures'] {
  const found = thumbnails()
  return found && { state: found.state, next_try: found.nextTry === null ? null : formatTimestamp(found.nextTry) }
}

async function mailHealth({ config, database }: PlatformDeps) {
  const counts = await countMails(database.db)
  return { ok: counts.failed === 0 && counts.delayed === 0, smtp: config.smtpUrl !== null, ...counts }
}
