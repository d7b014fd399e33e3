import { Play } from 'lucide-react'
import { useState } from 'react'
import type { Site } from '#shared/doctypes/site.ts'
import { phpResult, type PhpResult } from '#shared/responses/site-console.ts'
import { addressBesideName, siteName } from '#shared/rules/display-name.ts'
import type { ActionGate } from '#web/documents/actions/action-gate.ts'
import { formatNumber } from '#web/lib/i18n/format.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { Checkbox } from '#web/ui/form/checkbox.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { AlertDialog } from '#web/ui/overlay/alert-dialog.tsx'
import { CodeArea, CodeBlock } from './code-area.tsx'
import { t } from './messages.ts'
import { RunList } from './run-list.tsx'
import { useConsoleRun } from './use-console-run.ts'

/** PHP for admins, within the site's WordPress. */
export function PhpConsole({ site, gate }: { site: Site; gate: ActionGate & { shown: true } }) {
  const [code, setCode] = useState('')
  const [isSafe, setSafe] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const { busy, result, error, run, dialog } = useConsoleRun(site.name, { action: 'run_php', returns: phpResult })
  const held = gate.enabled ? null : gate.reason
  const ask = () => {
    if (code.trim() !== '' && !busy && held === null) setAsking(true)
  }
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <Card aria-label={t('php.title')}>
        <CardHead title={t('php.title')} />
        <CardBody className="grid gap-3">
          <CodeArea label={t('php.code')} hint={t('php.hint')} value={code} onChange={setCode} onRun={ask} />
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
            <Button
              variant="primary"
              busy={busy}
              aria-disabled={held === null && code.trim() !== '' ? undefined : true}
              title={held ?? undefined}
              onClick={ask}
            >
              {busy ? null : <Play size={16} strokeWidth={1.75} aria-hidden="true" />}
              {t('php.run')}
            </Button>
            <Checkbox label={t('php.safe')} checked={isSafe} onChange={(event) => setSafe(event.target.checked)} />
          </div>
          {held === null ? null : <p className="text-meta text-muted">{held}</p>}
        </CardBody>
      </Card>
      {error === null ? null : (
        <Notice tone="bad" title={t('php.failed')}>
          {error}
        </Notice>
      )}
      {result === null ? null : <ResultView result={result} />}
      <RunList site={site.name} />
      <AlertDialog
        open={isAsking}
        onOpenChange={setAsking}
        title={t('php.confirm_title', { site: siteName(site) })}
        confirmLabel={t('php.confirm')}
        onConfirm={() => {
          setAsking(false)
          return run({ code, safe: isSafe ? 1 : 0 })
        }}
      >
        <span className="grid gap-2">
          <span translate="no" className="wrap-anywhere empty:hidden">
            {addressBesideName(site)}
          </span>
          <CodeBlock>{code}</CodeBlock>
          <span>{t('php.confirm_text')}</span>
        </span>
      </AlertDialog>
      {dialog}
    </div>
  )
}

function ResultView({ result: { output, value, error, cut, ms } }: { result: PhpResult }) {
  return (
    <Card aria-label={t('php.result')}>
      <CardHead title={t('php.result')} subtitle={t('php.took', { ms: formatNumber(ms) })} />
      <CardBody className="grid gap-3">
        {error ? (
          <Notice tone="bad" title={t('php.error', { line: error.line, file: error.file || t('php.the_code') })}>
            <span translate="no" lang="en">
              {error.message}
            </span>
          </Notice>
        ) : null}
        {output === '' ? null : (
          <div className="grid gap-1">
            <p className="text-meta text-muted">{t('php.output')}</p>
            <CodeBlock label={t('php.output')}>{output}</CodeBlock>
          </div>
        )}
        {value === null ? null : (
          <div className="grid gap-1">
            <p className="text-meta text-muted">{t('php.value')}</p>
            <CodeBlock label={t('php.value')}>{value}</CodeBlock>
          </div>
        )}
        {output === '' && value === null && error === null ? <p>{t('php.nothing')}</p> : null}
        {cut ? <p className="text-meta text-muted">{t('php.cut')}</p> : null}
      </CardBody>
    </Card>
  )
}
