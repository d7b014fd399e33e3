import { useState } from 'react'
import { useFailureToast } from '#web/lib/api/use-failure-toast.ts'
import type { PartMissing } from '#web/lib/session/session.tsx'
import { t } from '#web/lib/i18n/messages.ts'
import { Button } from '#web/ui/button.tsx'
import { Logo } from '#web/ui/images/logo.tsx'
import { ToastArea } from '#web/ui/overlay/toast-area.tsx'

/** Shown alone, with its toast, if a required part of the session could not be read at startup. */
export function Unreachable({ error, onRetry }: { error: PartMissing; onRetry: () => Promise<void> }) {
  const [busy, setBusy] = useState(false)
  useFailureToast(error.title, error)
  return (
    <>
      <main id="main" className="grid min-h-dvh place-items-center p-6">
        <div className="max-w-sm">
          <Logo className="mb-6 size-8" />
          <h1>{error.title}</h1>
          <p role="alert" className="mt-1 mb-6 text-muted">
            {error.message}
          </p>
          <Button
            variant="primary"
            busy={busy}
            onClick={() => {
              setBusy(true)
              void onRetry().finally(() => setBusy(false))
            }}
          >
            {t('common.retry')}
          </Button>
        </div>
      </main>
      <ToastArea />
    </>
  )
}
