import { backupStores } from '#shared/responses/backups.ts'
import { easyengineBackups, localBackups } from '#shared/rules/backups.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { t } from './messages.ts'

/** Where backups of an organization can be stored, and how much is there. */
export const useStores = (organization: string) =>
  useMethod('easydash.api.backups.stores', { organization }, { returns: backupStores })

type Stores = ReturnType<typeof useStores>['data']

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
