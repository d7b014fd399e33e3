import { Fragment } from 'react'
import { translateText, createCatalog } from '#web/lib/i18n/catalog.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { showToast } from '#web/lib/browser/toasts.ts'
import { startTour, tourNames } from '#web/lib/session/tour-list.ts'
import { t as tourWords } from '#web/tours/messages.ts'
import { useSingleKeys } from '#web/lib/browser/use-single-keys.ts'
import { shortcutGroups } from '#shared/shortcuts.ts'
import { Button } from '#web/ui/button.tsx'
import { Checkbox } from '#web/ui/form/checkbox.tsx'
import { Dialog } from '#web/ui/overlay/dialog.tsx'
import { Kbd, keyLabel } from '#web/ui/kbd.tsx'
import { canOpen, useScreens } from '../frame/screens.tsx'

const tHelp = createCatalog({
  title: 'Help and shortcuts',
  keys: 'Shortcuts',
  next_key: 'then',
  lead: 'Keys work outside of fields and dialogs.',
  single_keys: 'Single-key shortcuts',
  single_keys_hint: 'Kept with your account. Ctrl or ⌘ with a key always works.',
  single_keys_failed: 'The setting was not saved',
  tours: 'Tours',
  help: 'Help page',
  api: 'API reference',
})

/** List of shortcuts, with a switch for single keys, the tours and links to more help. */
export function HelpDialog({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const session = useSession()
  const screens = useScreens()
  const singleKeys = useSingleKeys()
  const sequences = screens.flatMap(({ path, shortcut }) =>
    shortcut && canOpen(screens, session, path) ? shortcut : [],
  )
  const groups = shortcutGroups.toSpliced(1, 0, { title: 'Go to', shortcuts: sequences })
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={tHelp('title')} width="md:w-[640px]">
      <section>
        <h3>{tHelp('tours')}</h3>
        <div className="mt-1.5 flex flex-wrap gap-2">
          {tourNames.map((name) => (
            <Button
              key={name}
              size="md"
              onClick={() => {
                onOpenChange(false)
                startTour(name)
              }}
            >
              {tourWords(`tour.${name}`)}
            </Button>
          ))}
        </div>
      </section>
      <p className="mt-4 flex flex-wrap gap-x-4 gap-y-1 text-table">
        <a href="/helpdesk" target="_blank" rel="noopener" className="link max-md:py-3">
          {tHelp('help')}
        </a>
        <a href="/api/docs" target="_blank" rel="noopener" className="link max-md:py-3">
          {tHelp('api')}
        </a>
      </p>
      <h3 className="mt-4">{tHelp('keys')}</h3>
      <p className="mt-0.5 text-table text-muted">{tHelp('lead')}</p>
      <div className="gap-x-8 md:columns-2">
        {groups.map(({ title, shortcuts }) => (
          <section key={title} className="mt-3 break-inside-avoid">
            <h4 className="text-table font-semibold">{translateText(title)}</h4>
            <dl>
              {shortcuts.map((shortcut) => (
                <div
                  key={shortcut.text}
                  className="flex min-h-8 items-center justify-between gap-4 border-b border-hairline py-1 text-table"
                >
                  <dt>{translateText(shortcut.text)}</dt>
                  <dd className="flex shrink-0 items-center gap-1">
                    {shortcut.keys.map((key, at) => (
                      <Fragment key={key}>
                        {at > 0 && sequences.includes(shortcut) && (
                          <span className="text-meta text-muted">{tHelp('next_key')}</span>
                        )}
                        <Kbd>{keyLabel(key)}</Kbd>
                      </Fragment>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <Checkbox
        className="mt-4"
        checked={singleKeys.on}
        onChange={(event) => {
          singleKeys.set(event.target.checked).catch((error: unknown) => {
            showToast({
              title: tHelp('single_keys_failed'),
              description: toApiError(error).message,
              variant: 'danger',
            })
          })
        }}
        label={tHelp('single_keys')}
        hint={tHelp('single_keys_hint')}
      />
    </Dialog>
  )
}
