import { Plus } from 'lucide-react'
import { useState } from 'react'
import { fetched } from '#web/lib/code.ts'
import { openWithCode } from '#web/lib/open-code.ts'
import { hasReachedLimit } from '#web/lib/plan-limits.ts'
import { useSession } from '#web/lib/session.tsx'
import { Button, ButtonLink } from '#web/ui/button.tsx'
import { t } from './messages.ts'

const PlanLimitDialog = fetched(() =>
  import('#web/documents/plan-limit-dialog.tsx').then((module) => module.PlanLimitDialog),
)

/** Leads to the creation of a site; with a full plan it says why not and what helps. */
export function CreateSiteButton({ className }: { className?: string }) {
  const { subscription } = useSession()
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
  return (
    <>
      <Button
        variant="primary"
        className={className}
        onClick={() => void openWithCode([PlanLimitDialog], () => setOpen(true))}
      >
        {icon}
        {t('sites.create')}
      </Button>
      {open ? <PlanLimitDialog resource="site" open={open} onOpenChange={setOpen} /> : null}
    </>
  )
}
