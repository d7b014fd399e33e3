import { DialogFrame } from '#web/ui/overlay/dialog-frame.tsx'
import { MembersControl } from '../top-bar/members-control.tsx'
import { NavList } from './nav-list.tsx'
import { OrganizationSwitcher } from '../organization/organization-switcher.tsx'
import { HelpEntry } from './sidebar.tsx'
import { UsageMeter } from './usage-meter.tsx'
import { tShell } from '../messages.ts'

/** The sidebar on phones: off-canvas, 18rem. */
export function NavDrawer({
  open,
  onOpenChange,
  onHelp,
}: {
  open: boolean
  onOpenChange: (open: boolean) => void
  onHelp: () => void
}) {
  const close = (): void => onOpenChange(false)
  return (
    <DialogFrame
      open={open}
      onOpenChange={onOpenChange}
      label={tShell('shell.menu')}
      className="nav-sheet fixed inset-y-0 left-0 z-50 flex w-[18rem] max-w-[85vw] flex-col overflow-y-auto overscroll-contain bg-sunken px-3 pb-3 shadow-pop outline-none"
    >
      <div className="flex h-14 shrink-0 items-center">
        <OrganizationSwitcher />
      </div>
      <NavList onNavigate={close} />
      <div className="mt-auto grid gap-2 pt-4">
        <UsageMeter />
        <MembersControl row onNavigate={close} />
        <HelpEntry
          onHelp={() => {
            close()
            onHelp()
          }}
        />
      </div>
    </DialogFrame>
  )
}
