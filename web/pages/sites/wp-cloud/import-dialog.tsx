import { useState } from 'react'
import { wpcImported, wpcUnmanaged } from '#shared/responses/wpc-sites.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { call } from '#web/lib/api/api.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { showToast } from '#web/lib/browser/toasts.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { Button } from '#web/ui/button.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Checkbox } from '#web/ui/form/checkbox.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { t } from './messages.ts'

const prefix = 'easydash.easydash.doctype.wpc_site.wpc_site'

/** Adds sites that the account at WP Cloud has already. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const { refresh } = useSession()
  const read = useMethod(`${prefix}.list_unmanaged`, {}, { verb: 'POST', returns: wpcUnmanaged })
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const found = read.data
  const chosen = found?.filter(({ atomic_site_id: id }) => !left.has(id)) ?? []
  const add = async () => {
    setBusy(true)
    setProblem(null)
    try {
      const sites = chosen.map(({ atomic_site_id: id }) => id)
      const { added, failed } = checkedResult(wpcImported, await call(`${prefix}.import_sites`, { sites }))
      // The plan's usage changed.
      void refresh()
      if (failed.length > 0) {
        void read.reload()
        setProblem(failed.map(({ domain, message }) => `${domain}: ${message}`).join('\n'))
        return
      }
      showToast({ title: t('import.done', { count: added.length }), variant: 'success' })
      onClose()
    } catch (error) {
      setProblem(fullMessage(toApiError(error)))
    } finally {
      setBusy(false)
    }
  }
  const toggle = (id: string) => {
    const next = new Set(left)
    if (!next.delete(id)) next.add(id)
    setLeft(next)
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open && !busy) onClose()
      }}
      title={t('import.title')}
      description={t('import.hint')}
      footer={
        <>
          <Button onClick={onClose}>{t('import.close')}</Button>
          <Button variant="primary" busy={busy} disabled={chosen.length === 0} onClick={() => void add()}>
            {t('import.add', { count: chosen.length })}
          </Button>
        </>
      }
    >
      <div className="grid gap-3 text-table">
        {problem ? (
          <Notice tone="bad">
            <span className="whitespace-pre-line">{problem}</span>
          </Notice>
        ) : null}
        {read.error && !found ? (
          <ErrorPanel title={t('import.error')} error={read.error} onRetry={() => read.reload()} />
        ) : null}
        {!found && !read.error ? <Skeleton className="h-24 w-full" /> : null}
        {found?.length === 0 ? <p className="text-muted">{t('import.none')}</p> : null}
        <ul className="grid max-h-80 gap-2 overflow-y-auto">
          {found?.map(({ atomic_site_id: id, domain }) => (
            <li key={id}>
              <Checkbox name={id} label={domain} checked={!left.has(id)} onChange={() => toggle(id)} />
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  )
}
