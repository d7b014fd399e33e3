import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { ActionButton } from '#web/documents/actions/action-button.tsx'
import { useAllRows } from '#web/lib/api/all-rows.ts'
import { useCount } from '#web/lib/api/frappe.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { t } from './messages.ts'

/** Sites that a server had before it was added, as long as nobody owns them. */
export function FoundSites({ server }: { server: Server }) {
  const isImported = server.is_imported_with_ee === 1
  const { data: count, reload } = useCount(isImported ? 'Site' : null, {
    filters: [
      ['server', '=', server.name],
      ['createdby_email', 'is', 'not set'],
    ],
  })
  const members = useAllRows<{ name: string; full_name: string | null }>(count ? 'User' : null, {
    fields: ['name', 'full_name'],
    order_by: 'full_name asc',
  })
  if (!count) return null
  const choices = (members.data ?? []).map(({ name, full_name }) => ({
    value: name,
    label: full_name === null || full_name === '' ? name : `${full_name} (${name})`,
  }))
  return (
    <Notice tone="info" title={t('server.found')} className="mb-4">
      <p className="mt-0.5">{t('server.found_text', { count })}</p>
      <div className="mt-3 empty:hidden">
        <ActionButton
          type={ServerDoctype}
          doc={{ ...server, doctype: 'Server' }}
          name="set_sites_owner"
          size="md"
          fields={{ new_owner: { choices } }}
          onDone={() => void reload()}
        />
      </div>
    </Notice>
  )
}
