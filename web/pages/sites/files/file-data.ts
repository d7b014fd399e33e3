import { fileListing, type FileListing } from '#shared/responses/site-files.ts'
import { methodAddress } from '#web/lib/api/wire-address.ts'
import { refetchAll } from '#web/lib/api/data-client.ts'
import { methodKey } from '#web/lib/api/data-keys.ts'
import { useMethod, type Loaded } from '#web/lib/api/frappe.tsx'

const action = 'run_doc_method'

/** A part of a folder. A null folder loads nothing. */
export function useFolder(site: string, folder: string | null, start = 0, keepPrevious = false): Loaded<FileListing> {
  return useMethod(
    folder === null ? null : action,
    { dt: 'Site', dn: site, method: 'list_files', args: { folder, start } },
    { verb: 'POST', returns: fileListing, revalidateOnFocus: false, keepPrevious },
  )
}

/** Reads all shown folders of a site again. */
export function rereadFolders(site: string): Promise<void> {
  return refetchAll(methodKey(action, { dt: 'Site', dn: site, method: 'list_files' }))
}

/** Address of a file, or of several files and folders as a ZIP archive. */
export function downloadAddress(site: string, paths: readonly string[], zip = false): string {
  return methodAddress('easydash.api.site.download_files', {
    site,
    paths: JSON.stringify(paths),
    ...(zip && { zip: 1 }),
  })
}

/** Saves a file, or several as a ZIP archive: the browser does it, without holding the content in memory. */
export function saveFiles(site: string, paths: readonly string[], zip = false): void {
  const link = document.createElement('a')
  link.href = downloadAddress(site, paths, zip)
  link.download = ''
  link.click()
}

/** A name or path as text on the screen: control characters and those that reorder text show as what they are, a replacement. */
export function shownName(name: string): string {
  return name.replaceAll(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu, '\uFFFD')
}

/** Whether a file of this name can be unpacked. */
export function isArchive(name: string): boolean {
  return /\.zip$/i.test(name)
}

/** Whether a file of this name is an image that is safe to show: never SVG, which is a document with scripts. */
export function isImage(name: string): boolean {
  return /\.(?:png|jpe?g|gif|webp|avif)$/i.test(name)
}
