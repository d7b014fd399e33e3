import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { useActions } from '#web/documents/actions/use-actions.ts'
import { Button } from '#web/ui/button.tsx'
import { TransferDialog } from './transfer-dialog.tsx'
import { ShareDialog } from './share-dialog.tsx'
import { tShare } from './share-messages.ts'

/** Opens the share dialog of a site, for users who can share it; nothing for others. */
export function ShareButton({ site }: { site: Site }) {
  const gate = useActions(SiteDoctype, { ...site, doctype: 'Site' }).find(({ name }) => name === 'share')?.gate
  const [open, setOpen] = useState<'share' | 'owner' | null>(null)
  if (!gate) return null
  // An open dialog stays open while the action is unavailable (offline); its own calls show the error.
  return (
    <>
      <Button
        aria-disabled={gate.enabled ? undefined : true}
        title={gate.enabled ? undefined : gate.reason}
        onClick={() => {
          if (gate.enabled) setOpen('share')
        }}
      >
        <UserPlus size={16} strokeWidth={1.75} aria-hidden="true" className="text-muted max-md:hidden" />
        {tShare('share.button')}
      </Button>
      {open === 'share' ? (
        <ShareDialog site={site} onClose={() => setOpen(null)} onTransfer={() => setOpen('owner')} />
      ) : null}
      {open === 'owner' ? <TransferDialog site={site} onClose={() => setOpen(null)} /> : null}
    </>
  )
}
