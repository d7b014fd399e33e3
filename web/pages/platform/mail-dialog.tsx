import { useEffect, useState } from 'react'
import { mailWithContent, type MailWithContent } from '#shared/responses/platform.ts'
import { toApiError, type ApiError } from '#web/lib/api/api-error.ts'
import { call } from '#web/lib/api/api.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { pageNonce } from '#web/lib/browser/page-nonce.ts'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { DetailList } from '#web/ui/detail-list.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { TabPanel, Tabs } from '#web/ui/tabs.tsx'
import { Time } from '#web/ui/time.tsx'
import { MailStatus } from './mail-status.tsx'
import { previewHtml } from './mail-html.ts'
import { platformMethod } from './methods.ts'
import { t } from './messages.ts'

/**
 * An email as its recipient sees it, and as text with its links. Reading it is logged, so it is loaded once when the dialog
 * opens and not cached.
 */
export function MailDialog({ mail: id, onClose }: { mail: number; onClose: () => void }) {
  const [mail, setMail] = useState<MailWithContent | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    const abort = new AbortController()
    call(platformMethod('outbox_mail'), { mail: id }, { signal: abort.signal })
      .then((answer) => setMail(checkedResult(mailWithContent, answer)))
      .catch((reason: unknown) => {
        if (!abort.signal.aborted) setError(toApiError(reason))
      })
    return () => abort.abort()
  }, [id, attempt])
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={mail?.subject ?? t('mail.loading')}
      description={t('mail.recorded')}
      width="md:w-[680px]"
    >
      {mail ? (
        <Mail mail={mail} />
      ) : error ? (
        <ErrorPanel
          title={t('mail.error_one')}
          error={error}
          onRetry={() => {
            setError(null)
            setAttempt((before) => before + 1)
          }}
        />
      ) : (
        <Skeleton className="h-[480px] w-full rounded-card" />
      )}
    </Dialog>
  )
}

const forms = ['html', 'text'] as const

function Mail({ mail }: { mail: MailWithContent }) {
  const [form, setForm] = useState<(typeof forms)[number]>('html')
  return (
    <div className="grid gap-4">
      <DetailList
        details={[
          { label: t('mail.to'), value: mail.to },
          { label: t('mail.status'), value: <MailStatus status={mail.status} /> },
          { label: t('mail.created'), value: <Time variant="detail" value={mail.created} /> },
        ]}
      />
      {mail.error ? <Notice tone="bad">{mail.error}</Notice> : null}
      {mail.html === '' && mail.text === '' ? (
        <Notice tone="info">{t('mail.not_kept')}</Notice>
      ) : (
        <div>
          <Tabs
            label={t('mail.forms')}
            tabs={forms.map((id) => ({ id, label: t(`mail.${id}`) }))}
            current={form}
            onChange={(id) => setForm(id === 'text' ? 'text' : 'html')}
          />
          <TabPanel id={form}>
            {form === 'html' ? (
              <iframe
                // Fully sandboxed: no scripts, origin, forms or navigation.
                sandbox=""
                title={t('mail.preview')}
                srcDoc={previewHtml(mail.html, pageNonce())}
                className="h-[420px] w-full rounded-ctl border border-border bg-surface"
              />
            ) : (
              <pre className="max-h-[420px] overflow-auto rounded-ctl border border-border bg-sunken p-3 font-mono text-meta whitespace-pre-wrap [overflow-wrap:anywhere]">
                {mail.text}
              </pre>
            )}
            {form === 'html' ? <p className="mt-2 text-meta text-muted">{t('mail.links')}</p> : null}
          </TabPanel>
        </div>
      )}
    </div>
  )
}
