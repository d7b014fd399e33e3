import { addresses, shares as listedShares, type SharedWith } from '#shared/responses/sharing.ts'
import type { Site, SiteDoctype } from '#shared/doctypes/site.ts'
import type { WpcSiteDoctype } from '#shared/doctypes/wpc-site.ts'
import { isLowered, shareLevels, type ShareLevel } from '#web/features/sites/share-level.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { runAction } from '#web/lib/api/api.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { useLoaded, type Loaded } from '#web/lib/api/frappe.tsx'
import { undoButton } from '#web/documents/actions/undo-button.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { useListEvents } from '#web/lib/events/use-events.ts'
import { tShare } from './share-messages.ts'

/** Display name of a user. */
export const nameOf = ({ user, full_name }: Pick<SharedWith, 'user' | 'full_name'>): string => full_name ?? user

/** The shares after changing one member's bits; a share without bits is removed. */
export function withShare(rows: readonly SharedWith[], next: SharedWith): SharedWith[] {
  if (next.read + next.write + next.share === 0) return rows.filter(({ user }) => user !== next.user)
  const known = rows.some(({ user }) => user === next.user)
  return known ? rows.map((row) => (row.user === next.user ? next : row)) : [...rows, next]
}

/** The doctypes of sites that are shared. */
export type SharedType = typeof SiteDoctype | typeof WpcSiteDoctype

/** What a share of a site can give, the least first: sites at WP Cloud can be seen and nothing more. */
export const levelsOf = (type: SharedType): readonly ShareLevel[] =>
  shareLevels.filter((level) => type.actions?.['share']?.args?.[level] !== undefined)

/** Users a site is shared with. `give` updates optimistically and reverts with an error message if the server denies it. */
export function useShares(type: SharedType, site: Pick<Site, 'name'>) {
  const shares = useLoaded<SharedWith[]>(['shares', site.name], async () =>
    checkedResult(listedShares, await runAction(type.name, site.name, 'list_shares')),
  )
  const give = async (next: SharedWith): Promise<void> => {
    const before = shares.data ?? []
    const known = before.find(({ user }) => user === next.user)
    await shares.reload(withShare(before, next))
    try {
      const bits = Object.fromEntries(levelsOf(type).map((level) => [level, next[level]]))
      await runAction(type.name, site.name, 'share', { user: next.user, ...bits })
      if (!known) showToast({ title: tShare('share.given', { name: nameOf(next) }), variant: 'success' })
      else if (isLowered(known, next)) {
        showToast({
          title: tShare(next.read === 0 ? 'share.taken' : 'share.lowered', { name: nameOf(next) }),
          action: undoButton({ undo: () => give(known) }),
        })
      }
      await shares.reload()
    } catch (error) {
      await shares.reload(before)
      showToast({ title: tShare('share.failed'), description: fullMessage(toApiError(error)), variant: 'danger' })
    }
  }
  return { ...shares, give }
}

/** Members with access to the site without a share, live. */
export function useMembersWithFullAccess(type: SharedType, site: Pick<Site, 'name'>): Loaded<string[]> {
  const privileged = useLoaded<string[]>(['privileged', site.name], async () =>
    checkedResult(addresses, await runAction(type.name, site.name, 'list_privileged')),
  )
  useListEvents('Organization Member', () => void privileged.reload())
  return privileged
}
