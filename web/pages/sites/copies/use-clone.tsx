import { lazy, Suspense, useState, type ReactNode } from 'react'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { useActions } from '#web/documents/actions/use-actions.ts'
import { Button } from '#web/ui/button.tsx'
import { MenuItem } from '#web/ui/overlay/menu.tsx'
import { t } from './menu-messages.ts'

const CloneDialog = lazy(async () => ({ default: (await import('./clone-dialog.tsx')).CloneDialog }))

function useGate(site: Site, action: 'clone' | 'create_staging') {
  return useActions(SiteDoctype, { ...site, doctype: 'Site' }).find(({ name }) => name === action)?.gate
}

/** The menu entries that copy a site, and their dialog; null for users who can't. */
export function useClone(site: Site): { item: ReactNode; dialog: ReactNode } {
  const clone = useGate(site, 'clone')
  const staging = useGate(site, 'create_staging')
  const [open, setOpen] = useState<'clone' | 'staging' | null>(null)
  return {
    item:
      clone || staging ? (
        <>
          {clone ? (
            <MenuItem reason={clone.enabled ? null : clone.reason} onSelect={() => setOpen('clone')}>
              {t('clone.menu')}
            </MenuItem>
          ) : null}
          {staging ? (
            <MenuItem reason={staging.enabled ? null : staging.reason} onSelect={() => setOpen('staging')}>
              {t('clone.staging_menu')}
            </MenuItem>
          ) : null}
        </>
      ) : null,
    dialog: open ? (
      <Suspense>
        <CloneDialog site={site} isStaging={open === 'staging'} onClose={() => setOpen(null)} />
      </Suspense>
    ) : null,
  }
}

/** The button that creates a staging site, with its dialog. */
export function CreateStaging({ site }: { site: Site }) {
  const gate = useGate(site, 'create_staging')
  const [open, setOpen] = useState(false)
  if (!gate) return null
  return (
    <>
      <Button
        size="md"
        aria-disabled={gate.enabled ? undefined : true}
        title={gate.enabled ? undefined : gate.reason}
        onClick={() => (gate.enabled ? setOpen(true) : undefined)}
      >
        {t('clone.staging_menu')}
      </Button>
      {open ? (
        <Suspense>
          <CloneDialog site={site} isStaging onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  )
}
