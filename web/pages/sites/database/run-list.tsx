import { useState } from 'react'
import { consoleRuns, type ConsoleRun } from '#shared/responses/site-console.ts'
import { usePasswordCheck } from '#web/documents/actions/password-check.tsx'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { runAction } from '#web/lib/api/api.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { Tag } from '#web/ui/chip.tsx'
import { Time } from '#web/ui/time.tsx'
import { CodeBlock } from './code-area.tsx'
import { t } from './messages.ts'

const stateTones = { Running: 'info', Done: 'ok', Failed: 'bad' } as const
const stateTexts = {
  Running: () => t('runs.running'),
  Done: () => t('runs.done'),
  Failed: () => t('runs.failed'),
} satisfies Record<ConsoleRun['state'], () => string>

const kindTexts = { sql: t('sql.chip'), php: t('php.chip'), wp: t('wp.chip') } as const

/** Who ran what on this site, for its admins. Loaded on demand: it needs a fresh password. */
export function RunList({ site }: { site: string }) {
  const [runs, setRuns] = useState<readonly ConsoleRun[] | null>(null)
  const [error, setError] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const { checked, dialog } = usePasswordCheck()
  const load = async () => {
    setBusy(true)
    setError(null)
    try {
      const found = await checked(async () => checkedResult(consoleRuns, await runAction('Site', site, 'console_runs')))
      if (found) setRuns(found)
    } catch (failure) {
      setError(fullMessage(toApiError(failure)))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Card aria-label={t('runs.title')}>
      <CardHead title={t('runs.title')}>
        <Button size="md" busy={busy} onClick={() => void load()}>
          {t(runs === null ? 'runs.show' : 'rows.refresh')}
        </Button>
      </CardHead>
      <CardBody className="grid gap-2">
        <p className="text-meta text-muted">{t('runs.hint')}</p>
        {error === null ? null : (
          <p role="alert" className="text-table text-bad">
            {error}
          </p>
        )}
        {runs?.length === 0 ? <p className="text-table">{t('runs.none')}</p> : null}
        {runs !== null && runs.length > 0 ? (
          <ul className="divide-y divide-hairline">
            {runs.map((run) => (
              <li key={run.id} className="grid gap-1.5 py-2.5">
                <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-table">
                  <span className="font-medium">{kindTexts[run.kind]}</span>
                  <Tag tone={stateTones[run.state]}>{stateTexts[run.state]()}</Tag>
                  <span translate="no" className="wrap-anywhere">
                    {run.user}
                  </span>
                  <span className="ml-auto text-meta text-muted">
                    <Time value={run.started} />
                  </span>
                </p>
                <CodeBlock>{run.code}</CodeBlock>
                {run.characters > run.code.length ? (
                  <p className="text-meta text-muted">{t('runs.cut', { count: run.characters })}</p>
                ) : null}
              </li>
            ))}
          </ul>
        ) : null}
      </CardBody>
      {dialog}
    </Card>
  )
}
