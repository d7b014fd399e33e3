import { useMemo } from 'react'
import type { FilterTriple } from '#shared/doctype.ts'
import { storeText, useStores } from '#web/features/backups/use-stores.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { PageHead } from '#web/ui/page-head.tsx'
import { backupColumns, siteColumn } from './backup-columns.tsx'
import { BackupList } from './backup-list.tsx'
import { t } from './messages.ts'

/** The backups of all sites of the organization: those of sites that were deleted are nowhere else. */
export function BackupsPage() {
  const organization = useSession().organization?.name ?? ''
  const { data: stores } = useStores(organization)
  const columns = useMemo(() => {
    const [first, ...others] = backupColumns(null, (store) => storeText(store, stores))
    return [...(first ? [first] : []), siteColumn, ...others]
  }, [stores])
  const scope = useMemo<readonly FilterTriple[]>(() => [['organization', '=', organization]], [organization])
  return (
    <>
      <PageHead title={t('backups.title')} subtitle={t('backups.of_all')} />
      <BackupList site={null} scope={scope} columns={columns} storeOf={(store) => storeText(store, stores)} />
    </>
  )
}
