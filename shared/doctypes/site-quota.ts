import { doctype, type Doc } from '../doctype.ts'
import { int, select } from '../fields.ts'
import { maxQuotaValue } from '../rules/site-quotas.ts'
import { siteTypes } from './site.ts'

const quota = (label: string, description: string) =>
  int({ reqd: true, default: 0, min: 0, max: maxQuotaValue, in_list_view: true, label, description })

/**
 * Disk quotas of one site type, for machines that run sites themselves. The types are fixed; the platform admin edits the
 * numbers. Default values: `shared/rules/site-quotas.ts`.
 */
export const SiteQuotaDoctype = doctype('Site Quota', {
  module: 'core',
  tenant: { kind: 'platform' },
  naming: 'field:site_type',
  title_field: 'site_type',
  plural: 'Site quotas',
  seeded: true,
  fields: {
    site_type: select(siteTypes, { reqd: true, set_only_once: true, in_list_view: true, label: 'Site type' }),
    /** Order in lists. */
    position: int({ read_only: true, default: 0 }),
    disk_mb: quota('Disk space', 'In MB, the database included; 0 means no limit'),
    files: quota('Files', 'Files and folders; 0 means no limit'),
    log_mb: quota('Error log', 'In MB; 0 means no limit'),
    outbox_mb: quota('Captured email', 'In MB; 0 means no limit'),
  },
  list: { order_by: 'position asc' },
  permissions: {
    'Platform Admin': { read: true, write: true },
  },
})

/** Stored quotas of a site type. */
export type SiteQuotaDoc = Doc<typeof SiteQuotaDoctype>
