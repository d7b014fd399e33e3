import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import { SiteDoctype, type Site } from '#shared/doctypes/site.ts'
import { WpcSiteDoctype, type WpcSite } from '#shared/doctypes/wpc-site.ts'
import { useActions } from '#web/documents/actions/use-actions.ts'
import { Button } from '#web/ui/button.tsx'
import { TransferDialog } from './transfer-dialog.tsx'
import { ShareDialog } from './share-dialog.tsx'
import { tShare } from './share-messages.ts'
import type { SharedType } from './use-shares.ts'

/** Opens the share dialog of a site, for users who can share it; nothing for others. */
export function ShareButton({ site }: { site: Site }) {
  const [transfers, setTransfers] = useState(false)
  return (
    <>
      <ShareDialogButton type={SiteDoctype} site={site} onTransfer={() => setTransfers(true)} />
      {transfers ? <TransferDialog site={site} onClose={() => setTransfers(false)} /> : null}
    </>
  )
}

/** The same for a site at WP Cloud, which has no owner of its own to be changed. */
export function ShareWpcButton({ site }: { site: WpcSite }) {
  return <ShareDialogButton type={WpcSiteDoctype} site={site} />
}

function ShareDialogButton({
  type,
  site,
  onTransfer,
}: {
  type: SharedType
  site: Site | WpcSite
  onTransfer?: () => void
}) {
  const gate = useActions(type, { ...site, doctype: type.name }).find(({ name }) => name === 'share')?.gate
  const [isOpen, setOpen] = useState(false)
  if (!gate) return null
  // An open dialog stays open while the action is unavailable (offline); its own calls show the error.
  return (
    <>
      <Button
        aria-disabled={gate.enabled ? undefined : true}
        title={gate.enabled ? undefined : gate.reason}
        onClick={() => {
          if (gate.enabled) setOpen(true)
        }}
      >
        <UserPlus size={16} strokeWidth={1.75} aria-hidden="true" className="text-muted max-md:hidden" />
        {tShare('share.button')}
      </Button>
      {isOpen ? (
        <ShareDialog
          type={type}
          site={site}
          onClose={() => setOpen(false)}
          onTransfer={
            onTransfer &&
            (() => {
              setOpen(false)
              onTransfer()
            })
          }
        />
      ) : null}
    </>
  )
}
