import { Play } from 'lucide-react'
import { useState } from 'react'
import type { Site } from '#shared/doctypes/site.ts'
import { wpResult } from '#shared/responses/site-console.ts'
import { addressBesideName, siteName } from '#shared/rules/display-name.ts'
import { consoleLimits } from '#shared/rules/site-console.ts'
import type { ActionGate } from '#web/documents/actions/action-gate.ts'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { Field } from '#web/ui/form/field.tsx'
import { Input } from '#web/ui/form/input.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { AlertDialog } from '#web/ui/overlay/alert-dialog.tsx'
import { CodeBlock } from './code-area.tsx'
import { t } from './messages.ts'
import { RunList } from './run-list.tsx'
import { useConsoleRun } from './use-console-run.ts'

/** WP-CLI for admins, on servers that have it. */
export function WpConsole({ site, gate }: { site: Site; gate: ActionGate & { shown: true } }) {
  const [command, setCommand] = useState('')
  const [isAsking, setAsking] = useState(false)
  const { busy, result, error, run, dialog } = useConsoleRun(site.name, { action: 'run_wp', returns: wpResult })
  const held = gate.enabled ? null : gate.reason
  const isReady = held === null && command.trim() !== ''
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <Card aria-label={t('wp.title')}>
        <CardHead title={t('wp.title')} />
        <CardBody>
          <form
            className="grid gap-3"
            onSubmit={(event) => {
              event.preventDefault()
              if (isReady && !busy) setAsking(true)
            }}
          >
            <Field label={t('wp.command')} hint={t('wp.hint')}>
              <Input
                value={command}
                maxLength={consoleLimits.command}
                spellCheck={false}
                autoCapitalize="off"
                autoComplete="off"
                translate="no"
                className="font-mono [font-variant-ligatures:none]"
                onChange={(event) => setCommand(event.target.value)}
              />
            </Field>
            <Button
              type="submit"
              variant="primary"
              className="justify-self-start"
              busy={busy}
              aria-disabled={isReady ? undefined : true}
              title={held ?? undefined}
            >
              {busy ? null : <Play size={16} strokeWidth={1.75} aria-hidden="true" />}
              {t('php.run')}
            </Button>
          </form>
          {held === null ? null : <p className="mt-3 text-meta text-muted">{held}</p>}
        </CardBody>
      </Card>
      {error === null ? null : (
        <Notice tone="bad" title={t('wp.failed')}>
          {error}
        </Notice>
      )}
      {result === null ? null : (
        <Card aria-label={t('php.result')}>
          <CardHead title={t('php.result')} subtitle={t('php.took', { ms: formatNumber(result.ms) })} />
          <CardBody className="grid gap-3">
            {result.code === 0 ? null : <Notice tone="bad" title={t('wp.code', { code: result.code })} />}
            {result.cut ? <p className="text-meta text-muted">{t('wp.cut')}</p> : null}
            {result.output === '' ? (
              <p>{t('wp.nothing')}</p>
            ) : (
              <CodeBlock label={t('php.output')}>{result.output}</CodeBlock>
            )}
          </CardBody>
        </Card>
      )}
      <RunList site={site.name} />
      <AlertDialog
        open={isAsking}
        onOpenChange={setAsking}
        title={t('wp.confirm_title', { site: siteName(site) })}
        confirmLabel={t('wp.confirm')}
        onConfirm={() => {
          setAsking(false)
          return run({ command })
        }}
      >
        <span className="grid gap-2">
          <span translate="no" className="wrap-anywhere empty:hidden">
            {addressBesideName(site)}
          </span>
          <CodeBlock>{command}</CodeBlock>
          <span>{t('php.confirm_text')}</span>
        </span>
      </AlertDialog>
      {dialog}
    </div>
  )
}
