/** What surrounds sites in tests: buckets of connections, as the composition root opens them, folders and secrets. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect } from 'vitest'
import { gitHubSecretOf } from '#server/features/connections/provider-of.ts'
import { bucketOf } from '#server/features/connections/bucket-of.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import type { SitesDeps } from '#server/features/sites/deps.ts'
import { silentLog } from '#server/platform/log/log.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { claimUpload } from '#server/features/uploads/claim-upload.ts'
import { decrypted } from '#server/features/sites/backups/archive-cipher.ts'
import type { BucketUnderTest } from '#tests/contracts/bucket-under-test.ts'
import type { SiteBackup } from '#shared/doctypes/site-backup.ts'
import { ConnectionDoctype, type Connection } from '#shared/doctypes/connection.ts'
import { madeInstallationKey, plainOrganizationSecrets } from './secrets.ts'

/** What sites need besides documents, jobs and engines. `awsS3`: base URL of the store of connections that name none. */
export const testSiteDeps = (
  folder: string,
  awsS3: string | null = null,
): Pick<
  SitesDeps,
  | ('log' | 'backupsFolder' | 'bucketOf' | 'gitHubOf' | 'gitHubSecretOf')
  | ('visitPublic' | 'claimUpload' | 'secrets' | 'installationKey')
> => ({
  log: silentLog,
  backupsFolder: join(folder, 'backups'),
  bucketOf: (tx, organization, name) =>
    bucketOf({ config: { endpoints: { awsS3 }, allowPrivateCidrs: [], addressMap: {} } }, tx, organization, name),
  gitHubOf: () => Promise.reject(new AppError('invalid', msg`The organization has no connection to ${'GitHub'}.`)),
  gitHubSecretOf,
  // No site that is imported can be reached at its old address.
  visitPublic: (url) => Promise.reject(new AppError('unavailable', msg`No connection to ${url}.`)),
  claimUpload: (tx, session, id, field) => claimUpload(tx, session, { id, machine: 'this', field }),
  secrets: plainOrganizationSecrets,
  installationKey: madeInstallationKey,
})

/** Connects an organization to the bucket of the simulated store. */
export const connectBucket = (tx: Tx, organization: string): Promise<Connection> =>
  tx.insert(ConnectionDoctype, {
    organization,
    kind: 'Bucket',
    label: 'Archive',
    is_default: 1,
    status: 'Connected',
    bucket_name: 'backups',
    bucket_region: 'eu-central-1',
    bucket_access_key: 'AKIASIMULATED0000000',
    bucket_secret_key: 'simulated-secret-key',
  })

/** A bucket has the archives of these backups of an organization, each as it was packed, and nothing else. */
export async function expectStored(
  { state, store }: BucketUnderTest,
  backups: readonly SiteBackup[],
  transaction: <T>(run: (tx: Tx) => Promise<T>) => Promise<T>,
): Promise<void> {
  const identity = await transaction((tx) => tx.secret('Organization', 'acme', 'backup_identity'))
  for (const backup of backups) {
    const key = [...state.objects.keys()].find((one) => one.endsWith(`/${backup.name}.tar.zst.age`)) ?? ''
    expect(state.objects.get(key)?.content.length).toBe(backup.stored_size)
    // Of one that needs others, what it is put together of was compared by its proof.
    if (backup.needs !== null) continue
    const archive = await buffer(await decrypted(identity ?? '', await store.read(backup)))
    expect(createHash('sha256').update(archive).digest('hex')).toBe(backup.sha256)
  }
  expect([state.objects.size, state.uploads.size]).toEqual([backups.length, 0])
}
