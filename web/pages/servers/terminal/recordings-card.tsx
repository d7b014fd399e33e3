import { useState } from 'react'
import type { Server } from '#shared/doctypes/server.ts'
import { serverTerminals, terminalRecording, type ServerTerminal } from '#shared/responses/server-terminals.ts'
import { terminalLimits } from '#shared/rules/terminal.ts'
import { usePasswordCheck } from '#web/documents/actions/password-check.tsx'
import { toApiError } from '#web/lib/api/api-error.ts'
import { runAction } from '#web/lib/api/api.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { useMethod } from '#web/lib/api/frappe.tsx'
import { saveText } from '#web/lib/browser/save-file.ts'
import { formatDuration, secondsBetween } from '#web/lib/i18n/format.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { Tag } from '#web/ui/chip.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { Time } from '#web/ui/time.tsx'
import { tTerminal } from './messages.ts'

/** The recordings of a server's terminals. */
export function useRecordings(server: Server) {
  return useMethod(
    'run_doc_method',
    { dt: 'Server', dn: server.name, method: 'get_terminals' },
    { verb: 'POST', returns: serverTerminals, keepPrevious: true },
  )
}

/** Who had a terminal on a server, with what it showed. */
export function RecordingsCard({
  server,
  recordings: { data, error, reload },
}: {
  server: Server
  recordings: ReturnType<typeof useRecordings>
}) {
  const [failure, setFailure] = useState<string | null>(null)
  const { checked, dialog } = usePasswordCheck()
  const download = async ({ id }: ServerTerminal) => {
    setFailure(null)
    try {
      const found = await checked(async () =>
        checkedResult(
          terminalRecording,
          await runAction('Server', server.name, 'get_terminal_recording', { terminal: id }),
        ),
      )
      if (found) saveText(found.file_name, found.text)
    } catch (problem) {
      setFailure(fullMessage(toApiError(problem)))
    }
  }
  if (!data && error) return <ErrorPanel title={tTerminal('recordings.error')} error={error} onRetry={() => reload()} />
  return (
    <Card aria-label={tTerminal('recordings.title')}>
      <CardHead title={tTerminal('recordings.title')} />
      <CardBody className="grid gap-2 text-table">
        <p className="text-meta text-muted">
          {tTerminal('recordings.text', { count: terminalLimits.recordings, days: terminalLimits.days })}
        </p>
        {failure === null ? null : <Notice tone="bad">{failure}</Notice>}
        {data === undefined ? (
          <Skeleton className="h-10 w-full" />
        ) : data.length === 0 ? (
          <p>{tTerminal('recordings.none')}</p>
        ) : (
          <ul className="divide-y divide-hairline">
            {data.map((one) => (
              <Recording key={one.id} recording={one} onDownload={() => void download(one)} />
            ))}
          </ul>
        )}
      </CardBody>
      {dialog}
    </Card>
  )
}

function Recording({ recording, onDownload }: { recording: ServerTerminal; onDownload: () => void }) {
  const { user, started, ended, characters } = recording
  return (
    <li className="flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1 py-2">
      <span className="grid min-w-0 flex-[1_1_200px] gap-0.5">
        <span translate="no" className="wrap-anywhere">
          {user}
        </span>
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1 text-meta text-muted">
          <Time value={started} />
          {ended === null ? (
            <Tag tone="info">{tTerminal('recordings.open')}</Tag>
          ) : (
            <span>
              {tTerminal('recordings.lasted', { duration: formatDuration(secondsBetween(started, ended) ?? 0) })}
            </span>
          )}
          {ended !== null && characters === 0 ? <span>{tTerminal('recordings.empty')}</span> : null}
        </span>
      </span>
      {characters > 0 ? (
        <Button size="sm" aria-label={tTerminal('recordings.download_of', { user })} onClick={onDownload}>
          {tTerminal('recordings.download')}
        </Button>
      ) : null}
    </li>
  )
}
