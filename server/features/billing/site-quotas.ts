import { transactionLock } from '#server/platform/database/transaction-lock.ts'
import type { Tx } from '#server/contracts/transaction.ts'
import { siteTypes } from '#shared/doctypes/site.ts'
import { defaultSiteQuotas } from '#shared/rules/default-site-quotas.ts'
import { SiteQuotaDoctype } from '#shared/doctypes/site-quota.ts'

/** Stores missing quotas per site kind. Existing ones keep the platform admin's changes. */
export async function seedSiteQuotas(tx: Tx): Promise<void> {
  await transactionLock(tx, 'site-quotas')
  for (const [at, site_type] of siteTypes.entries()) {
    if (await tx.get(SiteQuotaDoctype, site_type)) continue
    const values = { site_type, position: at + 1, ...defaultSiteQuotas[site_type] }
    await tx.insert(SiteQuotaDoctype, values, { activity: false })
  }
}
