import type { S3Bucket } from '#server/providers/aws/s3-bucket.ts'
import { ProviderError } from '#server/providers/provider-error.ts'
import { archiveEnding, assertArchive, missingArchive, type ArchiveRef, type BackupStore } from './backup-store.ts'

/** Archives in a bucket, as `easydash/ORGANIZATION/SITE/BACKUP.tar.zst.age`. */
export function bucketStore(bucket: S3Bucket, organization: string): BackupStore {
  // Others can have theirs in the same bucket.
  const folder = `easydash/${organization}/`
  const keyOf = (archive: ArchiveRef): string => {
    assertArchive(archive.name)
    // Names of sites are those of hosts; what is not would become a folder.
    const site = (archive.site_domain ?? '').replaceAll(/[^A-Za-z0-9._-]+/g, '-') || 'site'
    return `${folder}${site}/${archive.name}${archiveEnding}`
  }
  return {
    write: (archive, content, signal) => bucket.put(keyOf(archive), content, signal),
    direct: bucket.isKnown
      ? {
          attempt: (archive, send, signal) => bucket.attempt(keyOf(archive), send, signal),
          receive: (archive, content, signal) => bucket.receive(keyOf(archive), content, signal),
        }
      : null,
    read: (archive) =>
      bucket.get(keyOf(archive)).catch((error: unknown) => {
        throw error instanceof ProviderError && error.kind === 'not_found' && error.vendorCode !== 'NoSuchBucket'
          ? missingArchive(error)
          : error
      }),
    remove: (archive) => bucket.remove(keyOf(archive)),
    async *list() {
      for await (const { key, bytes, at } of bucket.list(folder)) {
        const [, site = '', name] = /^([^/]+)\/([a-z0-9]{10})\.tar\.zst\.age$/.exec(key.slice(folder.length)) ?? []
        if (name !== undefined) yield { name, site_domain: site, bytes, at }
      }
    },
    removeUnfinished: (before) => bucket.endUploads(folder, before),
  }
}
