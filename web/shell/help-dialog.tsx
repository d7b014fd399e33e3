import { useState } from 'react'
import { createCatalogue } from '#web/lib/catalogue.ts'
import { useSession } from '#web/lib/session.tsx'
import { setShortcutsEnabled, shortcutsEnabled } from '#web/lib/shortcuts.ts'
import { Checkbox } from '#web/ui/checkbox.tsx'
import { Dialog } from '#web/ui/dialog.tsx'
import { Kbd } from '#web/ui/kbd.tsx'

const words = createCatalogue({
  title: 'Help and shortcuts',
  lead: 'Keys work outside of fields and dialogs.',
  single_keys: 'Single keys on',
  single_keys_hint: 'Ctrl or ⌘ with a key always works.',
  sidebar: 'Show or hide the sidebar',
  go_dashboard: 'Go to the dashboard',
  go_sites: 'Go to sites',
  go_servers: 'Go to servers',
  create_site: 'Create a site',
  rows: 'Next and previous row',
  open: 'Open the row',
  filter: 'Filter a list',
  admin: "Open a site's admin",
  tabs: 'Previous and next tab',
  toast: 'Focus the latest message',
  this: 'This help',
  more: 'More help',
})

/** Keys that do something today, in the order people need them. */
function shortcuts(ee: boolean): readonly { keys: readonly string[]; text: string }[] {
  return [
    { keys: ['g', 'd'], text: words('go_dashboard') },
    { keys: ['g', 's'], text: words('go_sites') },
    ...(ee ? [{ keys: ['g', 'v'], text: words('go_servers') }] : []),
    { keys: ['c', 's'], text: words('create_site') },
    { keys: ['j', 'k'], text: words('rows') },
    { keys: ['Enter'], text: words('open') },
    { keys: ['f'], text: words('filter') },
    { keys: ['l'], text: words('admin') },
    { keys: ['[', ']'], text: words('tabs') },
    { keys: ['Ctrl', 'B'], text: words('sidebar') },
    { keys: ['F8'], text: words('toast') },
    { keys: ['?'], text: words('this') },
  ]
}

/** The sheet of shortcuts, with the switch that turns single keys off. */
export function HelpDialog({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const { modules } = useSession()
  const [enabled, setEnabled] = useState(shortcutsEnabled)
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={words('title')} description={words('lead')}>
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
        label={words('single_keys')}
        hint={words('single_keys_hint')}
      />
      <p className="mt-4 text-table">
        <a href="/helpdesk" className="link">
          {words('more')}
        </a>
      </p>
    </Dialog>
  )
}
