import { History, Play } from 'lucide-react'
import { useState } from 'react'
import type { Site } from '#shared/doctypes/site.ts'
import { sqlResult, sqlUndone, type SqlResult } from '#shared/responses/site-console.ts'
import { addressBesideName, siteName } from '#shared/rules/display-name.ts'
import { looksReading } from '#shared/rules/site-console.ts'
import type { ActionGate } from '#web/documents/actions/action-gate.ts'
import { usePasswordCheck } from '#web/documents/actions/password-check.tsx'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { toApiError } from '#web/lib/api/api-error.ts'
import { runAction } from '#web/lib/api/api.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { useSession } from '#web/lib/session/session.tsx'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { AlertDialog } from '#web/ui/overlay/alert-dialog.tsx'
import { Menu, MenuItem } from '#web/ui/overlay/menu.tsx'
import { oneLine } from './cell-text.tsx'
import { CodeArea, CodeBlock } from './code-area.tsx'
import { keepConsole, keepStatement, keptConsole } from './console-store.ts'
import { rereadDatabase } from './database-data.ts'
import { t } from './messages.ts'
import { RunList } from './run-list.tsx'
import { SqlRows } from './sql-rows.tsx'

type Outcome =
  | { readonly kind: 'result'; readonly result: SqlResult }
  | { readonly kind: 'undone'; readonly text: string }
  | { readonly kind: 'error'; readonly text: string }

type Question = { readonly kind: 'write'; readonly sql: string } | { readonly kind: 'undo' }

/** SQL for admins: what only reads runs at once, everything else after a confirmation, and can be undone. */
export function SqlConsole({ site, gate }: { site: Site; gate: ActionGate & { shown: true } }) {
  const key = `${useSession().user ?? ''} ${site.name}`
  const [sql, setSql] = useState(keptConsole(key).draft)
  const [undo, setUndo] = useState(keptConsole(key).undo)
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const [question, setQuestion] = useState<Question | null>(null)
  const [busy, setBusy] = useState(false)
  const { checked, dialog } = usePasswordCheck()
  const held = gate.enabled ? null : gate.reason
  const edit = (text: string) => {
    setSql(text)
    keepConsole(key, { draft: text })
  }
  const keepUndo = (id: string | null) => {
    setUndo(id)
    keepConsole(key, { undo: id })
  }

  const attempt = async (writes: boolean, work: () => Promise<void>): Promise<void> => {
    setQuestion(null)
    setBusy(true)
    try {
      await checked(work)
    } catch (error) {
      setOutcome({ kind: 'error', text: fullMessage(toApiError(error)) })
      // It can have done a part, or all of it.
      if (writes) void rereadDatabase(site.name)
    } finally {
      setBusy(false)
    }
  }
  const run = (statement: string, confirmed: boolean) =>
    attempt(confirmed, async () => {
      try {
        const args = { sql: statement, confirmed: confirmed ? 1 : 0 }
        const result = checkedResult(sqlResult, await runAction('Site', site.name, 'run_sql', args))
        setOutcome({ kind: 'result', result })
        if (confirmed) {
          if (result.undo !== null) keepUndo(result.undo)
          void rereadDatabase(site.name)
        }
      } catch (error) {
        if (toApiError(error).field !== 'confirmed') throw error
        setQuestion({ kind: 'write', sql: statement })
      }
    })
  const putBack = (anyway: boolean) =>
    attempt(true, async () => {
      if (undo === null) return
      try {
        const args = { undo, anyway: anyway ? 1 : 0 }
        const { undo: next } = checkedResult(sqlUndone, await runAction('Site', site.name, 'undo_sql', args))
        keepUndo(next)
        setOutcome({ kind: 'undone', text: t('sql.undone') })
        void rereadDatabase(site.name)
      } catch (error) {
        if (toApiError(error).field !== 'anyway') throw error
        setQuestion({ kind: 'undo' })
      }
    })
  const start = () => {
    const statement = sql.trim()
    if (statement === '' || busy || held !== null) return
    keepStatement(key, statement)
    if (looksReading(statement)) void run(statement, false)
    else setQuestion({ kind: 'write', sql: statement })
  }

  const { statements } = keptConsole(key)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <Card aria-label={t('sql.title')}>
        <CardHead title={t('sql.title')} />
        <CardBody className="grid gap-3">
          <CodeArea label={t('sql.statement')} hint={t('sql.hint')} value={sql} onChange={edit} onRun={start} />
          <div className="flex flex-wrap items-center gap-2">
            <Button
              variant="primary"
              busy={busy}
              aria-disabled={held === null && sql.trim() !== '' ? undefined : true}
              title={held ?? undefined}
              onClick={start}
            >
              {busy ? null : <Play size={16} strokeWidth={1.75} aria-hidden="true" />}
              {t('sql.run')}
            </Button>
            {statements.length > 0 ? (
              <Menu
                trigger={
                  <Button>
                    <History size={16} strokeWidth={1.75} aria-hidden="true" />
                    {t('sql.history')}
                  </Button>
                }
              >
                {statements.map((statement) => (
                  <MenuItem key={statement} onSelect={() => edit(statement)}>
                    <span translate="no" className="block max-w-80 truncate font-mono text-meta">
                      {oneLine(statement.slice(0, 200))}
                    </span>
                  </MenuItem>
                ))}
              </Menu>
            ) : null}
            {undo === null ? null : (
              <Button disabled={busy || held !== null} onClick={() => void putBack(false)}>
                {t(outcome?.kind === 'undone' ? 'sql.redo' : 'sql.undo')}
              </Button>
            )}
          </div>
          {held === null ? null : <p className="text-meta text-muted">{held}</p>}
        </CardBody>
      </Card>
      {outcome === null ? null : <OutcomeView outcome={outcome} />}
      <RunList site={site.name} />
      <AlertDialog
        open={question?.kind === 'write'}
        onOpenChange={() => setQuestion(null)}
        title={t('sql.confirm_title', { site: siteName(site) })}
        confirmLabel={t('sql.confirm')}
        onConfirm={() => (question?.kind === 'write' ? run(question.sql, true) : undefined)}
      >
        <span className="grid gap-2">
          <span translate="no" className="wrap-anywhere empty:hidden">
            {addressBesideName(site)}
          </span>
          <CodeBlock>{question?.kind === 'write' ? question.sql : ''}</CodeBlock>
          <span>{t('sql.confirm_text')}</span>
        </span>
      </AlertDialog>
      <AlertDialog
        open={question?.kind === 'undo'}
        onOpenChange={() => setQuestion(null)}
        title={t('sql.anyway_title')}
        confirmLabel={t('sql.anyway')}
        onConfirm={() => putBack(true)}
      >
        {t('sql.anyway_text')}
      </AlertDialog>
      {dialog}
    </div>
  )
}

function OutcomeView({ outcome }: { outcome: Outcome }) {
  if (outcome.kind === 'error')
    return (
      <Notice tone="bad" title={t('sql.failed')}>
        {outcome.text}
      </Notice>
    )
  if (outcome.kind === 'undone') return <Notice tone="ok">{outcome.text}</Notice>
  const { result } = outcome
  if (result.error !== undefined)
    return (
      <Notice tone="bad" title={t('sql.cut_off')}>
        {t('sql.cut_off_text', { error: result.error })}
      </Notice>
    )
  if (result.affected !== null)
    return <Notice tone="ok">{t('sql.affected', { count: result.affected, ms: result.ms })}</Notice>
  return <SqlRows result={result} />
}
