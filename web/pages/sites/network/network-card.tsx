import { Ellipsis, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import type { NetworkSite, WordPressFacts } from '#shared/responses/wordpress.ts'
import { ActionButton } from '#web/documents/actions/action-button.tsx'
import { useActions } from '#web/documents/actions/use-actions.ts'
import { useOpenAdmin } from '#web/features/sites/open-admin.ts'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { Tag } from '#web/ui/chip.tsx'
import { IconButton } from '#web/ui/icon-button.tsx'
import { AlertDialog } from '#web/ui/overlay/alert-dialog.tsx'
import { Menu, MenuItem } from '#web/ui/overlay/menu.tsx'
import { AddButton } from '../wordpress/add-button.tsx'
import type { WordPress } from '../wordpress/use-wordpress.ts'
import { AddSiteDialog } from './add-site-dialog.tsx'
import { t } from './messages.ts'

/** The button that makes a network of a single site; nothing for a network, and for users without the permission. */
export function MultisiteCard({ wordpress: { site } }: { wordpress: WordPress }) {
  const doc = { ...site, doctype: 'Site' }
  const isOffered = useActions(SiteDoctype, doc).some(({ name }) => name === 'convert_to_network')
  if (!isOffered) return null
  return (
    <Card aria-labelledby="wordpress-multisite">
      <CardHead id="wordpress-multisite" title={t('network.title')} />
      <CardBody className="grid justify-items-start gap-3">
        <p className="text-table text-muted">{t('network.single')}</p>
        <ActionButton type={SiteDoctype} doc={doc} name="convert_to_network" size="md" />
      </CardBody>
    </Card>
  )
}

const stateLabels = {
  archived: () => t('network.archived'),
  spam: () => t('network.spam'),
  deleted: () => t('network.deleted'),
}

/** The sites of a network. */
export function NetworkCard({
  wordpress,
  sites,
}: {
  wordpress: WordPress
  sites: NonNullable<WordPressFacts['sites']>
}) {
  const { site, held, change, refresh } = wordpress
  const [adding, setAdding] = useState(false)
  const [deleting, setDeleting] = useState<NetworkSite | null>(null)
  const openAdmin = useOpenAdmin()
  const isLive = site.status === 'Live'
  return (
    <Card aria-labelledby="wordpress-network">
      <CardHead id="wordpress-network" title={t('network.title')} subtitle={formatNumber(sites.total)} lined>
        {isLive ? (
          <Button size="md" onClick={() => void openAdmin(site, { network: true })}>
            {t('network.admin')}
          </Button>
        ) : null}
        {sites.subdomains ? null : <AddButton held={held} label={t('network.add')} onClick={() => setAdding(true)} />}
      </CardHead>
      <ul className="divide-y divide-hairline">
        {sites.rows.map((row) => (
          <SiteLine key={row.id} row={row} wordpress={wordpress} onDelete={() => setDeleting(row)} />
        ))}
      </ul>
      {sites.total > sites.rows.length || sites.subdomains ? (
        <p className="border-t border-hairline px-4 py-2.5 text-table text-muted">
          {sites.subdomains
            ? t('network.subdomains')
            : t('network.more', { shown: formatNumber(sites.rows.length), total: formatNumber(sites.total) })}
        </p>
      ) : null}
      {adding ? (
        <AddSiteDialog
          site={site}
          onClose={() => setAdding(false)}
          onDone={() => {
            setAdding(false)
            void refresh()
          }}
        />
      ) : null}
      {deleting ? (
        <AlertDialog
          open
          onOpenChange={() => setDeleting(null)}
          title={t('network.delete_title', { title: deleting.title })}
          confirmLabel={t('network.delete_confirm')}
          confirmName={deleting.path}
          onConfirm={async () => {
            await change('delete_network_site', { site: deleting.id }, { key: `site ${deleting.id}` })
            setDeleting(null)
          }}
        >
          {t('network.delete_text', { path: deleting.path })}
        </AlertDialog>
      ) : null}
    </Card>
  )
}

function SiteLine({
  row,
  wordpress: { site, held },
  onDelete,
}: {
  row: NetworkSite
  wordpress: WordPress
  onDelete: () => void
}) {
  const address = addressOf(site.url, row.path)
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2.5">
      <div className="min-w-0 flex-[1_1_220px]">
        <p className="flex flex-wrap items-center gap-x-2 font-medium">
          <span translate="no" className="wrap-anywhere">
            {row.title || row.path}
          </span>
          {row.main ? <Tag>{t('network.main')}</Tag> : null}
          {row.state === 'live' ? null : <Tag tone="warn">{stateLabels[row.state]()}</Tag>}
        </p>
        <p className="text-table text-muted wrap-anywhere" translate="no">
          {address === null ? (
            row.url
          ) : (
            <a href={address} target="_blank" rel="noopener noreferrer">
              {address}
            </a>
          )}
        </p>
      </div>
      <Menu
        trigger={
          <IconButton size="md" label={t('network.menu_of', { title: row.title })}>
            <Ellipsis size={16} strokeWidth={1.75} aria-hidden="true" />
          </IconButton>
        }
      >
        <MenuItem
          danger
          icon={<Trash2 size={16} strokeWidth={1.75} aria-hidden="true" />}
          reason={row.main ? t('network.delete_main') : held}
          onSelect={onDelete}
        >
          {t('network.delete')}
        </MenuItem>
      </Menu>
    </li>
  )
}

/** Address of a site below that of the network; null if its path, which the site names itself, is not an ordinary one. */
function addressOf(url: string | null, path: string): string | null {
  return url !== null && /^\/(?:[\w-]+\/)?$/.test(path) ? url + path : null
}
