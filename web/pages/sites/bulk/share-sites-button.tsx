import { addressBesideName, siteName } from '#shared/rules/display-name.ts'
import { lazy, Suspense, useState } from 'react'
import { sharingActions } from '#shared/doctypes/site-actions/sharing.ts'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { usePossibleRows } from '#web/documents/bulk/row-access.ts'
import type { RowOf } from '#web/lib/api/list-rows.ts'
import { Button } from '#web/ui/button.tsx'
import { LazyBoundary } from '#web/ui/lazy-boundary.tsx'
import { t } from './messages.ts'

const ShareSitesDialog = lazy(() =>
  import('./share-sites-dialog.tsx').then((module) => ({ default: module.ShareSitesDialog })),
)

/** Shares those of the selected sites with a member that the user may share. */
export function ShareSitesButton({ rows, onShared }: { rows: readonly RowOf<Site>[]; onShared: () => void }) {
  const sites = usePossibleRows(SiteDoctype, sharingActions.share, rows)
  const [open, setOpen] = useState(false)
  if (sites.length === 0) return null
  return (
    <>
      <Button size="sm" variant="ghost" onClick={() => setOpen(true)}>
        {t('share.button')}
      </Button>
      {open ? (
        <LazyBoundary level="toast">
          <Suspense>
            <ShareSitesDialog
              sites={sites.map(({ name, domain = name, title = null }) => ({
                name,
                title: siteName({ title, domain }),
                detail: addressBesideName({ title, domain }),
              }))}
              onClose={() => setOpen(false)}
              onStarted={() => {
                setOpen(false)
                onShared()
              }}
            />
          </Suspense>
        </LazyBoundary>
      ) : null}
    </>
  )
}
