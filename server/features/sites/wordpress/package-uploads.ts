import type { Documents } from '#server/contracts/documents.ts'
import type { UploadKind } from '#server/contracts/resumable-upload.ts'
import { maxPackageBytes } from '#shared/rules/wordpress-changes.ts'
import { assertMayUploadTo, type PlacedUploads } from '../placed-uploads.ts'

/** The kind of upload that is a plugin or theme for a site, which asks before it installs it. */
export function packageUploads(documents: () => Documents, placed: PlacedUploads): UploadKind {
  return {
    name: 'wordpress_package',
    tokens: 'sites:write',
    maxSize: maxPackageBytes,
    invalidIsFinal: true,
    check: (session, { metadata: { site = '' } }) => assertMayUploadTo(documents(), session, site),
    async finish(session, upload, path) {
      const { site = '' } = upload.metadata
      const stage = () => documents().runAction(session, 'Site', site, 'stage_package', { upload: upload.id })
      return { ...(await placed.place(session, upload, path, stage)) }
    },
  }
}
