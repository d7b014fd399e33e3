/** Buckets of connections, as the composition root opens them. */
import { bucketOf } from '#server/features/connections/bucket-of.ts'
import type { SitesDeps } from '#server/features/sites/deps.ts'

/** `awsS3`: base URL of the store of connections that name none. */
export const testBuckets = (awsS3: string | null = null): Pick<SitesDeps, 'bucketOf'> => ({
  bucketOf: (tx, organization, name) =>
    bucketOf({ config: { endpoints: { awsS3 }, allowPrivateCidrs: [], addressMap: {} } }, tx, organization, name),
})
