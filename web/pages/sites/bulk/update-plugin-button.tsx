import { lazy, Suspense, useState } from 'react'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { wordpressActions } from '#shared/doctypes/site-actions/wordpress.ts'
import { usePossibleRows } from '#web/documents/bulk/row-access.ts'
import type { RowOf } from '#web/lib/api/list-rows.ts'
import { Button } from '#web/ui/button.tsx'
import { LazyBoundary } from '#web/ui/lazy-boundary.tsx'
import { t } from './messages.ts'

const UpdatePluginDialog = lazy(() =>
  import('./update-plugin-dialog.tsx').then((module) => ({ default: module.UpdatePluginDialog })),
)

/** Updates a plugin on those of the selected sites that run WordPress and that the user may change. Not shown if there are none. */
export function UpdatePluginButton({ rows }: { rows: readonly RowOf<Site>[] }) {
  const [open, setOpen] = useState(false)
  const sites = usePossibleRows(SiteDoctype, wordpressActions.set_plugin, rows)
  if (sites.length === 0) return null
  return (
    <>
      <Button size="sm" variant="ghost" onClick={() => setOpen(true)}>
        {t('plugin.button')}
      </Button>
      {open ? (
        <LazyBoundary level="toast">
          <Suspense>
            <UpdatePluginDialog sites={sites.map(({ name }) => name)} onClose={() => setOpen(false)} />
          </Suspense>
        </LazyBoundary>
      ) : null}
    </>
  )
}
