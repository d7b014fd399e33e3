import type { WpcSite } from '#shared/doctypes/wpc-site.ts'

/** Alias domains of a site, which are stored one per line. */
export const aliasesOf = ({ usr_alias_domains: aliases }: Pick<WpcSite, 'usr_alias_domains'>): string[] =>
  (aliases ?? '').split('\n').filter((one) => one !== '')

/** Its quota of files as people write it: `50 GB`; null if it was not read. */
export const gigabytes = ({ space_quota: quota }: Pick<WpcSite, 'space_quota'>): string | null =>
  quota?.replace(/^(\d+)G$/, '$1 GB') ?? null
