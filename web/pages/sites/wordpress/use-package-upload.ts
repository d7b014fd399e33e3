import { useEffect, useRef, useState } from 'react'
import { uploadedPackage } from '#shared/responses/wordpress-packages.ts'
import { maxPackageBytes } from '#shared/rules/wordpress-changes.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { runAction } from '#web/lib/api/api.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { formatBytes } from '#web/lib/i18n/format.ts'
import type * as z from 'zod/mini'
import { t } from './messages.ts'

/** An uploaded plugin or theme that can be installed. */
export type UploadedPackage = z.infer<typeof uploadedPackage>

/** Where the upload of a plugin or theme is. */
export type PackageUpload =
  | { readonly step: 'choose'; readonly problem: string | null }
  /** `sent` all of it: the site is checking it. */
  | { readonly step: 'sending'; readonly file: File; readonly sent: number }
  | { readonly step: 'ready'; readonly about: UploadedPackage }

/** Uploads a ZIP file to a site, which says what it contains. What is not installed is discarded when this unmounts. */
export function usePackageUpload(site: string): {
  upload: PackageUpload
  send: (files: readonly File[]) => Promise<void>
  /** Ends the upload, or discards what was uploaded. */
  cancel: () => void
  /** The uploaded file is used: it is not discarded. */
  taken: () => void
} {
  const [upload, setUpload] = useState<PackageUpload>({ step: 'choose', problem: null })
  const controller = useRef<AbortController | null>(null)
  const waiting = useRef<string | null>(null)
  const end = useRef(() => {
    controller.current?.abort(new DOMException('Canceled', 'AbortError'))
    const id = waiting.current
    waiting.current = null
    // The site forgets it after a day in any case.
    if (id !== null) void runAction('Site', site, 'discard_package', { package: id }).catch(() => undefined)
  })
  useEffect(() => {
    const { current } = end
    return current
  }, [])

  const send = async (files: readonly File[]): Promise<void> => {
    const [file] = files
    const problem = problemOf(files)
    if (!file || problem !== null) return setUpload({ step: 'choose', problem })
    const own = new AbortController()
    controller.current = own
    setUpload({ step: 'sending', file, sent: 0 })
    try {
      const { sendUpload } = await import('#web/lib/upload/send-upload.ts')
      const response = await sendUpload(file, {
        metadata: { kind: 'wordpress_package', site },
        signal: own.signal,
        onProgress: (sent) => setUpload({ step: 'sending', file, sent }),
      })
      const about = checkedResult<UploadedPackage>(uploadedPackage, response)
      waiting.current = about.package
      if (own.signal.aborted) end.current()
      else setUpload({ step: 'ready', about })
    } catch (error) {
      if (!own.signal.aborted) setUpload({ step: 'choose', problem: fullMessage(toApiError(error)) })
    }
  }

  return {
    upload,
    send,
    cancel: () => {
      end.current()
      setUpload({ step: 'choose', problem: null })
    },
    taken: () => {
      waiting.current = null
    },
  }
}

/** Why these can't be uploaded; null if they can. */
function problemOf(files: readonly File[]): string | null {
  const [file] = files
  if (files.length > 1) return t('package.one')
  if (!file || !/\.zip$/i.test(file.name)) return t('package.no_zip')
  if (file.size === 0) return t('package.empty')
  return file.size > maxPackageBytes ? t('package.too_large', { size: formatBytes(maxPackageBytes) }) : null
}
