import { defineMethod, type Method } from '#server/contracts/method.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { parseTimestamp } from '#server/jobs/clock.ts'
import { BackupScheduleDoctype } from '#shared/doctypes/backup-schedule.ts'
import { SiteBackupDoctype } from '#shared/doctypes/site-backup.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { data, int } from '#shared/fields.ts'
import { msg } from '#shared/localized-message.ts'
import { previewedRetention } from '#shared/responses/backups.ts'
import { retentionDefaults, type Retention } from '#shared/rules/backups.ts'
import { takenNow } from './discard.ts'
import { retained } from './retention.ts'
import { scheduleOf } from './schedule-of.ts'

/** Names of the backups that are ready, and which of them stay: of a site, or of all sites that have the schedule of their organization. */
export async function retainedOf(
  tx: Tx,
  { organization, site }: { readonly organization: string; readonly site: string | null },
  retention: Retention,
  timeZone: string,
): Promise<{ keep: string[]; delete: string[] }> {
  const backups = await tx.listFields(
    SiteBackupDoctype,
    ['name', 'site', 'proof', 'pinned', 'taken_at', 'creation'],
    [
      site === null ? ['organization', '=', organization] : ['site', '=', site],
      ['status', '=', 'Ready'],
      // EasyEngine removes its own ones by its own rule.
      ['kind', '!=', 'imported'],
    ],
  )
  const sites = new Set(site === null ? await sharingSites(tx, organization) : [site])
  const taken = await takenNow(tx, organization)
  // A restore can be undone as long as its backup is there.
  const restored = await tx.listFields(
    SiteDoctype,
    ['restored_from'],
    [
      ['organization', '=', organization],
      ['restored_from', 'is', 'set'],
    ],
  )
  const needed = taken.union(new Set(restored.map((one) => one.restored_from)))
  const known = backups.map((backup) => ({ ...backup, at: parseTimestamp(backup.taken_at ?? backup.creation) }))
  const found: { keep: string[]; delete: string[] } = { keep: [], delete: [] }
  for (const [of, own] of Map.groupBy(known, (backup) => backup.site)) {
    if (!sites.has(of)) continue
    const stay = retained(own, retention, timeZone)
    for (const { name } of own) found[stay.has(name) || needed.has(name) ? 'keep' : 'delete'].push(name)
  }
  return found
}

/** Sites of an organization that have no schedule of their own. */
export async function sharingSites(
  tx: Tx,
  organization: string,
  status?: readonly Site['status'][],
): Promise<string[]> {
  const within = ['organization', '=', organization] as const
  const own = await tx.listFields(BackupScheduleDoctype, ['site'], [within, ['site', 'is', 'set']])
  const withOwn = new Set(own.map((schedule) => schedule.site))
  const sites = await tx.listFields(SiteDoctype, ['name'], status ? [within, ['status', 'in', status]] : [within])
  return sites.map(({ name }) => name).filter((name) => !withOwn.has(name))
}

/** What a schedule would delete, before anything is. */
export const previewRetentionMethod: Method = defineMethod({
  name: 'easydash.api.backups.preview_retention',
  access: 'member',
  verbs: ['GET', 'POST'],
  tokens: 'sites:read',
  params: {
    site: data(),
    organization: data({ description: 'Instead of a site: all that have no schedule of their own.' }),
    time_zone: data({ format: 'timezone', description: 'That of the schedule, if it is to be another one.' }),
    ...Object.fromEntries(
      Object.keys(retentionDefaults).map((name) => [name, int({ default: 0, min: 0, max: 1_000 })]),
    ),
  },
  description: 'Which backups would stay with a retention, and which would be deleted.',
  returns: previewedRetention,
  async run({ site, organization, time_zone: timeZone, ...numbers }, { session, documents }) {
    const retention = Object.fromEntries(
      Object.keys(retentionDefaults).map((name) => [name, Number(Reflect.get(numbers, name) ?? 0)]),
    ) as Retention
    if (!site && !organization) throw new AppError('invalid', msg`Name a site or an organization.`, { field: 'site' })
    // The gate decides who can read the site, and shows this field to those who see all sites.
    const of = await documents.get(session, site ? 'Site' : 'Organization', site || organization || '')
    if (!site && Reflect.get(of, 'backup_store') === undefined)
      throw new AppError('forbidden', msg`Only those who see all sites of the organization can ask for this.`)
    return documents.transaction(session, async (tx) => {
      const doc = site ? await tx.get(SiteDoctype, site) : null
      const place = { organization: doc?.organization ?? organization ?? '', site: doc?.name ?? null }
      const schedule = doc
        ? await scheduleOf(tx, doc)
        : await tx.find(BackupScheduleDoctype, [
            ['organization', '=', place.organization],
            ['site', 'is', 'not set'],
          ])
      return retainedOf(tx, place, retention, timeZone || schedule?.time_zone || 'Etc/UTC')
    })
  },
})
