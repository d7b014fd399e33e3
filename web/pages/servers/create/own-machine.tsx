import type { ServerChecks } from '#shared/responses/servers.ts'
import { FormField } from '#web/documents/form/form-field.tsx'
import type { FormControl } from '#web/documents/form/use-form.ts'
import { useInstallation } from '#web/features/organizations/use-installation.ts'
import type { Loaded } from '#web/lib/api/frappe.tsx'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Checkbox } from '#web/ui/form/checkbox.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { StatusIcon, type Tone } from '#web/ui/status.tsx'
import { Legend } from './legend.tsx'
import { t } from './messages.ts'
import { passedCount } from './use-server-checks.ts'

/** How a machine that exists already is reached. */
export function OwnMachineFields({ control }: { control: FormControl }) {
  return (
    <fieldset>
      <legend className="mb-2">
        <Legend>{t('create.access')}</Legend>
      </legend>
      <div className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)_120px] gap-4 max-md:grid-cols-2 [&>:first-child]:max-md:col-span-2">
        <FormField control={control} name="public_ipv4" placeholder="203.0.113.5" />
        <FormField control={control} name="ssh_user" hint={t('create.user_hint')} />
        <FormField control={control} name="ssh_port" />
      </div>
    </fieldset>
  )
}

/** A text as one word of a shell command. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** The shell command that lets the holder of a key sign in as the user who runs it. */
export function authorizeCommand(publicKey: string): string {
  const file = '~/.ssh/authorized_keys'
  // The file may lack the line break at its end.
  return `mkdir -p ~/.ssh && chmod 700 ~/.ssh && printf '\\n%s\\n' ${quoted(publicKey.trim())} >> ${file} && chmod 600 ${file}`
}

/** Prints the fingerprints of all keys of a server. */
const fingerprintCommand = 'cat /etc/ssh/ssh_host_*_key.pub | ssh-keygen -lf -'

/** What to do on a machine that exists already, and whether it can be used. */
export function OwnMachineChecks({ control, checks }: { control: FormControl; checks: Loaded<ServerChecks> }) {
  const { public_ipv4: address, ssh_user: user } = control.values
  return (
    <>
      <Card>
        <CardHead title={t('create.command_title')} lined />
        <CardBody className="grid gap-3 pt-3">
          <p className="text-table text-muted">
            {t('create.command_text', { address: String(address), user: String(user) })}
          </p>
          <AccessCommand />
        </CardBody>
      </Card>
      <ChecksCard checks={checks} />
      {checks.data?.host_key ? <HostKey control={control} fingerprint={checks.data.host_key} /> : null}
    </>
  )
}

function AccessCommand() {
  const installation = useInstallation()
  if (installation.error && !installation.data)
    return (
      <ErrorPanel
        className="flex items-start gap-3"
        title={t('create.command_error')}
        error={installation.error}
        onRetry={() => installation.reload()}
      />
    )
  if (!installation.data) return <Skeleton className="h-16 w-full rounded-ctl" />
  return <CodeBox value={authorizeCommand(installation.data.default_public_key)} label={t('create.command_copy')} />
}

/** A text to copy or compare, in full. */
function CodeBox({ value, label }: { value: string; label: string }) {
  return (
    <div className="flex items-start gap-2 rounded-ctl border border-border bg-sunken py-1 pr-1 pl-3">
      <code className="min-w-0 flex-1 py-1.5 font-mono text-meta wrap-anywhere" translate="no">
        {value}
      </code>
      <CopyButton value={value} label={label} />
    </div>
  )
}

type CheckState = ServerChecks['checks'][number]['state']
const tones: Readonly<Record<CheckState, Tone>> = { ok: 'ok', warn: 'warn', failed: 'bad', waiting: 'none' }

function ChecksCard({ checks }: { checks: Loaded<ServerChecks> }) {
  const { data, error } = checks
  if (error && !data)
    return <ErrorPanel title={t('create.checks_error')} error={error} onRetry={() => checks.reload()} />
  return (
    <Card>
      <CardHead
        title={t('create.checks')}
        lined
        subtitle={
          <span role="status">
            {data
              ? t('create.checks_passed', { passed: passedCount(data), count: data.checks.length })
              : t('create.checks_running')}
          </span>
        }
      >
        <Button size="sm" busy={checks.isValidating} onClick={() => void checks.reload()}>
          {t('create.checks_again')}
        </Button>
      </CardHead>
      {data ? (
        <ul className="divide-y divide-hairline">
          {data.checks.map(({ key, label, state, detail }) => (
            <li key={key} className="flex min-h-10 items-start gap-3 px-4 py-2.5 text-table">
              <StatusIcon tone={tones[state]} className="mt-px" />
              <span className="w-40 flex-none font-medium max-md:w-28">
                {label}
                <span className="sr-only">{`, ${t(`create.check_${state}`)}`}</span>
              </span>
              <span className="min-w-0 flex-1 wrap-anywhere text-muted">{detail}</span>
            </li>
          ))}
        </ul>
      ) : (
        <div aria-hidden="true" className="grid gap-4 p-4">
          {['a', 'b', 'c', 'd'].map((row) => (
            <Skeleton key={row} className="h-3 w-60 max-w-full" />
          ))}
        </div>
      )}
      {error ? (
        <div className="border-t border-hairline p-3">
          <Notice tone="warn">{error.message}</Notice>
        </div>
      ) : null}
    </Card>
  )
}

/** The fingerprint of the machine, for comparison: whoever answers at the address could be somebody else. */
function HostKey({ control, fingerprint }: { control: FormControl; fingerprint: string }) {
  return (
    <Card>
      <CardHead title={t('create.host_key')} lined />
      <CardBody className="grid gap-3 pt-3">
        <CodeBox value={fingerprint} label={t('create.host_key_copy')} />
        <div className="grid gap-1.5">
          <p className="text-table text-muted">{t('create.host_key_text')}</p>
          <CodeBox value={fingerprintCommand} label={t('create.command_copy')} />
        </div>
        <Checkbox
          name="host_key"
          label={t('create.host_key_confirm')}
          error={control.errors['host_key'] ?? null}
          checked={control.values['host_key'] === fingerprint}
          onChange={(event) => control.set('host_key', event.target.checked ? fingerprint : '')}
        />
      </CardBody>
    </Card>
  )
}
