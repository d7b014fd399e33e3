import { parseOwnJson } from '#shared/parse-json.ts'
import { useMemo } from 'react'
import { ActivityDoctype } from '#shared/doctypes/activity.ts'
import type { FilterTriple } from '#shared/doctype.ts'
import { useLocation } from 'react-router'
import { useSearchParams } from '#web/lib/routing/router.tsx'
import { useAllRows } from '#web/lib/api/all-rows.ts'
import { Button } from '#web/ui/button.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { activityColumns } from './activity-columns.tsx'
import { dayFilters } from './activity-dates.ts'
import { ActivityDrawer } from './activity-drawer.tsx'
import { ActivityExport } from './activity-export.tsx'
import { t } from './messages.ts'
import { t as valueText } from '../messages.ts'
import { ActivityRange, useDayRange } from './activity-range.tsx'
import { filtersFor } from './recent-activity.tsx'
import { DocumentList } from '../list/list.tsx'
import { useBreakpoint } from '#web/lib/browser/use-breakpoint.ts'

/** Scope of an activity list: one document, or the given filters. */
export type ActivitySubject = { doctype: string; name: string } | { filters: readonly FilterTriple[] }

/** Names of everyone in the organization by email; former members keep the email. */
function useNames(): (email: string | null | undefined) => string {
  const people = useAllRows<{ name: string; full_name: string | null }>('User', {
    fields: ['name', 'full_name'],
  }).data
  return useMemo(() => {
    const names = new Map(people?.map((person) => [person.name, person.full_name]))
    return (email) => (!email || email === 'System' ? valueText('value.system') : (names.get(email) ?? email))
  }, [people])
}

/** All activities, newest first: who did what and the outcome. Each entry opens a drawer with its changes. */
export function ActivityList(subject: ActivitySubject) {
  const [params, setParams] = useSearchParams()
  const { pathname, search, hash } = useLocation()
  const [range, setRange] = useDayRange()
  const who = useNames()
  const phone = useBreakpoint() === 'phone'
  const subjectText = JSON.stringify('filters' in subject ? subject.filters : filtersFor(subject.doctype, subject.name))
  const days = JSON.stringify(dayFilters(range))
  const scope = useMemo(
    () => [...parseOwnJson<FilterTriple[]>(subjectText), ...parseOwnJson<FilterTriple[]>(days)],
    [subjectText, days],
  )
  const several = 'filters' in subject
  const columns = useMemo(() => activityColumns({ who, several, phone }), [who, several, phone])
  const open = params.get('activity')
  const show = (name: string | null) => {
    const wanted = new URLSearchParams(search)
    if (name) wanted.set('activity', name)
    else wanted.delete('activity')
    return wanted
  }
  const close = () => setParams(show(null), { replace: true })
  return (
    <>
      <DocumentList
        type={ActivityDoctype}
        columns={columns}
        scope={scope}
        savedViews={false}
        href={(row) => `${pathname}?${show(row.name).toString()}${hash}`}
        toolbar={(conditions) => (
          <>
            <ActivityRange />
            <ActivityExport conditions={conditions} />
          </>
        )}
        empty={
          range.from || range.to ? (
            <EmptyState
              title={t('dates.none_title')}
              action={<Button onClick={() => setRange({ from: null, to: null })}>{t('dates.any')}</Button>}
            >
              {t('dates.none')}
            </EmptyState>
          ) : (
            <EmptyState title={t('activity.empty_title')}>{t('activity.empty')}</EmptyState>
          )
        }
      />
      {open !== null ? <ActivityDrawer name={open} onClose={close} /> : null}
    </>
  )
}
