import { useMemo, useState } from 'react'
import { Users } from 'lucide-react'
import type { FilterTriple } from '#shared/doctype.ts'
import { PersonDoctype } from '#shared/person-row.ts'
import { CardSort } from '#web/documents/list/card-sort.tsx'
import { membersCurl } from '#web/documents/actions/copy-as.ts'
import { CopyListButton } from '#web/documents/list/copy-list-button.tsx'
import { ColumnsMenu } from '#web/documents/list/columns-menu.tsx'
import { ListBody } from '#web/documents/list/list-body.tsx'
import { drawnColumns, visibleFields } from '#web/documents/list/list-columns.ts'
import { ListFilters } from '#web/documents/list/list-filters.tsx'
import { useListKeys } from '#web/documents/list/list-keyboard.ts'
import type { RowsProps } from '#web/documents/list/list-rows.tsx'
import { listDefaults } from '#web/documents/list/list-state.ts'
import { ListViews } from '#web/documents/list/list-views.tsx'
import type { ListView } from '#web/documents/list/saved-views.ts'
import { useSavedViews } from '#web/documents/list/saved-views.ts'
import { useBreakpoint } from '#web/lib/browser/use-breakpoint.ts'
import { useListPreferences } from '#web/documents/list/use-list-preferences.ts'
import { useListState } from '#web/documents/list/use-list-state.ts'
import { useSelection } from '#web/documents/bulk/use-selection.ts'
import { sessionRoles, useSession } from '#web/lib/session/session.tsx'
import { Button } from '#web/ui/button.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { matchingPeople } from './local-rows.ts'
import { t } from './messages.ts'
import { PeopleBulk } from './people-bulk.tsx'
import type { Person } from './people.ts'
import { personColumns, personOf } from './person-columns.tsx'
import { mayInvite, PersonMenu } from './person-menu.tsx'
import type { PersonActs } from './use-person-acts.tsx'

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
  acts,
  onChanged,
}: {
  /** Undefined while loading. */
  people: readonly Person[] | undefined
  acts: PersonActs
  onChanged: () => void
}) {
  const session = useSession()
  const own = session.organization?.role
  const organization = session.organization?.name ?? null
  const { owner } = sessionRoles(session)
  const tellAll = owner || own === 'Organization Admin'
  const may = (person: Person) => mayInvite(person, own)
  const columns = personColumns(tellAll, may, acts)
  const { ready, chosen, kept, choose, keep } = useListPreferences(PersonDoctype)
  const keptText = JSON.stringify(kept)
  const defaults = useMemo(() => listDefaults(PersonDoctype, JSON.parse(keptText) as typeof kept), [keptText])
  const [state, change] = useListState(PersonDoctype, defaults)
  const [adding, setAdding] = useState(false)
  const breakpoint = useBreakpoint()
  const phone = breakpoint === 'phone'

  const matching = ready && people ? matchingPeople(people, state) : undefined
  const total = matching?.length ?? 0
  const from = (state.page - 1) * state.pageSize
  const rows = matching?.slice(from, from + state.pageSize)
  const selection = useSelection(JSON.stringify([state.filters, state.any, state.text]), rows ?? [])
  useListKeys({ rows: rows ?? [], selection: tellAll ? selection : null, rowKeys: {}, onFilter: () => setAdding(true) })

  const changeFilters = (filters: readonly FilterTriple[], text: string = state.text) => {
    keep(state.filters, filters)
    change({ filters, text, any: [] })
  }
  const saved = useSavedViews(PersonDoctype, true)
  const views: ListView[] = [
    { key: 'all', label: t('users.all'), filters: [] },
    { key: 'members', label: t('users.members'), filters: [joined] },
    { key: 'invitations', label: t('users.invitations'), filters: [invited] },
    ...(tellAll ? [{ key: 'no_2fa', label: t('users.no_2fa'), filters: [['two_factor', '=', 'Off']] } as const] : []),
  ]
  const visible = visibleFields(columns, chosen)
  const rowsProps: RowsProps = {
    type: PersonDoctype,
    columns: drawnColumns(columns, visible, phone ? 'desktop' : breakpoint),
    favorites: false,
    rows,
    expected: expectedRows,
    href: (row) => {
      const person = personOf(row)
      return person.kind === 'member' ? `/user/${encodeURIComponent(person.user)}` : null
    },
    menu: { before: (row) => <PersonMenu person={personOf(row)} acts={acts} /> },
    selection: tellAll ? selection : null,
    state,
    defaults,
    onChange: change,
  }
  return (
    <>
      <ListViews
        columns={columns}
        type={PersonDoctype}
        views={views}
        saved={saved}
        canSave
        scope={[]}
        state={state}
        visible={visible}
        count={({ filters, any = [] }) =>
          people ? matchingPeople(people, { filters, any, text: '', order: state.order }).length : null
        }
        // Selecting a view isn't stored as a preference.
        onChange={change}
      />
      <ListFilters
        type={PersonDoctype}
        state={state}
        onChange={change}
        onFilters={(filters) => changeFilters(filters)}
        adding={adding}
        onAdding={setAdding}
      >
        {phone ? (
          <CardSort type={PersonDoctype} columns={columns} state={state} onChange={change} />
        ) : (
          <ColumnsMenu type={PersonDoctype} columns={columns} visible={visible} onChange={choose} />
        )}
        {organization === null ? null : <CopyListButton command={() => membersCurl(organization, location.origin)} />}
      </ListFilters>
      <p role="status" className="sr-only">
        {rows === undefined ? t('users.loading') : t('users.loaded', { count: total })}
      </p>
      <ListBody
        rows={rowsProps}
        total={matching?.length}
        nothing={
          <EmptyState
            icon={<Users size={20} strokeWidth={1.75} />}
            title={t('users.no_match_title')}
            action={<Button onClick={() => changeFilters([], '')}>{t('users.clear_filters')}</Button>}
          >
            {t('users.no_match')}
          </EmptyState>
        }
        bulk={{
          except: [],
          extra: (chosenRows) => (
            <PeopleBulk rows={chosenRows.map(personOf)} may={may} onDone={onChanged} clear={selection.clear} />
          ),
          readAll: () => Promise.resolve(matching ?? []),
        }}
      />
    </>
  )
}
