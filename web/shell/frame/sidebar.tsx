import { CircleQuestionMark } from 'lucide-react'
import { cx } from '#web/lib/browser/cx.ts'
import { Kbd } from '#web/ui/kbd.tsx'
import { Tooltip } from '#web/ui/overlay/tooltip.tsx'
import { NavList } from './nav-list.tsx'
import { OrganizationSwitcher } from '../organization/organization-switcher.tsx'
import { UsageMeter } from './usage-meter.tsx'
import { tShell } from '../messages.ts'

/** Entry at the bottom that opens help and shortcuts. */
export function HelpEntry({ rail = false, onHelp }: { rail?: boolean; onHelp: () => void }) {
  const button = (
    <button
      type="button"
      onClick={onHelp}
      className={cx(
        'tour-help flex h-9 w-full items-center gap-3 rounded-ctl font-medium text-muted hover:bg-hover hover:text-fg max-md:h-11',
        rail ? 'justify-center' : 'px-3',
      )}
    >
      <CircleQuestionMark size={16} strokeWidth={1.75} className="shrink-0" aria-hidden="true" />
      <span className={rail ? 'sr-only' : ''}>{tShell('shell.help')}</span>
      {!rail && <Kbd className="ml-auto max-md:hidden">?</Kbd>}
    </button>
  )
  return rail ? (
    <Tooltip content={tShell('shell.help')} side="right">
      {button}
    </Tooltip>
  ) : (
    button
  )
}

/** The sidebar from 768 px: 18rem, or the icon rail of 3rem. */
export function Sidebar({ expanded, onHelp }: { expanded: boolean; onHelp: () => void }) {
  return (
    <aside
      aria-label={tShell('shell.sidebar')}
      data-state={expanded ? 'expanded' : 'collapsed'}
      className={cx(
        'sticky top-0 flex h-dvh shrink-0 flex-col overflow-y-auto border-r border-border bg-sunken pb-3',
        expanded ? 'w-[18rem] px-3' : 'w-[3rem] px-1',
      )}
    >
      <div className="flex h-14 shrink-0 items-center">
        <OrganizationSwitcher rail={!expanded} />
      </div>
      <NavList rail={!expanded} />
      <div className="mt-auto grid gap-2 pt-4">
        {expanded && <UsageMeter />}
        <HelpEntry rail={!expanded} onHelp={onHelp} />
      </div>
    </aside>
  )
}
