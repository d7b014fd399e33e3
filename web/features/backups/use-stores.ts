import { backupStores } from '#shared/responses/backups.ts'
import { easyengineBackups, localBackups } from '#shared/rules/backups.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { formatMoney } from '#web/lib/i18n/format.ts'
import { t } from './messages.ts'

/** Where backups of an organization can be stored, and how much of it, or of one of its sites, is there. Null reads nothing. */
export const useStores = (organization: string | null, site?: string) =>
  useMethod(
    organization === null ? null : 'easydash.api.backups.stores',
    { organization, ...(site && { site }) },
    { returns: backupStores },
  )

type Stores = ReturnType<typeof useStores>['data']
type Store = NonNullable<Stores>['stores'][number]

const gigabyte = 2 ** 30

/** What is in a store, or in several, costs, as far as prices are known; '' if none is. */
export function costText(stores: readonly Pick<Store, 'usage' | 'price'>[]): string {
  const sums = new Map<string, number>()
  for (const { usage, price } of stores)
    if (price && usage && usage.bytes > 0)
      sums.set(price.currency, (sums.get(price.currency) ?? 0) + (usage.bytes / gigabyte) * price.amount)
  return [...sums]
    .map(([currency, amount]) =>
      amount < 0.01
        ? t('store.cost_least', { price: formatMoney(0.01, currency) })
        : t('store.cost', { price: formatMoney(Math.round(amount * 100) / 100, currency) }),
    )
    .join(', ')
}

/** What people call a store; that of a removed connection has no name any more. */
export function storeText(store: string | null | undefined, stores: Stores): string {
  if (!store || store === localBackups) return t('store.local')
  if (store === easyengineBackups) return 'EasyEngine'
  return stores?.stores.find((one) => one.store === store)?.label ?? t('store.other')
}

/** Choices of a store; null if there is nothing to choose. */
export function storeChoices(stores: Stores): readonly { value: string; label: string }[] | null {
  const all = stores?.stores ?? []
  return all.length < 2 ? null : all.map(({ store }) => ({ value: store, label: storeText(store, stores) }))
}
