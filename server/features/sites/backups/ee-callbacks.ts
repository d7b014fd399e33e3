import { randomBytes } from 'node:crypto'
import * as z from 'zod/mini'
import { defineMethod, type Method } from '#server/contracts/method.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { formatTimestamp, systemClock } from '#server/jobs/clock.ts'
import { systemSession } from '#server/jobs/session.ts'
import { SiteBackupDoctype, type SiteBackup } from '#shared/doctypes/site-backup.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { data, json, text } from '#shared/fields.ts'
import { msg, serializeMessage } from '#shared/localized-message.ts'
import { parseJson } from '#shared/parse-json.ts'
import { easyengineBackups } from '#shared/rules/backups.ts'
import { registeredDocument } from '#shared/responses/easyengine.ts'
import type { SitesDeps } from '../deps.ts'
import { showAtSite } from './backup-parts.ts'
import { expectReport, reportArrived, silentReports } from './expected-reports.ts'

const base = 'easydash.easydash.doctype.site_backup.site_backup'
const aad = 'Site Backup/easyengine'
/** EasyEngine waits up to a day for its lock, then packs, uploads and tries its call again. */
const lifeMs = 30 * 3_600_000

/**
 * What `ee site backup --dash-auth=` of a site takes, once: the name of a backup that does not exist yet, and what proves that it was asked
 * for here. The backup appears when EasyEngine calls, or when it can't any more.
 */
export async function dashAuthOf(
  { secrets, clock = systemClock }: Pick<SitesDeps, 'secrets' | 'clock'>,
  tx: Tx,
  site: Site,
): Promise<{ dash_auth: string; until: string }> {
  const asked = clock.now()
  const until = asked + lifeMs
  const backup = `${site.name}-${randomBytes(5).toString('hex')}`
  const key = await secrets.seal(site.organization, aad, JSON.stringify({ backup, until }))
  await expectReport(tx, { backup, site: site.name, asked: formatTimestamp(asked) })
  return { dash_auth: `${backup}:${Buffer.from(key).toString('base64url')}`, until: formatTimestamp(until) }
}

/** What a callback shows. */
interface Shown {
  readonly site: string
  readonly backup: string
  readonly verify: string
}

/**
 * Records how a backup of EasyEngine ended, for whoever shows the key that it was asked for with. EasyEngine repeats a call whose answer it
 * did not get, and removes a backup that we don't confirm: the second one changes nothing and gets the same answer.
 */
async function record(
  deps: SitesDeps,
  { site: domain, backup, verify }: Shown,
  values: (now: string) => Partial<SiteBackup>,
): Promise<{ name: string }> {
  const { secrets, clock = systemClock } = deps
  const run = <T>(work: (tx: Tx) => Promise<T>) => deps.documents().transaction(systemSession('job'), work)
  const name = /^([a-z0-9]{10})-[a-f0-9]{10}$/.exec(backup)?.[1] ?? ''
  const site = await run((tx) => tx.get(SiteDoctype, name))
  const sealed = Buffer.from(verify, 'base64url').toString()
  const shown = site ? parseJson(await secrets.open(site.organization, aad, sealed).catch(() => '')) : null
  const isRight =
    site?.domain === domain &&
    typeof shown === 'object' &&
    shown !== null &&
    Reflect.get(shown, 'backup') === backup &&
    Number(Reflect.get(shown, 'until')) > clock.now()
  // Every wrong answer is the same.
  if (!isRight)
    throw new AppError('unauthorized', msg`The verification token is not that of this backup, or no longer valid.`, {
      nextAction: msg`Get a new one on the page of the site.`,
    })
  return run(async (tx) => {
    const at = formatTimestamp(clock.now())
    const made = await insertReported(tx, name, { ...values(at), reported_as: backup, taken_at: at }, at)
    if (made === null) throw new AppError('not_found', msg`The site no longer exists.`)
    return { name: made }
  })
}

/** Inserts a backup of EasyEngine, unless it is known, and shows it at its site. Returns its name; null without the site. */
async function insertReported(
  tx: Tx,
  site: string,
  values: Partial<SiteBackup> & { readonly reported_as: string },
  at: string,
): Promise<string | null> {
  // Of two calls at once the second sees the first.
  const now = await tx.get(SiteDoctype, site, { lock: true })
  if (!now) return null
  await reportArrived(tx, values.reported_as)
  const known = await tx.find(SiteBackupDoctype, [['reported_as', '=', values.reported_as]])
  if (known) return known.name
  const made = await tx.insert(SiteBackupDoctype.name, {
    organization: now.organization,
    site: now.name,
    site_domain: now.domain,
    site_type: now.site_type,
    server: now.server,
    kind: 'imported',
    store: easyengineBackups,
    ...values,
  })
  await showAtSite(tx, now.name, { backup_failed_at: made['status'] === 'Failed' ? at : null })
  return made.name
}

