import { outboxPage, type OutboxMail } from '#shared/responses/platform.ts'
import { mailStatuses } from '#shared/rules/mail-statuses.ts'
import { methodListCurl } from '#web/documents/actions/copy-as.ts'
import type { RowColumn } from '#web/documents/list/column-rows.tsx'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { Time } from '#web/ui/time.tsx'
import { MailDialog } from './mail-dialog.tsx'
import { MailStatus } from './mail-status.tsx'
import { platformMethod } from './methods.ts'
import { PagedList } from './paged-list.tsx'
import { pageParams, useTabQuery } from './tab-query.ts'
import { t } from './messages.ts'

/** Labels of the kinds of emails; unknown ones show their key. */
const kinds: Readonly<Record<string, string>> = {
  account_exists: t('mail.kind.account_exists'),
  invitation: t('mail.kind.invitation'),
  new_sign_in: t('mail.kind.new_sign_in'),
  owner_changed: t('mail.kind.owner_changed'),
  password_changed: t('mail.kind.password_changed'),
  reset_password: t('mail.kind.reset_password'),
  second_factor: t('mail.kind.second_factor'),
  token_created: t('mail.kind.token_created'),
  verify_email: t('mail.kind.verify_email'),
}

/** All emails of the installation, newest first. */
export function OutboxTab() {
  const [query, change] = useTabQuery('outbox', ['status'])
  const params = pageParams(query)
  const list = useMethod(platformMethod('outbox'), params, {
    keepPrevious: true,
    returns: outboxPage,
    refreshInterval: 15_000,
  })
  const columns: readonly RowColumn<OutboxMail>[] = [
    {
      key: 'subject',
      head: t('mail.subject'),
      cell: (row) => (
        <button
          type="button"
          className="max-w-96 text-left whitespace-normal wrap-anywhere hover:underline touch:py-1"
          onClick={() => change({ open: String(row.id) })}
        >
          <span lang="en" translate="no">
            {row.subject}
          </span>
        </button>
      ),
    },
    { key: 'to', head: t('mail.to'), cell: (row) => row.to },
    { key: 'status', head: t('mail.status'), cell: (row) => <MailStatus status={row.status} /> },
    { key: 'kind', head: t('mail.kind'), wide: true, cell: (row) => kinds[row.kind] ?? row.kind },
    {
      key: 'created',
      head: t('mail.created'),
      cell: (row) => <Time value={row.created} className="text-muted" />,
    },
  ]
  const open = query.open !== null && /^[1-9]\d{0,15}$/.test(query.open) ? Number(query.open) : null
  return (
    <>
      <PagedList
        label={t('platform.outbox')}
        query={query}
        onChange={change}
        loaded={list}
        rows={list.data?.mails}
        total={list.data?.total ?? 0}
        rowKey={(row) => String(row.id)}
        columns={columns}
        command={() => methodListCurl(platformMethod('outbox'), params, location.origin)}
        filters={[
          {
            name: 'status',
            label: t('mail.status'),
            options: mailStatuses.map((status) => ({ value: status, label: t(`mail.${status}`) })),
          },
        ]}
        aside={<p className="text-table text-muted">{t('mail.hint')}</p>}
        errorTitle={t('mail.error')}
        empty={{ title: t('mail.empty_title'), text: t('mail.empty') }}
      />
      {open === null ? null : <MailDialog key={open} mail={open} onClose={() => change({ open: null })} />}
    </>
  )
}
