import { Download } from 'lucide-react'
import { useState } from 'react'
import { toApiError } from '#web/lib/api/api-error.ts'
import { downloadFile } from '#web/lib/api/download.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { Button } from '#web/ui/button.tsx'
import { Menu, MenuItem } from '#web/ui/overlay/menu.tsx'
import { t } from './messages.ts'
import type { ListRequest } from '../query/list-request.ts'

/** Downloads all pages of the listed activities as a file. */
export function ActivityExport({ conditions }: { conditions: Pick<ListRequest, 'filters' | 'or_filters'> }) {
  const [busy, setBusy] = useState(false)
  const save = async (format: 'csv' | 'jsonl') => {
    setBusy(true)
    try {
      await downloadFile('easydash.api.activity.export', { format, ...conditions })
    } catch (error) {
      showToast({ title: t('export.failed'), description: toApiError(error).message, variant: 'danger' })
    } finally {
      setBusy(false)
    }
  }
  return (
    <Menu
      trigger={
        <Button size="md" className="h-8! max-md:h-11!" busy={busy}>
          {busy ? null : <Download size={16} strokeWidth={1.75} aria-hidden="true" className="text-muted" />}
          {t('export.button')}
        </Button>
      }
    >
      <MenuItem onSelect={() => void save('csv')}>{t('export.csv')}</MenuItem>
      <MenuItem onSelect={() => void save('jsonl')}>{t('export.jsonl')}</MenuItem>
    </Menu>
  )
}
