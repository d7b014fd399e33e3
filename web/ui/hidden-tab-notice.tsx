import { createCatalog } from '#web/lib/i18n/catalog.ts'
import { Notice } from './notice.tsx'

const t = createCatalog({ hidden: '“{tab}” is not available here' })

/** Above the first tab, which is shown instead of the one that the URL names. */
export function HiddenTabNotice({ tab, reason }: { tab: string; reason: string }) {
  return (
    <Notice tone="info" title={t('hidden', { tab })} className="mb-4">
      {reason}
    </Notice>
  )
}
