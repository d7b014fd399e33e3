import { useState } from 'react'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import type { WordPressFacts } from '#shared/responses/wordpress.ts'
import { useActionRunner } from '#web/documents/actions/use-actions.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { Radio } from '#web/ui/form/radio.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { AlertDialog } from '#web/ui/overlay/alert-dialog.tsx'
import { Time } from '#web/ui/time.tsx'
import { apiTime } from '../wordpress/api-time.ts'
import { t } from './messages.ts'

/** Asks before WordPress is rolled back, and whether its database comes back, too, where it was kept. */
export function RollBackDialog({
  site,
  current,
  previous,
  onClose,
}: {
  site: Site
  current: string
  previous: NonNullable<WordPressFacts['previous']>
  onClose: () => void
}) {
  const { run } = useActionRunner(SiteDoctype)
  const [withDatabase, setWithDatabase] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const { version, at, database } = previous
  return (
    <AlertDialog
      open
      danger={withDatabase}
      onOpenChange={(open) => (open ? undefined : onClose())}
      title={t('back.title', { version })}
      confirmLabel={t('back.confirm')}
      error={failure}
      onConfirm={async () => {
        try {
          await run(site, 'roll_back_wordpress', { database: withDatabase ? 1 : 0 })
          onClose()
        } catch (error) {
          setFailure(fullMessage(toApiError(error)))
        }
      }}
    >
      <p>{t('back.text', { version, current })}</p>
      {database ? (
        <fieldset className="mt-3 grid gap-2">
          <legend className="mb-2">{t('back.question')}</legend>
          <Radio
            name="database"
            label={t('back.files')}
            checked={!withDatabase}
            onChange={() => setWithDatabase(false)}
          />
          <Radio
            name="database"
            label={<Time value={apiTime(at)} format={(when) => t('back.database', { when })} />}
            checked={withDatabase}
            onChange={() => setWithDatabase(true)}
          />
          {withDatabase ? <Notice tone="warn">{t('back.lost', { current })}</Notice> : null}
        </fieldset>
      ) : null}
    </AlertDialog>
  )
}
