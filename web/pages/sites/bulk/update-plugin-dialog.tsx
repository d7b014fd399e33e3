import { useState } from 'react'
import { pluginUpdates } from '#shared/responses/bulk.ts'
import { useStartBulkRun } from '#web/features/sites/start-bulk-run.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { Button } from '#web/ui/button.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Select } from '#web/ui/form/select.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { t } from './messages.ts'

/** Chooses among the plugins with known updates of the given sites, and updates one on those that have it. */
export function UpdatePluginDialog({ sites, onClose }: { sites: readonly string[]; onClose: () => void }) {
  const read = useMethod('easydash.api.site.plugin_updates', { sites }, { verb: 'POST', returns: pluginUpdates })
  const { orToast } = useStartBulkRun()
  const [chosen, setChosen] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const found = read.data
  const plugin = found?.find((one) => one.plugin === chosen) ?? found?.[0]
  const start = async () => {
    if (!plugin) return
    setBusy(true)
    await orToast('update_plugin', plugin.plugin, plugin.sites)
    setBusy(false)
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={t('plugin.title', { count: plugin?.sites.length ?? sites.length })}
      description={t('plugin.intro')}
      footer={
        <>
          <Button onClick={onClose}>{t('plugin.cancel')}</Button>
          {plugin ? (
            <Button variant="primary" busy={busy} onClick={() => void start()}>
              {t('plugin.start', { n: formatNumber(plugin.sites.length) })}
            </Button>
          ) : null}
        </>
      }
    >
      {read.error && !found ? (
        <ErrorPanel title={t('plugin.error')} error={read.error} onRetry={() => read.reload()} />
      ) : !found ? (
        <Skeleton className="h-16 w-full" />
      ) : plugin ? (
        <div className="grid gap-3">
          <Field label={t('plugin.field')}>
            <Select value={plugin.plugin} onChange={(event) => setChosen(event.target.value)}>
              {found.map((one) => (
                <option key={one.plugin} value={one.plugin}>
                  {t('plugin.option', { name: one.name, version: one.version, count: one.sites.length })}
                </option>
              ))}
            </Select>
          </Field>
          <p className="text-table text-muted">
            {t('plugin.some', { count: plugin.sites.length, skipped: sites.length - plugin.sites.length })}
          </p>
        </div>
      ) : (
        <EmptyState title={t('plugin.none')}>{t('plugin.none_hint')}</EmptyState>
      )}
    </Dialog>
  )
}
