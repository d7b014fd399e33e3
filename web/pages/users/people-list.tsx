import { Users } from 'lucide-react'
import type { FilterTriple } from '#shared/doctype.ts'
import { MemberRowDoctype } from '#shared/member-row.ts'
import { membersCurl } from '#web/documents/actions/copy-as.ts'
import { ListBody } from '#web/documents/list/list-body.tsx'
import { ListFrame, useListSetup } from '#web/documents/list/list-frame.tsx'
import { useListKeys } from '#web/documents/list/list-keyboard.ts'
import type { RowsProps } from '#web/documents/list/list-rows.tsx'
import type { ListView } from '#web/documents/query/saved-views.ts'
import { useSelection } from '#web/documents/bulk/use-selection.ts'
import { sessionRoles, useSession } from '#web/lib/session/session.tsx'
import { Button } from '#web/ui/button.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { InvitationButtons } from './invitation-buttons.tsx'
import { matchingPeople } from './local-rows.ts'
import { useBreakpoint } from '#web/lib/browser/use-breakpoint.ts'
import { t } from './messages.ts'
import { PeopleBulk } from './people-bulk.tsx'
import type { Person } from './people.ts'
import { personColumns } from './person-columns.tsx'
import { canInvite, PersonMenu } from './person-menu.tsx'
import type { MemberActions } from './use-member-actions.tsx'

/** Number of skeleton rows. */
const expectedRows = 6

const joined: FilterTriple = ['status', '=', 'Joined']
const invited: FilterTriple = ['status', '!=', 'Joined']

/**
 * Members and invitations in one list: the usual list components over rows that are all loaded, so that sorting and
 * filtering need no requests.
 */
export function PeopleList({
  people,
  actions,
  onChanged,
}: {
  /** Undefined while loading. */
  people: readonly Person[] | undefined
  actions: MemberActions
  onChanged: () => void
}) {
  const session = useSession()
  const own = session.organization?.role
  const organization = session.organization?.name ?? null
  const { owner } = sessionRoles(session)
  const showsLastLogin = owner || own === 'Organization Admin'
  const canManage = (person: Person) => canInvite(person, own)
  const isTablet = useBreakpoint() === 'tablet'
  const columns = personColumns(showsLastLogin, canManage, actions)
  const setup = useListSetup(MemberRowDoctype, columns)
  const { ready, state, change, changeFilters } = setup

  const matching = ready && people ? matchingPeople(people, state) : undefined
  const total = matching?.length ?? 0
  const from = (state.page - 1) * state.pageSize
  const rows = matching?.slice(from, from + state.pageSize)
  const selection = useSelection(JSON.stringify([state.filters, state.any, state.text]), rows ?? [])
  useListKeys({
    rows: rows ?? [],
    selection: showsLastLogin ? selection : null,
    rowKeys: {},
    onFilter: () => setup.setAdding(true),
  })

  const views: ListView[] = [
    { key: 'all', label: t('users.all'), filters: [] },
    { key: 'members', label: t('users.members'), filters: [joined] },
    { key: 'invitations', label: t('users.invitations'), filters: [invited] },
    ...(showsLastLogin
      ? [{ key: 'no_2fa', label: t('users.no_2fa'), filters: [['two_factor', '=', 'Off']] } as const]
      : []),
  ]
  const rowsProps: RowsProps<Person> = {
    type: MemberRowDoctype,
    columns: setup.renderedColumns,
    favorites: false,
    rows,
    expected: expectedRows,
    href: (row) => (row.kind === 'member' ? `/user/${encodeURIComponent(row.user)}` : null),
    menu: {
      before: (row) => <PersonMenu person={row} actions={actions} />,
      button: (row) =>
        canManage(row) ? (
          <InvitationButtons person={row} actions={actions} room={isTablet ? 'narrow' : 'wide'} />
        ) : null,
    },
    selection: showsLastLogin ? selection : null,
    state,
    defaults: setup.defaults,
    onChange: change,
  }
  return (
    <ListFrame
      setup={setup}
      views={views}
      savedViews
      canSave
      scope={[]}
      count={({ filters, any = [] }) =>
        people ? matchingPeople(people, { filters, any, text: '', order: state.order }).length : null
      }
      command={organization === null ? null : () => membersCurl(organization, location.origin)}
      announcement={rows === undefined ? t('users.loading') : t('users.loaded', { count: total })}
    >
      <ListBody
        rows={rowsProps}
        total={matching?.length}
        nothing={
          <EmptyState
            icon={<Users size={20} strokeWidth={1.75} />}
            title={t('users.no_match_title')}
            action={
              <Button onClick={() => changeFilters([], { text: '', any: [] })}>{t('users.clear_filters')}</Button>
            }
          >
            {t('users.no_match')}
          </EmptyState>
        }
        bulk={{
          except: [],
          extra: (chosenRows) => (
            <PeopleBulk rows={chosenRows} canManage={canManage} onDone={onChanged} clear={selection.clear} />
          ),
          readAll: () => Promise.resolve(matching ?? []),
        }}
      />
    </ListFrame>
  )
}
