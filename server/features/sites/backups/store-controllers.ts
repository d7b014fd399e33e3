import { controller, type Controller } from '#server/contracts/controller.ts'
import { defineMethod, type Method } from '#server/contracts/method.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { BackupScheduleDoctype } from '#shared/doctypes/backup-schedule.ts'
import { ConnectionDoctype, type Connection } from '#shared/doctypes/connection.ts'
import { connectionKinds } from '#shared/doctypes/connections.ts'
import { OrganizationDoctype } from '#shared/doctypes/organization.ts'
import { SiteBackupDoctype } from '#shared/doctypes/site-backup.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { AppError } from '#shared/errors.ts'
import { data } from '#shared/fields.ts'
import { msg, plural, type LocalizedMessage } from '#shared/localized-message.ts'
import { backupStores } from '#shared/responses/backups.ts'
import { localBackups } from '#shared/rules/backups.ts'
import type { SitesDeps } from '../deps.ts'
import { storeOf } from './stores.ts'

/** Connections and organizations as stores of backups. */
export function storeControllers(deps: SitesDeps): Controller[] {
  return [
    controller(ConnectionDoctype, {
      async validate(doc, before, { tx }) {
        assertPrice(doc)
        if (!before || doc.kind !== connectionKinds.bucket) return
        const moved = (['bucket_name', 'bucket_endpoint'] as const).find((field) => doc[field] !== before[field])
        if (moved === undefined || before[moved] === null) return
        const count = await storedIn(tx, doc.name)
        if (count > 0)
          throw new AppError('invalid', liesThere(count), {
            field: moved,
            nextAction: msg`Add another connection for the other bucket.`,
          })
      },

      async before_delete(doc, { tx }) {
        if (doc.kind !== connectionKinds.bucket) return
        const organization = await tx.get(OrganizationDoctype, doc.organization)
        const count = await storedIn(tx, doc.name)
        if (count > 0)
          throw new AppError('conflict', liesThere(count), {
            nextAction: msg`Delete these backups first: without the connection nobody can restore them.`,
          })
        await assertNotChosen(tx, doc, organization?.backup_store ?? null)
      },

      async after_delete(doc, { tx }) {
        // What their store refused to delete stays there; nobody here can ask for it any more.
        const left = await tx.listFields(
          SiteBackupDoctype,
          ['name'],
          [
            ['store', '=', doc.name],
            ['status', '=', 'Expired'],
          ],
        )
        for (const { name } of left) await tx.delete(SiteBackupDoctype, name, { activity: false })
      },
    }),

    controller(OrganizationDoctype, {
      async validate(doc, before, { tx }) {
        doc.backup_store ??= localBackups
        if (doc.backup_store === (before?.backup_store ?? localBackups)) return
        await storeOf(deps, tx, { organization: doc.name, store: doc.backup_store }).catch((error: unknown) => {
          if (!(error instanceof AppError) || error.code !== 'invalid') throw error
          throw new AppError('invalid', error.localized, {
            field: 'backup_store',
            excType: 'ValidationError',
            ...(error.nextAction && { nextAction: error.nextAction }),
            cause: error,
          })
        })
      },
    }),
  ]
}

/** A price says what it is of, and in which currency. */
function assertPrice({ kind, bucket_price: price, bucket_price_currency: currency }: Connection): void {
  const refused = (field: string, message: LocalizedMessage) =>
    new AppError('invalid', message, { field, excType: 'ValidationError' })
  if (price !== null && kind !== connectionKinds.bucket)
    throw refused('bucket_price', msg`Only a connection to a bucket has a price per GB.`)
  if (price !== null && currency === null)
    throw refused('bucket_price_currency', msg`Choose the currency of the price.`)
}

/** Backups that are in a store, or on their way there. */
const storedIn = (tx: Tx, store: string): Promise<number> =>
  tx.count(SiteBackupDoctype, [
    ['store', '=', store],
    ['status', 'in', ['Queued', 'Running', 'Ready', 'Restoring']],
  ])

const liesThere = (count: number): LocalizedMessage =>
  plural(count, msg`${count} backup is stored in this bucket.`, msg`${count} backups are stored in this bucket.`)

/** The next backups would go there. */
async function assertNotChosen(tx: Tx, { name }: Connection, ofOrganization: string | null): Promise<void> {
  if (ofOrganization === name)
    throw new AppError('conflict', msg`The organization stores its backups in this bucket.`, {
      nextAction: msg`Choose another store first.`,
    })
  const schedules = await tx.count(BackupScheduleDoctype, [['store', '=', name]])
  if (schedules === 0) return
  throw new AppError(
    'conflict',
    plural(
      schedules,
      msg`${schedules} backup schedule stores its backups in this bucket.`,
      msg`${schedules} backup schedules store their backups in this bucket.`,
    ),
    { nextAction: msg`Choose another store there first.` },
  )
}

/** Where the organization's backups can go, for those who back up its sites; and how many are there. */
export const backupStoresMethod: Method = defineMethod({
  name: 'easydash.api.backups.stores',
  access: 'member',
  verbs: ['GET', 'POST'],
  tokens: 'sites:read',
  params: {
    organization: data({ reqd: true }),
    site: data({ description: 'Counts the backups of this site only.' }),
  },
  description:
    'Stores of an organization’s backups: `local` and its connections to buckets. How much is stored is shown to those who see all sites, or the named one.',
  returns: backupStores,
  async run({ organization, site }, { session, documents }) {
    const readable = await documents.get(session, OrganizationDoctype, organization)
    // The gate shows this field to those who see all sites.
    const seesAll = readable.backup_store !== undefined
    if (site) await documents.get(session, SiteDoctype, site)
    return documents.transaction(session, async (tx) => {
      const stored = await tx.get(OrganizationDoctype, organization)
      const connections = await tx.list(ConnectionDoctype, [
        ['organization', '=', organization],
        ['kind', '=', connectionKinds.bucket],
      ])
      const usage = seesAll || site ? await usageOf(tx, organization, site) : null
      const inUse = (store: string) => usage && (usage.get(store) ?? { backups: 0, bytes: 0 })
      return {
        default: stored?.backup_store ?? localBackups,
        stores: [
          { store: localBackups, label: null, status: null, usage: inUse(localBackups), price: null, unknown: null },
          ...connections.map(({ name, label, status, unknown_archives: unknown, ...bucket }) => ({
            store: name,
            label,
            status,
            usage: inUse(name),
            price: seesAll ? priceOf(bucket) : null,
            unknown: seesAll && unknown && unknown.count > 0 ? unknown : null,
          })),
        ],
      }
    })
  },
})

const priceOf = ({
  bucket_price: amount,
  bucket_price_currency: currency,
}: Pick<Connection, 'bucket_price' | 'bucket_price_currency'>) =>
  amount === null || currency === null ? null : { amount, currency }

async function usageOf(
  tx: Tx,
  organization: string,
  site: string | null | undefined,
): Promise<Map<string, { backups: number; bytes: number }>> {
  const found = new Map<string, { backups: number; bytes: number }>()
  const rows = await tx.listFields(
    SiteBackupDoctype,
    ['store', 'stored_size'],
    [
      ['organization', '=', organization],
      ['status', 'in', ['Ready', 'Restoring', 'Expired']],
      ...(site ? ([['site', '=', site]] as const) : []),
    ],
  )
  for (const { store, stored_size: bytes } of rows) {
    const sum = found.get(store ?? localBackups) ?? { backups: 0, bytes: 0 }
    found.set(store ?? localBackups, { backups: sum.backups + 1, bytes: sum.bytes + (bytes ?? 0) })
  }
  return found
}
