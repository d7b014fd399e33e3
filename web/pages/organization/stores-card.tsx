import { useState } from 'react'
import { OrganizationDoctype, type Organization } from '#shared/doctypes/organization.ts'
import { localBackups } from '#shared/rules/backups.ts'
import { rolesOf } from '#web/documents/actions/viewer.ts'
import { useViewer } from '#web/documents/actions/use-actions.ts'
import { useAttempt } from '#web/documents/actions/use-attempt.ts'
import { costText, storeText, useStores } from '#web/features/backups/use-stores.ts'
import { updateDoc } from '#web/lib/api/api.ts'
import { refetchAll } from '#web/lib/api/data-client.ts'
import { docKey } from '#web/lib/api/data-keys.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { formatBytes } from '#web/lib/i18n/format.ts'
import { Button, ButtonLink } from '#web/ui/button.tsx'
import { Card, CardHead } from '#web/ui/card.tsx'
import { Tag } from '#web/ui/chip.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { tConnection } from './connection-messages.ts'

const writers: readonly string[] = OrganizationDoctype.fields.backup_store.write_roles ?? []

/** The stores of the organization's backups: what is in them, and which one new backups go to. */
export function StoresCard({ organization }: { organization: Organization }) {
  const mayChange = rolesOf(useViewer(), null).some((role) => writers.includes(role))
  const { data, error, reload } = useStores(organization.name)
  const { failure, attempt } = useAttempt()
  const [busy, setBusy] = useState<string | null>(null)
  const choose = async (store: string) => {
    setBusy(store)
    await attempt(async () => {
      await updateDoc(OrganizationDoctype.name, organization.name, { backup_store: store })
      showToast({ title: tConnection('stores.changed', { name: storeText(store, data) }), variant: 'success' })
      await Promise.all([reload(), refetchAll(docKey('Organization', organization.name))])
    })
    setBusy(null)
  }
  return (
    <Card aria-labelledby="backup-stores">
      <CardHead id="backup-stores" title={tConnection('stores.title')}>
        <ButtonLink to="/site/backups" size="md">
          {tConnection('stores.all')}
        </ButtonLink>
      </CardHead>
      {failure ? (
        <Notice tone="bad" className="mx-4 mb-3">
          {failure}
        </Notice>
      ) : null}
      {data ? (
        <ul aria-labelledby="backup-stores" className="divide-y divide-hairline">
          {data.stores.map(({ store, usage, price, unknown }) => {
            const name = storeText(store, data)
            const cost = costText([{ usage, price }])
            return (
              <li key={store} aria-label={name} className="grid gap-2 px-4 py-3">
                <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
                  <h3 className="min-w-0 font-medium wrap-anywhere">{name}</h3>
                  {store === data.default ? <Tag tone="brand">{tConnection('stores.default')}</Tag> : null}
                  <span className="flex items-center gap-3 text-table max-md:basis-full max-md:justify-between md:ml-auto md:text-right">
                    {usage ? (
                      <span className="text-muted">
                        {tConnection('stores.usage', { count: usage.backups, size: formatBytes(usage.bytes) })}
                        {cost ? <span className="block">{cost}</span> : null}
                      </span>
                    ) : null}
                    {mayChange && store !== data.default ? (
                      <Button
                        size="md"
                        busy={busy === store}
                        aria-label={tConnection('stores.choose_of', { name })}
                        onClick={() => void choose(store)}
                      >
                        {tConnection('stores.choose')}
                      </Button>
                    ) : null}
                  </span>
                </div>
                {store === localBackups ? (
                  <p className="text-table text-muted">{tConnection('stores.local_hint')}</p>
                ) : null}
                {unknown ? (
                  <p className="text-table text-muted">
                    {tConnection('stores.unknown', { count: unknown.count, size: formatBytes(unknown.bytes) })}
                  </p>
                ) : null}
              </li>
            )
          })}
        </ul>
      ) : error ? (
        <ErrorPanel
          className="flex items-start gap-3 px-4 pb-4"
          title={tConnection('stores.error')}
          error={error}
          onRetry={() => reload()}
        />
      ) : (
        <Skeleton className="mx-4 mb-4 h-16" />
      )}
    </Card>
  )
}
