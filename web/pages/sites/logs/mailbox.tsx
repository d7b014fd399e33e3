import { Mail, Paperclip } from 'lucide-react'
import { useRef, useState } from 'react'
import type { Site } from '#shared/doctypes/site.ts'
import { mailPage, type MailSummary } from '#shared/responses/site-logs.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { toApiError, type ApiError } from '#web/lib/api/api-error.ts'
import { runAction } from '#web/lib/api/api.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { formatBytes } from '#web/lib/i18n/format.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, CardHead } from '#web/ui/card.tsx'
import { SearchInput } from '#web/ui/form/search-input.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { Time } from '#web/ui/time.tsx'
import { ClearButton } from './clear-button.tsx'
import { MailDrawer } from './mail-drawer.tsx'
import { t } from './messages.ts'
import { usePolling } from './use-polling.ts'

const mailIcon = <Mail size={18} strokeWidth={1.75} aria-hidden="true" />

interface LoadedMails {
  readonly mails: readonly MailSummary[]
  readonly total: number
  readonly version: string
  readonly partial: boolean
}

/** Code of the error of an engine that keeps no emails. */
const unsupported = 'unsupported'

/** The newest emails that contain a text ('': all), live, and older ones on request. */
function useMails(site: string, search: string, onElsewhere: (reason: ApiError) => void) {
  const [loaded, setLoaded] = useState<LoadedMails | null>(null)
  const [older, setOlder] = useState<readonly MailSummary[]>([])
  const [failure, setFailure] = useState<ApiError | null>(null)
  const version = useRef<string | null>(null)
  const ask = async (args: Record<string, unknown>): Promise<LoadedMails | null> =>
    checkedResult(mailPage, await runAction('Site', site, 'list_mails', search === '' ? args : { ...args, search }))
  const guarded = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work()
      setFailure(null)
    } catch (error) {
      const reason = toApiError(error)
      if (reason.code === unsupported) onElsewhere(reason)
      setFailure(reason)
    }
  }
  const refresh = () =>
    guarded(async () => {
      const page = await ask(version.current === null ? {} : { known: version.current })
      if (page === null) return
      version.current = page.version
      setLoaded(page)
      // Positions have moved: what was shown of the older ones would overlap.
      setOlder([])
    })
  usePolling(refresh, true)
  const mails = [...(loaded?.mails ?? []), ...older]
  return {
    mails,
    total: loaded?.total ?? 0,
    isPartial: loaded?.partial === true,
    isLoaded: loaded !== null,
    failure,
    refresh,
    readOlder: () =>
      guarded(async () => {
        const page = await ask({ skip: mails.length })
        if (page !== null) setOlder((before) => [...before, ...page.mails])
      }),
  }
}

/** The mail a site sent: kept here instead of being delivered. */
export function Mailbox({ site }: { site: Site }) {
  const [search, setSearch] = useState('')
  const [elsewhere, setElsewhere] = useState<ApiError | null>(null)
  if (elsewhere)
    return (
      <Card>
        <EmptyState icon={mailIcon} title={t('logs.mail_elsewhere')}>
          {fullMessage(elsewhere)}
        </EmptyState>
      </Card>
    )
  return (
    <div className="grid gap-3">
      <SearchInput label={t('logs.mail_search')} text={search} onChange={setSearch} className="md:w-72" />
      <Mails key={search.trim()} site={site} search={search.trim()} onElsewhere={setElsewhere} />
    </div>
  )
}

function Mails({
  site,
  search,
  onElsewhere,
}: {
  site: Site
  search: string
  /** The engine keeps no emails, and says why. */
  onElsewhere: (reason: ApiError) => void
}) {
  const box = useMails(site.name, search, onElsewhere)
  const [opened, setOpened] = useState<MailSummary | null>(null)
  if (!box.isLoaded && box.failure)
    return <ErrorPanel title={t('logs.mail_error')} error={box.failure} onRetry={box.refresh} />
  if (!box.isLoaded) return <Skeleton className="h-64 w-full rounded-card" />
  return (
    <Card>
      <CardHead
        lined
        title={t('logs.mail_title')}
        subtitle={t(search === '' ? 'logs.mail_count' : 'logs.mail_matches', { count: box.total })}
      >
        {/* All is deleted, not what was found. */}
        {search === '' && box.total > 0 ? (
          <ClearButton
            site={site}
            action="clear_mails"
            label={t('logs.mail_clear')}
            title={t('logs.mail_clear_title', { count: box.total })}
            text={t('logs.mail_clear_text')}
            onCleared={box.refresh}
          />
        ) : null}
      </CardHead>
      {box.mails.length === 0 && search !== '' ? (
        <EmptyState title={t('logs.mail_none')}>{t('logs.mail_none_text')}</EmptyState>
      ) : box.mails.length === 0 ? (
        <EmptyState icon={mailIcon} title={t('logs.mail_empty')}>
          {t('logs.mail_hint')}
        </EmptyState>
      ) : (
        <>
          <p className="border-b border-hairline px-4 py-2 text-meta text-muted">{t('logs.mail_hint')}</p>
          <ul aria-label={t('logs.mail_title')}>
            {box.mails.map((mail) => (
              <MailRow key={mail.id} mail={mail} onOpen={() => setOpened(mail)} />
            ))}
          </ul>
        </>
      )}
      {box.isPartial ? <p className="px-4 py-2 text-meta text-muted">{t('logs.mail_partial')}</p> : null}
      {box.mails.length < box.total ? (
        <div className="px-4 py-3">
          <Button size="sm" onClick={() => void box.readOlder()}>
            {t('logs.mail_older')}
          </Button>
        </div>
      ) : null}
      <MailDrawer site={site} mail={opened} onClose={() => setOpened(null)} onDeleted={box.refresh} />
    </Card>
  )
}

function MailRow({ mail, onOpen }: { mail: MailSummary; onOpen: () => void }) {
  return (
    <li className="border-b border-hairline last:border-b-0">
      <button
        type="button"
        onClick={onOpen}
        disabled={mail.unreadable}
        className="grid min-h-11 w-full grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 px-4 py-2 text-left text-table enabled:hover:bg-hover md:grid-cols-[minmax(0,240px)_minmax(0,1fr)_auto]"
      >
        <span className="truncate text-muted max-md:order-3 max-md:col-span-2" translate="no">
          {mail.to || t('logs.mail_no_recipient')}
        </span>
        <span className="flex min-w-0 items-center gap-2 font-medium" translate="no">
          <span className="truncate">
            {mail.unreadable
              ? t('logs.mail_unreadable', { size: formatBytes(mail.bytes) })
              : mail.subject || t('logs.mail_no_subject')}
          </span>
          {mail.attachments > 0 ? (
            <span className="inline-flex flex-none items-center gap-1 text-meta font-normal text-muted">
              <Paperclip size={14} strokeWidth={1.75} aria-hidden="true" />
              <span aria-hidden="true">{mail.attachments}</span>
              <span className="sr-only">{t('logs.mail_attachments', { count: mail.attachments })}</span>
            </span>
          ) : null}
        </span>
        <Time value={mail.at} className="text-meta text-muted" />
      </button>
    </li>
  )
}
