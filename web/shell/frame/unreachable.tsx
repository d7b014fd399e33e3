import { useState } from 'react'
import type { ApiError } from '#web/lib/api/api-error.ts'
import { PartMissing } from '#web/lib/session/session.tsx'
import { t } from '#web/lib/i18n/messages.ts'
import { Button } from '#web/ui/button.tsx'
import { Logo } from '#web/ui/images/logo.tsx'

/** Shown alone if the server didn't provide the session at startup. */
export function Unreachable({ error, onRetry }: { error: ApiError; onRetry: () => Promise<void> }) {
  const [busy, setBusy] = useState(false)
  return (
    <main id="main" className="grid min-h-dvh place-items-center p-6">
      <div className="max-w-sm">
        <Logo className="mb-6 size-8" />
        <h1>{error instanceof PartMissing ? error.title : t('shell.unreachable')}</h1>
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
  )
}
