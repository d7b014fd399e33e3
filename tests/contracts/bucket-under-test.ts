import { bucketStore } from '#server/features/sites/backups/bucket-store.ts'
import { openS3Bucket, type S3Address } from '#server/providers/aws/s3-bucket.ts'
import type { S3Network } from '#server/providers/aws/s3-handler.ts'
import { newObject } from '#server/providers/simulator/bucket-objects.ts'
import { withFaults, type Fault } from '#server/providers/simulator/faults.ts'
import { simulatedBucket, type BucketOptions, type BucketState } from '#server/providers/simulator/simulated-bucket.ts'
import { serveVendor, type VendorServer } from '#server/providers/simulator/simulated-vendor.ts'
import type { StoreUnderTest } from './backup-store.contract.ts'
import { s3Judge } from './vendors/s3-judge.ts'

const keys = { accessKey: 'AKIASIMULATED0000000', secretKey: 'simulated-secret-key' }

export interface BucketUnderTest extends StoreUnderTest {
  readonly server: VendorServer
  readonly state: BucketState
  readonly faults: Fault[]
  /** The same bucket with other values of its connection, or reached in another way. */
  opened(address?: Partial<S3Address>, network?: S3Network): StoreUnderTest['store']
}

/** The store of a simulated bucket, whose exchanges are judged by the vendor's description. */
export async function openBucketUnderTest(options: Partial<BucketOptions> = {}): Promise<BucketUnderTest> {
  const vendor = simulatedBucket({ name: 'backups', region: 'eu-central-1', keys: [keys], now: Date.now, ...options })
  const faults: Fault[] = []
  const server = await serveVendor(withFaults(vendor, faults), { judge: s3Judge() })
  const { state } = vendor
  const opened = (address: Partial<S3Address> = {}, network: S3Network = { profile: 'operator' }) =>
    bucketStore(
      openS3Bucket({ name: 'backups', region: 'eu-central-1', endpoint: server.url, ...keys, ...address }, network),
      'acme',
    )
  return {
    server,
    state,
    faults,
    opened,
    store: opened(),
    held: async () => state.objects.size + state.uploads.size,
    async cut(name) {
      for (const [key, { content, at }] of state.objects)
        if (key.includes(name)) state.objects.set(key, newObject(content.subarray(0, content.length / 2), at))
    },
    async close() {
      await server.close()
      if (server.problems.length > 0) throw new Error(server.problems.join('\n'))
    },
  }
}
