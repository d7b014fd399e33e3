import { lazy, Suspense, type ReactNode } from 'react'
import { useSearchParams } from '#web/lib/routing/router.tsx'
import { useSession } from '#web/lib/session/session.tsx'
import { Segmented } from '#web/ui/form/segmented.tsx'
import { LazyBoundary } from '#web/ui/lazy-boundary.tsx'
import { PageHead } from '#web/ui/page-head.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { t } from '../messages.ts'
import { canCreateAtWpCloud } from './can-create.ts'

const WpcCreateForm = lazy(() => import('./wpc-create-form.tsx').then((module) => ({ default: module.WpcCreateForm })))

const places = ['server', 'wp-cloud'] as const

/**
 * Whether a new site is made on a server or at WP Cloud, for those who can choose: the address of the page says it. `children`: the form
 * for servers, which has the choice below its head.
 */
export function CreateWhere({ children }: { children: (choice: ReactNode) => ReactNode }) {
  const canChoose = canCreateAtWpCloud(useSession())
  const [params, setParams] = useSearchParams()
  if (!canChoose) return children(null)
  const where = params.get('where') === 'wp-cloud' ? 'wp-cloud' : 'server'
  const choice = (
    <div className="mb-5 w-max max-w-full">
      <Segmented
        label={t('create.where')}
        options={places.map((value) => ({ value, label: t(`create.at_${value}`) }))}
        value={where}
        onChange={(next) => setParams(new URLSearchParams(next === 'server' ? {} : { where: next }), { replace: true })}
      />
    </div>
  )
  if (where === 'server') return children(choice)
  return (
    <>
      <PageHead title={t('create.title')} />
      {choice}
      <LazyBoundary level="part">
        <Suspense fallback={<Skeleton className="h-40 w-full" />}>
          <WpcCreateForm />
        </Suspense>
      </LazyBoundary>
    </>
  )
}
