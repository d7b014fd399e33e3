import { useState } from 'react'
import { boot } from '#web/lib/session/boot.ts'
import { copyText } from '#web/lib/browser/copy-text.ts'
import { t } from '#web/lib/i18n/messages.ts'
import { Button } from '#web/ui/button.tsx'
import { Logo } from '#web/ui/images/logo.tsx'

/** Details for a support request. */
function details(error: unknown): string {
  const text = error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error)
  return [
    text,
    `page ${location.pathname}`,
    `version ${boot().version}`,
    `browser ${navigator.userAgent}`,
    new Date().toISOString(),
  ].join('\n')
}

/** A bug in the app. Rendered outside of the router, so it must not use router links. */
export function CrashPage({ error }: { error: unknown }) {
  const [copied, setCopied] = useState(false)
  return (
    <main id="main" className="grid min-h-dvh place-items-center p-6">
      <div className="w-full max-w-lg">
        <Logo className="mb-6 size-8" />
        <h1>{t('crash.title')}</h1>
        <p role="alert" className="mt-1 text-muted">
          {t('crash.lead')}
        </p>
        <pre className="mt-4 max-h-40 overflow-auto rounded-card border border-border bg-sunken p-3 font-mono text-meta whitespace-pre-wrap">
          {error instanceof Error ? error.message : String(error)}
        </pre>
        <div className="mt-6 flex gap-2">
          <Button variant="primary" onClick={() => location.reload()}>
            {t('common.reload')}
          </Button>
          <Button onClick={() => void copyText(details(error)).then(setCopied)}>
            {copied ? t('common.copied') : t('common.copy_details')}
          </Button>
        </div>
      </div>
    </main>
  )
}
