import { formatNumber } from '#web/lib/i18n/format.ts'
import { locale } from '#web/lib/i18n/locale.ts'
import { t } from './messages.ts'

const list = new Intl.ListFormat(locale, { style: 'short', type: 'unit' })

const known = new Map<string, Parameters<typeof t>[0]>([
  ['files', 'count.files'],
  ['tables', 'count.tables'],
  ['rows', 'count.rows'],
  ['pages', 'count.pages'],
  ['visited', 'count.visited'],
  ['login', 'count.login'],
  ['prefix', 'count.prefix'],
  ['address', 'count.address'],
  ['keys', 'count.keys'],
  ['posts', 'count.posts'],
  ['comments', 'count.comments'],
  ['users', 'count.users'],
  ['uploads', 'count.uploads'],
  ['plugins', 'count.plugins'],
  ['themes', 'count.themes'],
])

/** What was added or changed: pages are among the posts. */
const changed = new Map(known).set('posts', 'changed.posts').set('orders', 'changed.orders')

/** "5 pages, 12 tables". Kinds that are not known here are shown as the engine names them. */
export function countsText(
  counts: readonly (readonly [what: string, count: number])[],
  as: 'found' | 'changed' = 'found',
): string {
  const texts = counts.map(([what, count]) => {
    const key = (as === 'changed' ? changed : known).get(what)
    return key ? t(key, { count }) : t('count.other', { what, count: formatNumber(count) })
  })
  return list.format(texts)
}
