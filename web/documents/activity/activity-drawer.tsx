import { ActivityDoctype, type Activity } from '#shared/doctypes/activity.ts'
import { formatAbsolute, formatDuration } from '#web/lib/i18n/format.ts'
import { useDoc, useDynamicList, useList } from '#web/lib/api/frappe.tsx'
import { useLocation } from 'react-router'
import { Link } from '#web/lib/routing/router.tsx'
import { Button, ButtonLink } from '#web/ui/button.tsx'
import { Drawer } from '#web/ui/overlay/drawer.tsx'
import { DetailList, type Detail } from '#web/ui/detail-list.tsx'
import { changesOf, type Change, type ChangeValue } from './activity-changes.ts'
import { t } from './messages.ts'
import { actionText, withDetail } from './activity-text.ts'
import { DocStatus, Nothing } from '../values/cells.tsx'
import { jobSearch } from '../jobs/job-link.ts'
import { valueLabel } from '../query/list-query.ts'
import { findDoctype } from '../query/list-request.ts'
import { documentPath } from '../document-paths.ts'
import { usePeople } from '../people.ts'
import { UnreadDrawer } from './unread-drawer.tsx'

/** Drawer for one log entry: who, what, outcome and changes. Closed by `onClose`. */
export function ActivityDrawer({ name, onClose }: { name: string; onClose: () => void }) {
  const { search, hash } = useLocation()
  const { data: entry, error, reload } = useDoc('Activity', name)
  const start = useStart(entry)
  const person = usePeople([entry?.actor, entry?.on_behalf_of])
  const title = entry
    ? t('list.activity_text', {
        who: person(entry.actor),
        action: withDetail(actionText(entry.action ?? ''), entry),
      })
    : t(error ? 'entry.error_title' : 'entry.loading')
  const params = new URLSearchParams(search)
  params.delete('activity')
  return (
    <Drawer
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={title}
      footer={
        <>
          <span className="flex-1" />
          {entry?.job ? (
            <ButtonLink to={{ search: jobSearch(params.toString(), entry.job), hash }}>{t('entry.job')}</ButtonLink>
          ) : null}
          <Button onClick={onClose}>{t('entry.close')}</Button>
        </>
      }
    >
      {entry ? (
        <div className="grid gap-5 px-5 py-4">
          <DetailList details={activityDetails(entry, start, person)} />
          <Changes
            changes={[
              ...changesOf(entry.reference_doctype, start?.before, start?.after),
              ...changesOf(entry.reference_doctype, entry.before, entry.after),
            ]}
          />
        </div>
      ) : (
        <UnreadDrawer
          error={error}
          title={t('entry.error_title')}
          doctype="Activity"
          name={name}
          onRetry={() => reload()}
        />
      )}
    </Drawer>
  )
}

const startFields = ['name', 'creation', 'before', 'after', 'via', 'ip', 'token'] as const
type Start = Pick<Activity, (typeof startFields)[number]>

/** The entry with which the act of an entry started, and what it changed; undefined if it is the same entry. */
function useStart(entry: Activity | undefined): Start | undefined {
  const [start] =
    useList(entry?.job ? 'Activity' : null, {
      fields: startFields,
      filters: [
        ['job', '=', entry?.job ?? ''],
        ['result', '=', 'Started'],
        // A job may be about several documents, each of which has its own entries.
        ...(entry?.reference_name ? [['reference_name', '=', entry.reference_name] as const] : []),
      ],
      order_by: 'creation asc',
      limit: 1,
    }).data ?? []
  return start?.name === entry?.name ? undefined : start
}

function activityDetails(
  entry: Activity,
  start: Start | undefined,
  person: (email: string | null) => string,
): Detail[] {
  const path = documentPath(entry.reference_doctype, entry.reference_name)
  const target = entry.reference_title
  const { via, ip, token } = start ?? entry
  const details: Detail[] = [
    { label: t('entry.started'), value: start ? formatAbsolute(start.creation) : null },
    { label: t('list.when'), value: formatAbsolute(entry.creation) },
    { label: t('entry.for'), value: entry.on_behalf_of ? person(entry.on_behalf_of) : null },
    {
      label: t('list.target'),
      value:
        target && path ? (
          <Link to={path} className="font-medium hover:underline">
            {target}
          </Link>
        ) : (
          target
        ),
    },
    { label: t('entry.target_address'), value: entry.reference_address },
    {
      label: t('entry.result'),
      value: entry.result ? <DocStatus doctype="Activity" field="result" value={entry.result} /> : null,
    },
    {
      label: t('list.took'),
      value: entry.took_ms === null || entry.took_ms === undefined ? null : formatDuration(entry.took_ms / 1000),
    },
    { label: t('list.via'), value: via ? valueLabel(ActivityDoctype, 'via', via) : null },
    { label: t('entry.address'), value: ip },
    { label: t('entry.token'), value: token },
  ]
  return details.filter(({ value }) => Boolean(value))
}

function Changes({ changes }: { changes: readonly Change[] }) {
  if (changes.length === 0) return <p className="text-table text-muted">{t('entry.no_changes')}</p>
  // Action details and new documents have no previous values.
  const two = changes.some((change) => change.before !== null)
  return (
    <section className="grid gap-2">
      <h3 className="font-semibold">{t('entry.changes')}</h3>
      <table className="w-full table-fixed border-collapse text-left text-table">
        <thead>
          <tr className="border-b border-hairline text-muted">
            <th scope="col" className="w-[30%] py-1.5 pr-3 font-normal">
              {t('entry.field')}
            </th>
            {two ? (
              <th scope="col" className="py-1.5 pr-3 font-normal">
                {t('entry.before')}
              </th>
            ) : null}
            <th scope="col" className="py-1.5 font-normal">
              {t('entry.after')}
            </th>
          </tr>
        </thead>
        <tbody>
          {changes.map((change) => (
            <tr key={change.field} className="border-b border-hairline align-top last:border-b-0">
              <th scope="row" className="py-2 pr-3 font-medium wrap-anywhere">
                {change.label}
              </th>
              {two ? (
                <td className="py-2 pr-3 text-muted wrap-anywhere">
                  <Value value={change.before} />
                </td>
              ) : null}
              <td className="py-2 wrap-anywhere">
                <Value value={change.after} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Value({ value }: { value: ChangeValue }) {
  if (value === null) return <Nothing />
  return typeof value === 'string' ? value : <LinkedTitle {...value} />
}

/** Title of a linked document; its ID only if the document can't be read anymore. */
function LinkedTitle({ doctype, name }: { doctype: string; name: string }) {
  const type = findDoctype(doctype)
  const title = type?.title_field ?? 'name'
  const found = useDynamicList(type, {
    fields: ['name', title],
    filters: [['name', '=', name]],
    limit: 1,
  })
  return String(found.data?.[0]?.[title] ?? name)
}
