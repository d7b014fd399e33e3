import type { Download } from '#server/contracts/files.ts'
import { defineMethod, type Method } from '#server/contracts/method.ts'
import { data } from '#shared/fields.ts'
import { binary, described } from '#shared/schema.ts'

const name = 'easydash.api.site.download_export'

/** Where the export of a site is downloaded, below the origin of the dashboard. */
export const exportUrl = (site: string): string => `/api/method/${name}?site=${encodeURIComponent(site)}`

/** Downloads by a plain link, so that a browser saves large archives without holding them in memory, and goes on after a break. */
export const downloadExportMethod: Method = defineMethod({
  name,
  access: 'verified',
  verbs: ['GET', 'POST'],
  tokens: 'sites:write',
  params: { site: data({ reqd: true }) },
  description: 'Streams the export of a site, a ZIP archive. Who may is decided by `download_export`.',
  returns: described(binary, 'The archive.'),
  async run({ site }, { session, documents }) {
    return (await documents.runAction(session, 'Site', site, 'download_export', {})) as unknown as Download
  },
})
