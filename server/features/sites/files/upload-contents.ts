import type { Documents } from '#server/contracts/documents.ts'
import type { UploadKind } from '#server/contracts/resumable-upload.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'
import { siteFileLimits, splitPath } from '#shared/rules/site-files.ts'
import { assertMayUploadTo, type PlacedUploads } from '../placed-uploads.ts'

/** The kind of upload that becomes a file of a site. */
export function siteFileUploads(documents: () => Documents, placed: PlacedUploads): UploadKind {
  return {
    name: 'site_file',
    tokens: 'sites:write',
    maxSize: siteFileLimits.upload,
    async check(session, { metadata }) {
      const { site, path } = targetOf(metadata)
      if (!Array.isArray(splitPath(path)) || path === '')
        throw new AppError('invalid', msg`The path of the file is not allowed.`, { field: 'path' })
      await assertMayUploadTo(documents(), session, site)
    },
    async finish(session, upload, path) {
      const target = targetOf(upload.metadata)
      const args = { upload: upload.id, path: target.path, replace: target.replace }
      const put = () => documents().runAction(session, 'Site', target.site, 'put_file', args)
      return { ...(await placed.place(session, upload, path, put)) }
    },
  }
}

function targetOf({ site = '', path = '', replace }: Readonly<Record<string, string>>) {
  return { site, path, replace: replace === '1' ? 1 : 0 }
}
