import { defineMethod } from '#server/contracts/method.ts'
import { data } from '#shared/fields.ts'
import { siteChecksum, storedChecksum } from '#shared/responses/wordpress-checksum.ts'

/** The last verification of a site's files. Who may see it is decided by the action `checksum_report`. */
export const checksumMethod = defineMethod({
  name: 'easydash.api.site.checksum',
  access: 'verified',
  verbs: ['GET', 'POST'],
  tokens: 'sites:read',
  params: { site: data({ reqd: true }) },
  description: 'Files of WordPress that differ from the original, as last verified (`verify_checksum`).',
  returns: siteChecksum,
  async run({ site }, { session, documents }) {
    const stored = await documents.runAction(session, 'Site', site, 'checksum_report', {})
    const { report, measured_at } = storedChecksum.parse(stored)
    const { source, changed, added, missing } = report ?? { source: null, changed: [], added: [], missing: [] }
    return { checked_at: measured_at, source, changed, added, missing }
  },
})
