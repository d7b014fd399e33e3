import { translateText } from '#web/lib/i18n/catalog.ts'

/** Label of a bulk run, translated where it is words. */
export function bulkRunLabel(label: string | null): string {
  const [action = '', ...rest] = (label ?? '').split(': ')
  return [translateText(action), ...rest].join(': ')
}
