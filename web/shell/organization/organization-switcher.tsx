import { ChevronsUpDown } from 'lucide-react'
import { lazy, useState } from 'react'
import { boot } from '#web/lib/session/boot.ts'
import { cx } from '#web/lib/browser/cx.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { OrganizationMark } from '#web/features/organizations/organization-mark.tsx'
import { Popover } from '#web/ui/overlay/popover.tsx'
import { Logo } from '#web/ui/images/logo.tsx'
import { tShell } from '../messages.ts'
import { roleLabel } from '#web/features/members/role-label.ts'

const OrganizationList = lazy(() =>
  import('./organization-list.tsx').then((module) => ({ default: module.OrganizationList })),
)

/** Shown to platform admins without an organization. */
function ProductMark({ rail }: { rail: boolean }) {
  return (
    <span className={cx('flex h-11 w-full items-center gap-3 font-semibold', rail ? 'justify-center' : 'px-2')}>
      <Logo />
      {rail ? null : boot().product_name}
    </span>
  )
}

/** Name, plan and role of the current organization; opens the list of organizations. */
export function OrganizationSwitcher({ rail = false }: { rail?: boolean }) {
  const { organization, subscription } = useSession()
  const [open, setOpen] = useState(false)
  if (!organization) return <ProductMark rail={rail} />
  const role = roleLabel(organization.owner ? 'Owner' : organization.role)
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      label={tShell('shell.search_organization')}
      align="start"
      className="w-[264px] max-w-[calc(100vw-16px)]"
      trigger={
        <button
          type="button"
          aria-label={rail ? tShell('shell.organization', { title: organization.title }) : undefined}
          className={cx(
            'tour-switcher flex h-11 w-full min-w-0 items-center gap-3 rounded-card text-left hover:bg-hover data-[state=open]:bg-hover',
            rail ? 'justify-center' : 'px-2',
          )}
        >
          <OrganizationMark name={organization.title} />
          {!rail && (
            <>
              <span className="min-w-0 flex-1">
                <span className="sr-only">{tShell('shell.organization', { title: '' })}</span>
                <span className="block truncate leading-4.5 font-semibold tracking-[-0.008em]">
                  {organization.title}
                </span>
                <span className="block truncate text-meta text-muted">
                  {subscription?.plans_enabled
                    ? tShell('shell.plan_role', { plan: subscription.plan_name, role })
                    : role}
                </span>
              </span>
              <ChevronsUpDown size={16} strokeWidth={1.75} className="shrink-0 text-muted" aria-hidden="true" />
            </>
          )}
        </button>
      }
    >
      <OrganizationList onDone={() => setOpen(false)} />
    </Popover>
  )
}
