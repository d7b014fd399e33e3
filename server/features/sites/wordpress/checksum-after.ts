import type { Tx } from '#server/contracts/transaction.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { markChecksumStale } from './facts-table.ts'

/**
 * Fields of a site whose files were exchanged. New files are not verified ones. That files are modified is said until they are verified
 * again, which the next round does: others than the exchanged ones may be.
 */
export async function checksumAfter(tx: Tx, site: string): Promise<Pick<Partial<Site>, 'wordpress_checksum'>> {
  await markChecksumStale(tx, site)
  const known = await tx.get(SiteDoctype, site)
  return known?.wordpress_checksum === 'Verified' ? { wordpress_checksum: 'Not Checked' } : {}
}
