import { Download } from 'lucide-react'
import { useState } from 'react'
import { toApiError } from '#web/lib/api/api-error.ts'
import { downloadFile } from '#web/lib/api/download.ts'
import { useOfflineSince } from '#web/lib/api/offline.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { t as common } from '#web/lib/i18n/messages.ts'
import { Button } from '#web/ui/button.tsx'
import { t } from './messages.ts'

/** Downloads what a method answers with. `failed`: title of the toast if it doesn't. */
export function DownloadButton({
  method,
  params,
  failed,
}: {
  method: string
  params: Record<string, unknown>
  failed: string
}) {
  const [isBusy, setBusy] = useState(false)
  const isOffline = useOfflineSince() !== null
  const download = async (): Promise<void> => {
    setBusy(true)
    try {
      await downloadFile(method, params)
    } catch (error) {
      showToast({ title: failed, description: toApiError(error).message, variant: 'danger' })
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button
      size="sm"
      busy={isBusy}
      disabled={isOffline}
      title={isOffline ? common('common.offline') : undefined}
      onClick={() => void download()}
    >
      <Download size={14} strokeWidth={1.75} aria-hidden="true" />
      {t('logs.download')}
    </Button>
  )
}
