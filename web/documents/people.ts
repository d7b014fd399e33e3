import { useSmallList } from '#web/lib/api/frappe.tsx'
import { useSession } from '#web/lib/session/session.tsx'
import { t } from './messages.ts'

/** Display names of accounts by email. Unreadable accounts show the email; scheduled work shows "System". */
export function usePeople(
  emails: readonly (string | null | undefined)[],
): (email: string | null | undefined) => string {
  const { user, fullName } = useSession()
  const wanted = [
    ...new Set(
      emails.filter(
        (email): email is string => Boolean(email) && email !== 'System' && email !== 'Guest' && email !== user,
      ),
    ),
  ].toSorted()
  const people = useSmallList(wanted.length > 0 ? 'User' : null, {
    fields: ['name', 'full_name'],
    filters: [['name', 'in', wanted]],
    limit: wanted.length,
  })
  return (email) => {
    if (!email || email === 'System') return t('value.system')
    if (email === user && fullName) return fullName
    return people.data?.find((person) => person.name === email)?.full_name ?? email
  }
}
