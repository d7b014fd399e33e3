import { lazy, Suspense, useState } from 'react'
import type { Site } from '#shared/doctypes/site.ts'
import type { RowOf } from '#web/lib/api/list-rows.ts'
import { Button } from '#web/ui/button.tsx'
import { LazyBoundary } from '#web/ui/lazy-boundary.tsx'
import { t } from './messages.ts'

const UpdatePluginDialog = lazy(() =>
  import('./update-plugin-dialog.tsx').then((module) => ({ default: module.UpdatePluginDialog })),
)

/** Updates a plugin on the selected sites. Not shown if none of them runs WordPress. */
export function UpdatePluginButton({ rows }: { rows: readonly RowOf<Site>[] }) {
  const [open, setOpen] = useState(false)
  const sites = rows.filter(({ site_type, status }) => site_type === 'wp' && (status === 'Live' || status === 'Failed'))
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
