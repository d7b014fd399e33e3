import { useState } from 'react'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { ActionButton } from '#web/documents/actions/action-button.tsx'
import { answeredLink } from '#web/documents/actions/answered-link.ts'
import { useActions, type ActionResult } from '#web/documents/actions/use-actions.ts'
import { useNow } from '#web/lib/browser/use-now.ts'
import { formatAbsolute } from '#web/lib/i18n/format.ts'
import { parseTime } from '#web/lib/i18n/format-day.ts'
import { CopyableDetail } from '#web/ui/copyable-detail.tsx'
import { t } from './messages.ts'

/** A link with which people without an account see the site past its password, until it expires. */
export function PreviewLink({ site }: { site: Site }) {
  const doc = { ...site, doctype: 'Site' }
  const gated = useActions(SiteDoctype, doc).some(({ name }) => name === 'create_preview_link')
  const now = useNow(15_000)
  const [url, setUrl] = useState<string | null>(null)
  if (!gated) return null
  const until = parseTime(site.preview_until)
  const works = until !== null && until.getTime() > now
  const made = (result: ActionResult): void => setUrl(answeredLink(SiteDoctype, 'create_preview_link', result))
  return (
    <section className="grid gap-2" aria-label={t('preview.title')}>
      <div className="grid gap-0.5">
        <h3 className="text-table font-medium">{t('preview.title')}</h3>
        <p className="text-meta text-muted">
          {works ? t('preview.works', { until: formatAbsolute(until) }) : t('preview.hint')}
        </p>
      </div>
      {works && url !== null ? (
        <div className="grid gap-1" role="status">
          <CopyableDetail label={t('preview.link')} value={url} />
          <p className="text-meta text-muted">{t('preview.once')}</p>
        </div>
      ) : null}
      <div className="flex flex-wrap gap-2">
        <ActionButton
          type={SiteDoctype}
          doc={doc}
          name="create_preview_link"
          {...(works && { label: t('preview.again') })}
          size="md"
          onDone={made}
        />
        {works ? <ActionButton type={SiteDoctype} doc={doc} name="end_preview_link" size="md" /> : null}
      </div>
    </section>
  )
}
