import { X } from 'lucide-react'
import { useRef, type ClipboardEvent, type KeyboardEvent } from 'react'
import { suggest } from '#shared/rules/suggestions.ts'
import { cx } from '#web/lib/browser/cx.ts'
import { Avatar } from '#web/ui/images/avatar.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { SuggestInput } from '#web/ui/form/suggest-input.tsx'
import { validateAddress, splitAddresses, withAddresses } from './addresses.ts'
import { t } from './messages.ts'
import type { Person } from './people.ts'

/** Why a known user can (or can't) be invited. */
const details = { Joined: 'invite.member', Pending: 'invite.pending', Expired: 'invite.expired' } as const

/**
 * Emails as chips: a separator, Enter or blur converts the text to a chip, Backspace in the empty input removes the last
 * one. Suggests known users, with the reason if they can't be invited.
 */
export function AddressField({
  emails,
  text,
  problems,
  error,
  people,
  onEmails,
  onText,
}: {
  emails: readonly string[]
  text: string
  /** The server's error by email. */
  problems: Readonly<Record<string, string>>
  error: string | null
  people: readonly Person[]
  onEmails: (emails: string[]) => void
  onText: (text: string) => void
}) {
  const box = useRef<HTMLDivElement>(null)
  const wrong = emails.find((email) => validateAddress(email).problem !== null)
  const rejected = emails.find((email) => problems[email] !== undefined)
  const message =
    error ??
    (wrong !== undefined ? t('invite.not_full', { email: wrong }) : null) ??
    (rejected !== undefined ? (problems[rejected] ?? null) : null)

  const take = (more: readonly string[]) => {
    onEmails(withAddresses(emails, more))
    onText('')
  }
  const type = (value: string) => {
    // Text before the last separator is complete.
    const at = Math.max(...[' ', ',', ';'].map((separator) => value.lastIndexOf(separator)))
    const whole = at < 0 || value.includes('<') ? [] : splitAddresses(value.slice(0, at))
    if (whole.length === 0) return onText(value.trimStart())
    onEmails(withAddresses(emails, whole))
    onText(value.slice(at + 1))
  }
  const onKey = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Enter' && !(event.ctrlKey || event.metaKey) && text.trim() !== '') {
      event.preventDefault()
      take(splitAddresses(text))
    } else if (event.key === 'Backspace' && text === '' && emails.length > 0) {
      event.preventDefault()
      onText(emails.at(-1) ?? '')
      onEmails(emails.slice(0, -1))
    }
  }
  const onPaste = (event: ClipboardEvent) => {
    const pasted = event.clipboardData.getData('text')
    if (!/[\s,;<]/.test(pasted.trim())) return
    event.preventDefault()
    take(splitAddresses(`${text} ${pasted}`))
  }
  const remove = (email: string) => {
    onEmails(emails.filter((one) => one !== email))
    box.current?.querySelector('input')?.focus()
  }

  const fresh = people.filter((person) => !emails.includes(person.user))
  const suggestions = text.trim() === '' ? [] : suggest(text, fresh, (person) => `${person.user} ${person.member}`)
  return (
    <Field label={t('invite.emails')} hint={t('invite.emails_hint')} error={message} required>
      <div ref={box} className="control flex w-full min-w-0 flex-wrap items-center gap-1.5 p-1.5">
        {emails.length > 0 ? (
          <ul aria-label={t('invite.chosen')} className="contents">
            {emails.map((email) => {
              const bad = validateAddress(email).problem !== null || problems[email] !== undefined
              return (
                <li
                  key={email}
                  className={cx(
                    'flex min-h-7 max-w-full items-center rounded-xs pl-2 text-table max-md:min-h-9',
                    bad ? 'bg-bad-bg text-bad' : 'bg-off-bg text-fg',
                  )}
                >
                  <span className="min-w-0 wrap-anywhere">{email}</span>
                  <button
                    type="button"
                    aria-label={t('invite.remove', { email })}
                    onClick={() => remove(email)}
                    className="grid size-7 flex-none place-items-center rounded-xs hover:bg-hover max-md:size-9"
                  >
                    <X size={14} strokeWidth={1.75} aria-hidden="true" />
                  </button>
                </li>
              )
            })}
          </ul>
        ) : null}
        <SuggestInput
          unstyled
          type="text"
          inputMode="email"
          name="emails"
          className="h-7 px-1 max-md:h-9"
          value={text}
          onValue={type}
          placeholder={emails.length === 0 ? t('invite.placeholder') : undefined}
          listLabel={t('invite.suggestions')}
          // Keeps the error above it readable.
          listClassName={message === null ? undefined : 'mt-9'}
          suggestions={suggestions.map((person) => ({
            id: person.user,
            label: person.user,
            icon: <Avatar size="sm" name={person.member} image={person.image} />,
            detail: t(details[person.status]),
            disabled: person.status !== 'Expired',
          }))}
          onPick={({ id }) => take([id])}
          onKey={onKey}
          onPaste={onPaste}
          onBlur={() => {
            if (text.trim() !== '') take(splitAddresses(text))
          }}
        />
      </div>
    </Field>
  )
}
