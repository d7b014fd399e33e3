/** Last day of security fixes of each PHP version (https://www.php.net/supported-versions.php, and eol.php for ended ones). */
const lastDays: Readonly<Record<string, string>> = {
  '7.4': '2022-11-28',
  '8.0': '2023-11-26',
  '8.1': '2025-12-31',
  '8.2': '2026-12-31',
  '8.3': '2027-12-31',
  '8.4': '2028-12-31',
  '8.5': '2029-12-31',
}

/** How long before its end a version counts as old, in days: time to try the sites that use it on a newer one. */
const noticeDays = 90

/** The last day of security fixes of a PHP version, `YYYY-MM-DD`; null: not known. */
export function phpSupportEnd(version: string): string | null {
  return lastDays[version] ?? null
}

/** Whether a PHP version gets no security fixes any more. A version that is not known gets them. */
export function isPhpUnsupported(version: string, now: number): boolean {
  const end = phpSupportEnd(version)
  return end !== null && now > Date.parse(`${end}T23:59:59Z`)
}

/** Whether a PHP version gets no security fixes any more, or soon won't. A version that is not known is not old. */
export function isOldPhp(version: string, now: number): boolean {
  return isPhpUnsupported(version, now + noticeDays * 86_400_000)
}
