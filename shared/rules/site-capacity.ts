const gigabyte = 1024 ** 3
const megabyte = 1024 ** 2

/** What the system, the web server, the database and the cache use before the first site runs. */
const reservedMemory = gigabyte
/**
 * PHP of one WordPress site: its memory limit is 256 MB in the admin, and few sites handle a request at the same moment.
 * https://developer.wordpress.org/advanced-administration/wordpress/wp-config/#increasing-memory-allocated-to-php
 */
const memoryPerSite = 256 * megabyte
/** WordPress, plugins and themes take about 300 MB; the rest is for uploads, the database and backups. */
const diskPerSite = 2 * gigabyte

/** How many average WordPress sites fit on a machine: an estimate to compare machines by, not a limit. Sizes in bytes. */
export function sitesThatFit({ ram, disk }: { ram: number; disk: number }): number {
  const byMemory = Math.floor((ram - reservedMemory) / memoryPerSite)
  const byDisk = Math.floor(disk / diskPerSite)
  return Math.max(1, Math.min(byMemory, byDisk))
}
