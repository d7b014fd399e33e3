import { KeyRound, Trash2 } from 'lucide-react'
import type { AnyDoc } from '#shared/doctype.ts'
import type { Organization } from '#shared/doctypes/organization.ts'
import { parseSshPublicKey } from '#shared/rules/ssh-keys.ts'
import { data } from '#shared/fields.ts'
import { DocForm, FormFailure } from '#web/documents/form/form.tsx'
import { FormField } from '#web/documents/form/form-field.tsx'
import { useForm } from '#web/documents/form/use-form.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { getDoc, updateDoc } from '#web/lib/api/api.ts'
import { messageText } from '#web/lib/i18n/catalog.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { docKey, putData } from '#web/lib/api/data-client.ts'
import { undoButton } from '#web/documents/actions/undo-button.ts'
import { showToast } from '#web/lib/browser/toasts.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { CopyButton, CopyField } from '#web/ui/copy-button.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { IconButton } from '#web/ui/icon-button.tsx'
import { useInstallation } from '#web/features/organizations/use-installation.ts'
import { t } from './messages.ts'
import { hasKey, keysText, listedKeys, type ListedKey } from '#web/features/organizations/ssh-keys.ts'

const fields = { public_key: data({ reqd: true, length: 10_000, label: t('ssh.key') }) }

/** SSH keys authorized on every server of the organization. */
export function SshTab({ organization }: { organization: Organization }) {
  const keys = listedKeys(organization.default_authorized_keys)

  async function store(next: readonly ListedKey[], modified?: string): Promise<void> {
    const stored = await updateDoc<AnyDoc>('Organization', organization.name, {
      default_authorized_keys: keysText(next),
      ...(modified && { modified }),
    })
    await putData(docKey('Organization', organization.name), stored)
  }

  const control = useForm(
    {
      fields,
      names: ['public_key'],
      checks: {
        public_key: (line) => {
          const key = parseSshPublicKey(line)
          if ('problem' in key) return messageText(key.problem)
          return hasKey(keys, line) ? t('ssh.twice') : null
        },
      },
    },
    {
      save: async ({ public_key: line }) => {
        await store([...keys, ...listedKeys(String(line))], organization.modified)
        control.reset()
        showToast({ title: t('ssh.added'), variant: 'success' })
      },
    },
  )

  async function remove(removed: ListedKey): Promise<void> {
    try {
      await store(
        keys.filter((one) => one !== removed),
        organization.modified,
      )
      // Adds it to the current list, so that keys added or removed since stay as they are.
      const undo = async () => {
        const now = await getDoc<Organization>('Organization', organization.name)
        const others = listedKeys(now.default_authorized_keys)
        if (!others.some(({ line }) => line === removed.line)) await store([...others, removed], now.modified)
      }
      showToast({
        title: t('ssh.removed'),
        variant: 'success',
        action: undoButton({ undo, failed: t('ssh.failed') }, { lasting: true }),
      })
    } catch (error) {
      showToast({ title: t('ssh.failed'), description: fullMessage(toApiError(error)), variant: 'danger' })
    }
  }

  return (
    <div className="grid max-w-3xl gap-4">
      <Card>
        <CardHead title={t('ssh.title')} lined />
        <p className="border-b border-hairline px-4 py-3 text-table text-muted">{t('ssh.text')}</p>
        {keys.length === 0 ? (
          <EmptyState icon={<KeyRound size={20} strokeWidth={1.75} />} title={t('ssh.none_title')}>
            {t('ssh.none')}
          </EmptyState>
        ) : (
          <ul aria-label={t('ssh.title')} className="divide-y divide-hairline">
            {keys.map((one) => (
              <KeyLine key={one.line} listed={one} onRemove={() => void remove(one)} />
            ))}
          </ul>
        )}
        <div className="border-t border-hairline p-4">
          <DocForm control={control} label={t('ssh.add')} className="grid gap-3">
            <FormField
              control={control}
              name="public_key"
              hint={t('ssh.key_hint')}
              placeholder={t('ssh.placeholder')}
            />
            <FormFailure control={control} />
            <Button type="submit" variant="primary" busy={control.busy} className="justify-self-start max-md:w-full">
              {t('ssh.add')}
            </Button>
          </DocForm>
        </div>
      </Card>
      <InstallationKey />
    </div>
  )
}

function KeyLine({ listed: { line, key }, onRemove }: { listed: ListedKey; onRemove: () => void }) {
  const name = key?.comment || t('ssh.nameless')
  return (
    <li className="flex min-h-14 items-center gap-3 px-4 py-2">
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium">{name}</span>
        <span className="block truncate font-mono text-meta text-muted">
          {key ? `${key.kind} …${key.base64.slice(-16)}` : line}
        </span>
      </span>
      <CopyButton value={line} label={t('ssh.copy', { name })} />
      <IconButton size="md" label={t('ssh.remove', { name })} onClick={onRemove}>
        <Trash2 size={16} strokeWidth={1.75} />
      </IconButton>
    </li>
  )
}

/** The installation's own public key. */
function InstallationKey() {
  const key = useInstallation().data?.default_public_key
  if (!key) return null
  return (
    <Card>
      <CardHead title={t('ssh.ours_title')} />
      <CardBody className="grid gap-2">
        <p className="text-table text-muted">{t('ssh.ours')}</p>
        <CopyField value={key} label={t('ssh.copy_ours')} />
      </CardBody>
    </Card>
  )
}
