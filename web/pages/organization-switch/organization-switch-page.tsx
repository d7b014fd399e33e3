import { useEffect } from 'react'
import { useNavigate } from 'react-router'
import { toApiError } from '#web/lib/api/api-error.ts'
import { t } from '#web/lib/i18n/messages.ts'
import { switchOrganization } from '#web/lib/session/organizations.ts'
import { usePathParams } from '#web/lib/routing/route-match.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { showToast } from '#web/lib/browser/toasts.ts'
import { ButtonLink } from '#web/ui/button.tsx'
import { PublicLayout } from '#web/features/public/public-layout.tsx'
import { Spinner } from '#web/ui/spinner.tsx'

/** One switch per page load, even if the component mounts twice. */
let switching: string | null = null

/** A link that switches to an organization. */
export function OrganizationSwitchPage() {
  const { organization: slug = '' } = usePathParams()
  const { organization, organizations } = useSession()
  const navigate = useNavigate()
  const target = organizations.find((entry) => entry.name === slug)
  const already = organization?.name === slug

  useEffect(() => {
    if (!target || switching === slug) return
    if (already) {
      showToast({ title: t('switch.already'), variant: 'info' })
      void navigate('/', { replace: true })
      return
    }
    switching = slug
    switchOrganization(slug).then(
      () => location.assign('/web/'),
      (error: unknown) => {
        switching = null
        showToast({ title: t('switch.failed'), description: toApiError(error).message, variant: 'danger' })
        void navigate('/', { replace: true })
      },
    )
  }, [target, already, slug, navigate])

  if (!target) {
    return (
      <PublicLayout title={t('switch.unknown_title')} lead={t('switch.unknown_lead', { slug })}>
        <ButtonLink to="/" size="xl" block>
          {t('notfound.home')}
        </ButtonLink>
      </PublicLayout>
    )
  }
  return (
    <PublicLayout title={t('switch.busy', { title: target.title })}>
      <Spinner className="size-5 text-muted" />
    </PublicLayout>
  )
}
