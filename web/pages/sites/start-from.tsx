import { lazy, Suspense, type ReactNode } from 'react'
import { sessionRoles, useSession } from '#web/lib/session/session.tsx'
import { useCount } from '#web/lib/api/frappe.tsx'
import { Link, useSearchParams } from '#web/lib/routing/router.tsx'
import { buttonStyle } from '#web/ui/button.tsx'
import { Segmented } from '#web/ui/form/segmented.tsx'
import { LazyBoundary } from '#web/ui/lazy-boundary.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { FormSection } from './form-section.tsx'
import { t } from './start-from-messages.ts'

const CloneFrom = lazy(() => import('./copies/clone-from.tsx').then((module) => ({ default: module.CloneFrom })))

/** What a new site can start from. */
const sources = ['fresh', 'clone', 'backup'] as const
type Source = (typeof sources)[number]

/**
 * What the user can start a new site from; null while that is loading. Members can copy what they own or what is shared with them for
 * editing; of a single site, its actions decide.
 */
function useSources(): readonly Source[] | null {
  const session = useSession()
  const { member } = sessionRoles(session)
  const none = session.subscription?.usage.site === 0
  const live = useCount(none ? null : 'Site', { filters: [['status', '=', 'Live']] })
  // Those of sites that were deleted stay.
  const backups = useCount('Site Backup', {
    filters: [
      ['status', '=', 'Ready'],
      ['kind', '!=', 'imported'],
    ],
  })
  const own = useCount(member && !none ? 'Site' : null, { filters: [['owner', '=', session.user]] })
  const shared = useCount(member && !none ? 'DocShare' : null, {
    filters: [
      ['user', '=', session.user],
      ['share_doctype', '=', 'Site'],
      ['write', '=', 1],
    ],
  })
  const asked = none ? [backups] : [live, backups, ...(member ? [own, shared] : [])]
  // Who has no site has rarely anything to start from: the form doesn't wait.
  if (asked.some(({ data, error }) => data === undefined && error === null)) return none ? ['fresh'] : null
  const edits = !member || (own.data ?? 0) > 0 || (shared.data ?? 0) > 0
  return sources.filter(
    (source) => source === 'fresh' || (edits && ((source === 'clone' ? live : backups).data ?? 0) > 0),
  )
}

/**
 * The choice between a fresh site and a copy of what there is. `children` is the form of a fresh one; the others lead to the dialogs that
 * sites and backups have. Without anything to copy there is no choice.
 */
export function StartFrom({ children }: { children: ReactNode }) {
  const offered = useSources()
  const [params, setParams] = useSearchParams()
  const wanted = params.get('from')
  const source = offered?.find((one) => one === wanted) ?? 'fresh'
  const choose = (next: Source) =>
    setParams(
      (current) => {
        if (next === 'fresh') current.delete('from')
        else current.set('from', next)
        return current
      },
      { replace: true },
    )
  return (
    <>
      {offered?.length === 1 ? null : (
        <div className="mb-5 border-b border-hairline">
          <FormSection title={t('start.title')}>
            {offered === null ? (
              <Skeleton className="h-8 w-80 max-w-full max-md:h-11" />
            ) : (
              <div className="-m-1 w-max max-w-[calc(100%+8px)] overflow-x-auto p-1">
                <Segmented
                  label={t('start.title')}
                  hideLabel
                  options={offered.map((value) => ({ value, label: t(`start.${value}`) }))}
                  value={source}
                  onChange={choose}
                />
              </div>
            )}
            {source === 'clone' ? (
              <LazyBoundary level="part">
                <Suspense fallback={<Skeleton className="h-20 w-full" />}>
                  <CloneFrom />
                </Suspense>
              </LazyBoundary>
            ) : null}
            {source === 'backup' ? (
              <div className="grid justify-items-start gap-3">
                <p className="text-table text-muted">{t('start.backup_hint')}</p>
                <Link to="/site/backups" className={buttonStyle({ variant: 'default' })}>
                  {t('start.backup_list')}
                </Link>
              </div>
            ) : null}
          </FormSection>
        </div>
      )}
      {source === 'fresh' ? children : null}
    </>
  )
}
