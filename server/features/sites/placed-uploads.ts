import type { Documents } from '#server/contracts/documents.ts'
import type { Session } from '#server/contracts/session.ts'
import { AppError } from '#shared/errors.ts'
import { msg } from '#shared/localized-message.ts'

/** Complete uploads that are being placed. Clients only ever name them. */
export interface UploadContents {
  /** Path of the content on this machine. Throws AppError `not_found` for anything but an own upload being placed now. */
  pathOf(session: Session, upload: string): string
}

/** Contents while an action of the same caller takes them. */
export interface PlacedUploads extends UploadContents {
  /** Runs the action for a complete upload, whose content it finds by `pathOf`. */
  place<T>(session: Session, upload: { readonly id: string }, path: string, action: () => Promise<T>): Promise<T>
}

/** No upload is being placed yet. */
export function createPlacedUploads(): PlacedUploads {
  const placing = new Map<string, { user: string; path: string }>()
  return {
    pathOf: (session, upload) => {
      const found = placing.get(upload)
      if (found === undefined || found.user !== session.user)
        throw new AppError('not_found', msg`The upload does not exist.`)
      return found.path
    },
    async place(session, { id }, path, action) {
      placing.set(id, { user: session.user, path })
      try {
        return await action()
      } finally {
        placing.delete(id)
      }
    },
  }
}

/** Throws AppError `forbidden` for somebody who cannot change the site. */
export async function assertMayUploadTo(documents: Documents, session: Session, site: string): Promise<void> {
  const { write } = await documents.permissions(session, 'Site', site)
  if (write !== 1) throw new AppError('forbidden', msg`You cannot upload files to this site.`)
}
