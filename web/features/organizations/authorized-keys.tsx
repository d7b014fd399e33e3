import { KeyRound, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import type { AnyDoc } from '#shared/doctype.ts'
import { data } from '#shared/fields.ts'
import { parseSshPublicKey } from '#shared/rules/ssh-keys.ts'
import { undoButton } from '#web/documents/actions/undo-button.ts'
import { FormField } from '#web/documents/form/form-field.tsx'
import { DocForm, FormFailure } from '#web/documents/form/form.tsx'
import { useForm } from '#web/documents/form/use-form.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { getDoc, updateDoc } from '#web/lib/api/api.ts'
import { putData } from '#web/lib/api/data-client.ts'
import { docKey } from '#web/lib/api/data-keys.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { createCatalog, messageText } from '#web/lib/i18n/catalog.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, CardHead } from '#web/ui/card.tsx'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { IconButton } from '#web/ui/icon-button.tsx'
import { hasKey, keysText, listedKeys, type ListedKey } from './ssh-keys.ts'

const t = createCatalog({
  'keys.add': 'Add key',
  'keys.key': 'Public key',
  'keys.key_hint': 'One line, from a file that ends with .pub.',
  'keys.placeholder': 'ssh-ed25519 AAAA… ann@laptop',
  'keys.twice': 'This key is in the list already.',
  'keys.copy': 'Copy key {name}',
  'keys.remove': 'Remove key {name}',
  'keys.nameless': 'Key without a comment',
  'keys.added': 'Key added',
  'keys.removed': 'Key removed',
  'keys.failed': 'The keys were not saved',
})

const fields = { public_key: data({ reqd: true, length: 10_000, label: t('keys.key') }) }

/** A document's field with public keys, one per line. */
interface KeysField {
  readonly doctype: 'Organization' | 'Server'
  readonly field: 'default_authorized_keys' | 'authorized_keys'
  readonly doc: { readonly name: string; readonly modified: string }
  readonly value: string | null
}

/** The keys of a field, how to add one, and how to remove one with undo. */
function useAuthorizedKeys({ doctype, field, doc: { name, modified }, value }: KeysField) {
  const keys = listedKeys(value)

  async function store(next: readonly ListedKey[], seen: string): Promise<void> {
    const stored = await updateDoc<AnyDoc>(doctype, name, { [field]: keysText(next), modified: seen })
    await putData(docKey(doctype, name), stored)
  }

  async function add(line: string): Promise<void> {
    await store([...keys, ...listedKeys(line)], modified)
    showToast({ title: t('keys.added'), variant: 'success' })
  }

  async function remove(removed: ListedKey): Promise<void> {
    try {
      await store(
        keys.filter((one) => one !== removed),
        modified,
      )
      // Adds it to the current list, so that keys added or removed since stay as they are.
      const undo = async () => {
        const now = await getDoc<AnyDoc & { modified: string }>(doctype, name)
        const others = listedKeys(typeof now[field] === 'string' ? now[field] : null)
        if (!others.some(({ line }) => line === removed.line)) await store([...others, removed], now.modified)
      }
      showToast({
        title: t('keys.removed'),
        variant: 'success',
        action: undoButton({ undo, failed: t('keys.failed') }, { lasting: true }),
      })
    } catch (error) {
      showToast({ title: t('keys.failed'), description: fullMessage(toApiError(error)), variant: 'danger' })
    }
  }
  return { keys, add, remove }
}

/** Public keys that a document lists: add one, remove one with undo. */
export function AuthorizedKeys({
  title,
  text,
  none,
  suggestions,
  ...where
}: KeysField & {
  title: string
  text: string
  /** What an empty list means. */
  none: { title: string; text: string }
  /** Lines that can be added without being pasted; those that are listed already are left out. */
  suggestions?: { label: string; keys: readonly { title: string; line: string }[] }
}) {
  const { keys, add, remove } = useAuthorizedKeys(where)
  const control = useForm(
    {
      fields,
      names: ['public_key'],
      checks: {
        public_key: (line) => {
          const key = parseSshPublicKey(line)
          if ('problem' in key) return messageText(key.problem)
          return hasKey(keys, line) ? t('keys.twice') : null
        },
      },
    },
    {
      save: async ({ public_key: line }) => {
        await add(String(line))
        control.reset()
      },
    },
  )
  const offered = suggestions?.keys.filter(({ line }) => !hasKey(keys, line)) ?? []
  return (
    <Card aria-label={title}>
      <CardHead title={title} lined />
      <p className="border-b border-hairline px-4 py-3 text-table text-muted">{text}</p>
      {keys.length === 0 ? (
        <EmptyState icon={<KeyRound size={20} strokeWidth={1.75} />} title={none.title}>
          {none.text}
        </EmptyState>
      ) : (
        <KeyList label={title} keys={keys} onRemove={(one) => void remove(one)} />
      )}
      <div className="grid gap-4 border-t border-hairline p-4">
        <DocForm control={control} label={t('keys.add')} className="grid gap-3">
          <FormField
            control={control}
            name="public_key"
            hint={t('keys.key_hint')}
            placeholder={t('keys.placeholder')}
          />
          <FormFailure control={control} />
          <Button type="submit" variant="primary" busy={control.busy} className="justify-self-start max-md:w-full">
            {t('keys.add')}
          </Button>
        </DocForm>
        {suggestions && offered.length > 0 ? (
          <div className="flex flex-wrap items-center gap-2 text-table">
            <span className="text-muted">{suggestions.label}</span>
            {offered.map((one) => (
              <Button key={one.line} size="sm" onClick={() => control.set('public_key', one.line)}>
                {one.title}
              </Button>
            ))}
          </div>
        ) : null}
      </div>
    </Card>
  )
}

/** Keys with what tells them apart. `onRemove`: for those who can. */
export function KeyList({
  label,
  keys,
  onRemove,
}: {
  label: string
  keys: readonly ListedKey[]
  onRemove?: (key: ListedKey) => void
}): ReactNode {
  return (
    <ul aria-label={label} className="divide-y divide-hairline">
      {keys.map((one) => {
        const name = one.key?.comment || t('keys.nameless')
        return (
          <li key={one.line} className="flex min-h-14 items-center gap-3 px-4 py-2">
            <span className="min-w-0 flex-1">
              <span className="block truncate font-medium">{name}</span>
              <span className="block truncate font-mono text-meta text-muted" translate="no">
                {one.key ? `${one.key.kind} …${one.key.base64.slice(-16)}` : one.line}
              </span>
            </span>
            <CopyButton value={one.line} label={t('keys.copy', { name })} />
            {onRemove ? (
              <IconButton size="md" label={t('keys.remove', { name })} onClick={() => onRemove(one)}>
                <Trash2 size={16} strokeWidth={1.75} />
              </IconButton>
            ) : null}
          </li>
        )
      })}
    </ul>
  )
}
