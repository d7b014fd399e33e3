import type { Tx } from '#server/contracts/transaction.ts'
import type { Config } from '#server/platform/config/config.ts'
import type { Resolver } from '#server/platform/network/safe-connect.ts'
import { openS3Bucket, s3Endpoint, type S3Bucket } from '#server/providers/aws/s3-bucket.ts'
import { ConnectionDoctype } from '#shared/doctypes/connection.ts'
import { connectionKinds } from '#shared/doctypes/connections.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { bucket } from './bucket.ts'
import { missingFields } from './connection-tests.ts'
import { credentialsOf } from './stored-connections.ts'

/** What connections to buckets need of the installation. */
export interface BucketNetwork {
  readonly config: Pick<Config, 'allowPrivateCidrs' | 'addressMap'> & { endpoints: Pick<Config['endpoints'], 'awsS3'> }
  readonly resolve?: Resolver
}

/**
 * Opens the bucket of a connection of an organization; nothing is connected yet. Throws AppError `invalid` (field `store`) if it has
 * none of this name, whoever else has one, or one without keys.
 */
export async function bucketOf(
  { config, resolve }: BucketNetwork,
  tx: Tx,
  organization: string,
  name: string,
): Promise<S3Bucket> {
  const stored = await tx.get(ConnectionDoctype, name)
  if (!stored || stored.organization !== organization || stored.kind !== connectionKinds.bucket)
    throw new AppError('invalid', msg`The organization has no store of backups of this name.`, {
      field: 'store',
      nextAction: msg`Choose “local”, or the name of a connection to a bucket.`,
    })
  const values = await credentialsOf(tx, stored)
  if (missingFields(bucket, values).length > 0)
    throw new AppError('invalid', msg`The connection ${stored.label} has no keys.`, {
      field: 'store',
      nextAction: msg`Enter them in the organization’s settings.`,
    })
  const own = values['bucket_endpoint'] || null
  const region = values['bucket_region'] ?? ''
  return openS3Bucket(
    {
      name: values['bucket_name'] ?? '',
      region,
      endpoint: s3Endpoint({ endpoint: own, region }, config.endpoints.awsS3),
      accessKey: values['bucket_access_key'] ?? '',
      secretKey: values['bucket_secret_key'] ?? '',
    },
    {
      profile: own === null ? 'operator' : 'tenant',
      allowPrivateCidrs: config.allowPrivateCidrs,
      addressMap: config.addressMap,
      ...(resolve && { resolve }),
    },
  )
}
