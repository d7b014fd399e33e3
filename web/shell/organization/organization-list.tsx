import { Command } from 'cmdk'
import { Check, Plus } from 'lucide-react'
import { useState } from 'react'
import { containsText } from '#shared/rules/fold-text.ts'
import { Link } from '#web/lib/routing/router.tsx'
import { toApiError } from '#web/lib/api/api-error.ts'
import { t } from '#web/lib/i18n/messages.ts'
import { switchOrganization } from '#web/lib/session/organizations.ts'
import { useSession, type AvailableOrganization } from '#web/lib/session/session.tsx'
import { showToast } from '#web/lib/browser/toasts.ts'
import { OrganizationMark } from '#web/features/organizations/organization-mark.tsx'
import { Spinner } from '#web/ui/spinner.tsx'
import { tShell } from '../messages.ts'
import { roleLabel } from '#web/features/members/role-label.ts'

/** Matches title or slug. */
const matchScore = (name: string, wanted: string, titles: readonly string[] = []): number =>
  [name, ...titles].some((text) => containsText(text, wanted)) ? 1 : 0

/** Searchable list: the focus stays in the input, arrows move, Enter switches. */
export function OrganizationList({ onDone }: { onDone: () => void }) {
  const { organization, organizations } = useSession()
  const [busy, setBusy] = useState<string | null>(null)

  const choose = async (entry: AvailableOrganization): Promise<void> => {
    if (busy) return
    if (entry.name === organization?.name) {
      showToast({ title: t('switch.already'), variant: 'info' })
      return onDone()
    }
    setBusy(entry.name)
    try {
      await switchOrganization(entry.name)
      // The document in the URL belongs to the previous organization.
      location.assign('/web/')
    } catch (error) {
      setBusy(null)
      showToast({ title: t('switch.failed'), description: toApiError(error).message, variant: 'danger' })
    }
  }
  return (
    <>
      <Command
        label={tShell('shell.search_organization')}
        filter={matchScore}
        loop
        vimBindings={false}
        className="outline-none"
      >
        <div className="border-b border-hairline p-1">
          <Command.Input
            // The panel opened before this list was loaded.
            autoFocus
            placeholder={tShell('shell.search_organization')}
            className="h-8 w-full rounded-ctl bg-transparent px-2 text-table outline-none max-md:h-11 max-md:text-lead"
          />
        </div>
        <Command.List label={tShell('shell.search_organization')} className="max-h-72 overflow-y-auto p-1">
          {organizations.map((entry) => (
            <Command.Item
              key={entry.name}
              value={entry.name}
              keywords={[entry.title]}
              aria-current={entry.name === organization?.name ? 'true' : undefined}
              onSelect={() => void choose(entry)}
              className="flex w-full items-center gap-2.5 rounded-ctl px-2 py-1.5 aria-selected:bg-hover"
            >
              <OrganizationMark name={entry.title} />
              <span className="min-w-0 flex-1">
                <span className="block truncate text-table font-medium">{entry.title}</span>
                <span className="block truncate text-meta text-muted">
                  {entry.two_factor_needed
                    ? tShell('shell.two_factor_needed')
                    : roleLabel(entry.name === organization?.name && organization.owner ? 'Owner' : entry.role)}
                </span>
              </span>
              {busy === entry.name ? (
                <Spinner className="size-4 text-muted" />
              ) : (
                entry.name === organization?.name && (
                  <Check size={16} strokeWidth={1.75} className="shrink-0 text-brand-text" aria-hidden="true" />
                )
              )}
            </Command.Item>
          ))}
        </Command.List>
        <Command.Empty>
          <output className="block px-3 pb-3 text-table text-muted">{tShell('shell.organization_not_found')}</output>
        </Command.Empty>
      </Command>
      <div className="border-t border-hairline p-1">
        <Link
          to="/organization/create"
          onClick={onDone}
          className="flex h-8 items-center gap-2 rounded-ctl px-2 text-table font-medium hover:bg-hover max-md:h-11"
        >
          <Plus size={16} strokeWidth={1.75} className="text-muted" aria-hidden="true" />
          {tShell('shell.create_organization')}
        </Link>
      </div>
    </>
  )
}