/**
 * Ends the backups that EasyEngine was given a key for and can't report any more. Who has a newer backup of the site by now is not told of one
 * that was perhaps not even begun.
 */
export async function endSilent({ documents, clock = systemClock }: SitesDeps): Promise<void> {
  const run = <T>(work: (tx: Tx) => Promise<T>) => documents().transaction(systemSession('schedule'), work)
  const at = formatTimestamp(clock.now())
  for (const { backup, site, asked } of await run((tx) => silentReports(tx, formatTimestamp(clock.now() - lifeMs))))
    await run(async (tx) => {
      const newer = await tx.count(SiteBackupDoctype, [
        ['site', '=', site],
        ['status', 'in', ['Ready', 'Restoring']],
        ['taken_at', '>', asked],
      ])
      if (newer > 0) return reportArrived(tx, backup)
      await insertReported(
        tx,
        site,
        {
          reported_as: backup,
          taken_at: asked,
          status: 'Failed',
          ...serializeMessage(
            'error_message',
            msg`EasyEngine did not report this backup within ${lifeMs / 3_600_000} hours: its command was not run, or did not reach this address. Look at /opt/easyengine/logs/ee.log on the server, then get a new key.`,
          ),
        },
        at,
      )
    })
}

const count = z.catch(z.number().check(z.int(), z.nonnegative(), z.maximum(1e12)), 0)
const shortText = (length: number) => z.catch(z.nullable(z.string().check(z.maxLength(length))), null)

/** What EasyEngine says of a backup (`easyengine.md`, section 8). A part that is none is left out: the call is answered all the same. */
const metadataSchema = z.object({
  post_count: count,
  page_count: count,
  comment_count: count,
  upload_count: count,
  plugin_count: count,
  theme_count: count,
  user_count: count,
  wp_version: shortText(40),
  remote_path: shortText(500),
})

const shownParams = {
  site: data({ reqd: true, length: 253, description: 'Domain of the site.' }),
  backup: data({ reqd: true, length: 40, description: 'The part of `--dash-auth` before the colon.' }),
  verify: data({ reqd: true, length: 4_000, description: 'The part after it.' }),
}
const guests = { access: 'guest', verbs: ['POST'] } as const

/** What EasyEngine's own `ee site backup --dash-auth` calls. */
export const eeBackupMethods = (deps: SitesDeps): Method[] => [
  defineMethod({
    name: `${base}.on_ee_backup_success`,
    ...guests,
    params: { ...shownParams, metadata: json<unknown>({ description: 'What was backed up, and where to.' }) },
    description: 'Records a backup that EasyEngine made and keeps, for EasyEngine.',
    returns: registeredDocument,
    run: ({ metadata, ...shown }) => {
      const { data: said } = metadataSchema.safeParse(typeof metadata === 'object' && metadata !== null ? metadata : {})
      return record(deps, shown, () => ({
        status: 'Ready',
        wordpress_version: said?.wp_version || null,
        remote_path: said?.remote_path ?? null,
        counts: said
          ? {
              ...{ posts: said.post_count, pages: said.page_count, comments: said.comment_count },
              ...{ uploads: said.upload_count, plugins: said.plugin_count, themes: said.theme_count },
              users: said.user_count,
            }
          : null,
      }))
    },
  }),
  defineMethod({
    name: `${base}.on_ee_backup_failure`,
    ...guests,
    params: {
      ...shownParams,
      error_message: text(),
      error_type: data({ length: 140 }),
      error_code: json<unknown>({ description: 'A number (`easyengine.md`, section 8).' }),
    },
    description: 'Records that a backup of EasyEngine failed, for EasyEngine.',
    returns: registeredDocument,
    run: ({ error_message: message, error_type: type, error_code: code, ...shown }) =>
      record(deps, shown, () => ({
        status: 'Failed',
        ...serializeMessage(
          'error_message',
          msg`EasyEngine says: “${(message ?? '').replaceAll(/\p{Cc}+/gu, ' ').slice(0, 500)}” (${(type ?? '').slice(0, 40)} ${String(Number(code) || '')})`,
        ),
      })),
  }),
]
