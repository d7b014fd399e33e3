import { once } from '#web/lib/browser/once.ts'
import { listHref } from '#web/documents/query/list-href.ts'
import { locale } from '#web/lib/i18n/locale.ts'
import type { SummaryCard } from '#web/ui/summary-cards.tsx'
import { t } from './messages.ts'
import type { Person } from './people.ts'

const list = once(() => new Intl.ListFormat(locale, { style: 'short', type: 'unit' }))

/**
 * Summary cards: members, roles and pending invitations, counted from the list itself. `isKnown`: whether the invitations could be
 * read.
 */
export function peopleSummary(people: readonly Person[] | undefined, isKnown: boolean): SummaryCard[] {
  const members = people?.filter((person) => person.kind === 'member') ?? []
  const count = (test: (person: Person) => boolean) => people?.filter(test).length ?? 0
  const [pending, expired] = [count(({ status }) => status === 'Pending'), count(({ status }) => status === 'Expired')]
  const waiting = count(({ signed_up }) => signed_up !== null)
  const parts = (entries: readonly (readonly [Parameters<typeof t>[0], number])[]) =>
    list().format(entries.flatMap(([key, number]) => (number > 0 ? [t(key, { count: number })] : [])))
  const unprotected = count(({ two_factor }) => two_factor === 'Off')
  const idle = members.filter(({ sites }) => sites === 0).length
  const owner = members.find(({ is_owner }) => is_owner)
  const next = people
    ?.filter(({ status, expires }) => status === 'Pending' && expires !== null)
    .toSorted((a, b) => (a.expires ?? '').localeCompare(b.expires ?? ''))[0]
  return [
    {
      label: t('users.who_q'),
      value: people ? t('users.member_count', { count: members.length }) : null,
      detail: unprotected > 0 ? t('users.no_factor', { count: unprotected }) : undefined,
    },
    {
      label: t('users.what_q'),
      value: people
        ? parts([
            [
              'users.admins',
              count((person) => person.kind === 'member' && person.organization_role === 'Organization Admin'),
            ],
            [
              'users.managers',
              count((person) => person.kind === 'member' && person.organization_role === 'Organization Manager'),
            ],
            [
              'users.plain',
              count((person) => person.kind === 'member' && person.organization_role === 'Organization User'),
            ],
          ])
        : null,
      detail:
        idle > 0
          ? t('users.sees_nothing', { count: idle })
          : owner
            ? t('users.owned', { name: owner.member })
            : undefined,
    },
    {
      label: t('users.missing_q'),
      value:
        people && isKnown
          ? parts([
              ['users.pending', pending],
              ['users.expired', expired],
            ]) || t(people.length > 1 ? 'users.missing_none' : 'users.invited_none')
          : null,
      tone: !isKnown ? 'none' : waiting + expired > 0 ? 'warn' : pending > 0 || people?.length === 1 ? 'none' : 'ok',
      detail: next?.expires
        ? { value: next.expires, format: (when) => t('users.expires_next', { user: next.user, when }) }
        : undefined,
      href: pending + expired > 0 ? listHref('/user', [['status', '!=', 'Joined']]) : undefined,
    },
  ]
}
