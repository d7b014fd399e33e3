import type { Readable } from 'node:stream'
import { download, type Download } from '#server/contracts/files.ts'
import { defineMethod, type Method } from '#server/contracts/method.ts'
import type { SiteRef } from '#server/engines/site-ref.ts'
import type { SiteFiles } from '#server/engines/site-files.ts'
import { check, data, json } from '#shared/fields.ts'
import { nameOf } from '#shared/rules/site-files.ts'
import { binary, described } from '#shared/schema.ts'

/**
 * Images that a page of ours can show. Everything else of a site is only ever saved: SVG and HTML could run scripts, other
 * types could be taken for them.
 */
const imageTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
}

const typeOf = (path: string): string =>
  imageTypes[/\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ''] ?? 'application/octet-stream'

/** One file as it is, anything else as a ZIP archive. */
export async function openDownload(
  files: SiteFiles,
  site: SiteRef,
  paths: readonly string[],
  asZip: boolean,
): Promise<Download> {
  const [path = ''] = paths
  if (paths.length === 1 && !asZip) {
    const file = await files.open(site, path)
    return download({
      fileName: nameOf(path),
      contentType: typeOf(path),
      length: file.size,
      tag: file.tag,
      open: (range) => file.open(range),
      close: () => void file.close(),
    })
  }
  const archive: Readable = await files.pack(site, paths)
  const name = paths.length === 1 && path !== '' ? nameOf(path) : site.domain
  return download({
    fileName: `${name}.zip`,
    contentType: 'application/zip',
    length: null,
    tag: null,
    open: () => archive,
    close: () => void archive.destroy(),
  })
}

/** Downloads by a plain link, so that a browser saves large ones without holding them in memory. */
export const downloadFilesMethod: Method = defineMethod({
  name: 'easydash.api.site.download_files',
  access: 'verified',
  verbs: ['GET', 'POST'],
  tokens: 'sites:write',
  params: {
    site: data({ reqd: true }),
    paths: json<string[]>({ reqd: true, is_list: 'texts', max_bytes: 65_536 }),
    zip: check(),
  },
  description:
    'Streams one file of a site, or several files and folders as a ZIP archive. Who may is decided by `download_files`.',
  returns: described(binary, 'The file or archive.'),
  async run({ site, paths, zip }, { session, documents }) {
    return (await documents.runAction(session, 'Site', site, 'download_files', { paths, zip })) as unknown as Download
  },
})
