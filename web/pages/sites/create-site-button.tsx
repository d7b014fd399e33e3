import { Plus } from 'lucide-react'
import { useState } from 'react'
import { fetched } from '#web/lib/code.ts'
import { openWithCode } from '#web/lib/open-code.ts'
import { hasReachedLimit } from '#web/lib/plan-limits.ts'
import { useSession } from '#web/lib/session.tsx'
import { Button, ButtonLink } from '#web/ui/button.tsx'
import { t } from './messages.ts'

const Dialog = fetched(() => import('#web/ui/dialog.tsx').then((module) => module.Dialog))

/** Leads to the creation of a site; with a full plan it says why not and what helps. */
export function CreateSiteButton({ className }: { className?: string }) {
  const { subscription, organization } = useSession()
  const [open, setOpen] = useState(false)
  const icon = <Plus size={16} strokeWidth={1.75} aria-hidden="true" />
  if (!subscription || !hasReachedLimit(subscription, 'site')) {
    return (
      <ButtonLink to="/site/create" variant="primary" className={className}>
        {icon}
        {t('sites.create')}
      </ButtonLink>
    )
  }
  const values = { plan: subscription.plan_name, limit: subscription.limits.site, usage: subscription.usage.site }
  return (
    <>
      <Button variant="primary" className={className} onClick={() => void openWithCode([Dialog], () => setOpen(true))}>
        {icon}
        {t('sites.create')}
      </Button>
      {open ? (
        <Dialog
          open={open}
          onOpenChange={setOpen}
          title={t('limit.title')}
          description={t(organization?.owner ? 'limit.owner' : 'limit.text', values)}
          footer={<Button onClick={() => setOpen(false)}>{t('limit.close')}</Button>}
        />
      ) : null}
    </>
  )
}
