import { Trash2 } from 'lucide-react'
import { useMemo, useState } from 'react'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { mailMessage, type MailMessage, type MailSummary } from '#shared/responses/site-logs.ts'
import { useActions } from '#web/documents/actions/use-actions.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { runAction } from '#web/lib/api/api.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { showToast } from '#web/lib/browser/toasts.ts'
import { formatBytes } from '#web/lib/i18n/format.ts'
import { Button } from '#web/ui/button.tsx'
import { DetailList } from '#web/ui/detail-list.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Drawer } from '#web/ui/overlay/drawer.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { Time } from '#web/ui/time.tsx'
import { DownloadButton } from './download-button.tsx'
import { htmlText } from './html-text.tsx'
import { t } from './messages.ts'

/** An email, opened over the list; `mail` null closes it. */
export function MailDrawer({
  site,
  mail,
  onClose,
  onDeleted,
}: {
  site: Site
  mail: MailSummary | null
  onClose: () => void
  onDeleted: () => Promise<void>
}) {
  // Kept while the drawer closes.
  const [shown, setShown] = useState(mail)
  if (mail !== null && mail !== shown) setShown(mail)
  const { data, error, reload } = useMethod(
    mail === null ? null : 'run_doc_method',
    { dt: 'Site', dn: site.name, method: 'read_mail', args: { mail: mail?.id } },
    { verb: 'POST', returns: mailMessage, revalidateOnFocus: false },
  )
  const action = useActions(SiteDoctype, { ...site, doctype: 'Site' }).find(({ name }) => name === 'delete_mail')
  const [isBusy, setBusy] = useState(false)
  const remove = async (): Promise<void> => {
    if (mail === null) return
    setBusy(true)
    try {
      await runAction('Site', site.name, 'delete_mail', { mail: mail.id })
      showToast({ title: t('logs.mail_deleted'), variant: 'success' })
      onClose()
      await onDeleted()
    } catch (failure) {
      showToast({ title: t('logs.mail_delete_failed'), description: toApiError(failure).message, variant: 'danger' })
    } finally {
      setBusy(false)
    }
  }
  return (
    <Drawer
      open={mail !== null}
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={shown?.subject || t('logs.mail_no_subject')}
      head={null}
      footer={
        <>
          {mail === null ? null : (
            <DownloadButton
              method="easydash.api.site.download_mail"
              params={{ site: site.name, mail: mail.id }}
              failed={t('logs.mail_download_failed')}
            />
          )}
          {action ? (
            <Button
              size="sm"
              busy={isBusy}
              disabled={!action.gate.enabled}
              title={action.gate.enabled ? undefined : action.gate.reason}
              onClick={() => void remove()}
            >
              <Trash2 size={14} strokeWidth={1.75} aria-hidden="true" />
              {t('logs.mail_delete')}
            </Button>
          ) : null}
        </>
      }
    >
      {data ? (
        <OpenMail key={data.id} mail={data} />
      ) : error ? (
        <div className="p-5">
          <ErrorPanel title={t('logs.mail_error')} error={error} onRetry={() => reload()} />
        </div>
      ) : (
        <div className="grid gap-3 p-5" aria-hidden="true">
          <Skeleton className="h-4 w-56" />
          <Skeleton className="h-4 w-72" />
          <Skeleton className="h-40 w-full" />
        </div>
      )}
    </Drawer>
  )
}

function OpenMail({ mail }: { mail: MailMessage }) {
  const [isSource, setSource] = useState(false)
  const formatted = useMemo(() => (mail.is_html ? htmlText(mail.body) : null), [mail])
  const details = [
    { label: t('logs.mail_to'), value: mail.to },
    ...(mail.from === '' ? [] : [{ label: t('logs.mail_from'), value: mail.from }]),
    { label: t('logs.mail_written'), value: <Time variant="detail" value={mail.at} /> },
  ]
  return (
    <div className="grid min-w-0 gap-4 overflow-y-auto px-5 py-4 text-table">
      <DetailList details={details} />
      <div className="min-w-0 rounded-card border border-border p-4">
        {mail.is_html && !isSource ? (
          <div
            translate="no"
            className="grid gap-2 text-body [overflow-wrap:anywhere] [&_ol]:list-decimal [&_ol]:pl-6 [&_ul]:list-disc [&_ul]:pl-6"
          >
            {formatted}
          </div>
        ) : (
          <pre translate="no" className="font-mono text-meta [overflow-wrap:anywhere] whitespace-pre-wrap">
            {mail.body || t('logs.mail_body_empty')}
          </pre>
        )}
        {mail.cut ? <p className="mt-3 text-meta text-muted">{t('logs.mail_body_cut')}</p> : null}
      </div>
      {mail.is_html ? (
        <div className="flex flex-wrap items-center gap-3 text-meta text-muted">
          <Button size="sm" onClick={() => setSource(!isSource)}>
            {t(isSource ? 'logs.mail_as_html' : 'logs.mail_as_text')}
          </Button>
          {isSource ? null : t('logs.mail_simplified')}
        </div>
      ) : null}
      {mail.attachments.length > 0 ? (
        <section aria-label={t('logs.mail_attachments_title')}>
          <h3 className="font-semibold">{t('logs.mail_attachments_title')}</h3>
          <ul className="mt-1">
            {mail.attachments.map(({ name, bytes }, index) => (
              <li key={index} className="[overflow-wrap:anywhere]">
                <span translate="no">{name}</span> <span className="text-muted">{formatBytes(bytes)}</span>
              </li>
            ))}
          </ul>
          <p className="mt-1 text-meta text-muted">{t('logs.mail_attachments_hint')}</p>
        </section>
      ) : null}
      {mail.headers.length > 0 ? (
        <details>
          <summary className="cursor-pointer py-1 font-semibold max-md:py-2.5">{t('logs.mail_headers')}</summary>
          <dl translate="no" className="mt-2 grid gap-1 font-mono text-meta">
            {mail.headers.map(({ name, value }, index) => (
              <div key={index} className="[overflow-wrap:anywhere]">
                <dt className="inline text-muted">{name}:</dt> <dd className="inline">{value}</dd>
              </div>
            ))}
          </dl>
        </details>
      ) : null}
    </div>
  )
}
