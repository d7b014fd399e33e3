import { useState } from 'react'
import { useSession } from '#web/lib/session.tsx'
import { setShortcutsEnabled, shortcutsEnabled } from '#web/lib/shortcuts.ts'
import { Checkbox } from '#web/ui/checkbox.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Kbd } from '#web/ui/kbd.tsx'
import { words } from './messages.ts'

/** Keys that do something today, in the order people need them. */
function shortcuts(ee: boolean): readonly { keys: readonly string[]; text: string }[] {
  return [
    { keys: ['g', 'd'], text: words('help.go_dashboard') },
    { keys: ['g', 's'], text: words('help.go_sites') },
    ...(ee ? [{ keys: ['g', 'v'], text: words('help.go_servers') }] : []),
    { keys: ['c', 's'], text: words('help.create_site') },
    { keys: ['j', 'k'], text: words('help.rows') },
    { keys: ['Enter'], text: words('help.open') },
    { keys: ['f'], text: words('help.filter') },
    { keys: ['l'], text: words('help.admin') },
    { keys: ['[', ']'], text: words('help.tabs') },
    { keys: ['Ctrl', 'B'], text: words('help.sidebar') },
    { keys: ['F8'], text: words('help.toast') },
    { keys: ['?'], text: words('help.this') },
  ]
}

/** The sheet of shortcuts, with the switch that turns single keys off. */
export function HelpDialog({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const { modules } = useSession()
  const [enabled, setEnabled] = useState(shortcutsEnabled)
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={words('help.title')} description={words('help.lead')}>
      <dl className="grid">
        {shortcuts(modules.ee).map(({ keys, text }) => (
          <div
            key={text}
            className="flex items-center justify-between gap-4 border-b border-hairline py-1.5 text-table last:border-0"
          >
            <dt>{text}</dt>
            <dd className="flex gap-1">
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <Checkbox
        className="mt-3"
        checked={enabled}
        onChange={(event) => {
          setEnabled(event.target.checked)
          setShortcutsEnabled(event.target.checked)
        }}
        label={words('help.single_keys')}
        hint={words('help.single_keys_hint')}
      />
      <p className="mt-4 text-table">
        <a href="/helpdesk" className="link">
          {words('help.more')}
        </a>
      </p>
    </Dialog>
  )
}
