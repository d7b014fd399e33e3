import { lazy, Suspense, useState } from 'react'
import { ServerDoctype, type Server } from '#shared/doctypes/server.ts'
import { openedTerminal } from '#shared/responses/server-terminals.ts'
import { isOneOf } from '#shared/is-one-of.ts'
import { terminalEnds, terminalLimits } from '#shared/rules/terminal.ts'
import { ActionButton } from '#web/documents/actions/action-button.tsx'
import { usePasswordCheck } from '#web/documents/actions/password-check.tsx'
import { toApiError } from '#web/lib/api/api-error.ts'
import { runAction } from '#web/lib/api/api.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'
import { fullMessage } from '#web/lib/api/full-message.ts'
import { usePreference } from '#web/lib/browser/use-preference.ts'
import { Button } from '#web/ui/button.tsx'
import { Card, CardBody, CardHead } from '#web/ui/card.tsx'
import { Checkbox } from '#web/ui/form/checkbox.tsx'
import { LazyBoundary } from '#web/ui/lazy-boundary.tsx'
import { Notice } from '#web/ui/notice.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { tTerminal } from './messages.ts'
import type { TerminalOutcome } from './terminal-view.tsx'

const View = lazy(() => import('./terminal-view.tsx').then((module) => ({ default: module.TerminalView })))

type State =
  | { readonly at: 'none' | 'asking' }
  | { readonly at: 'opening' | 'open' | 'closing'; readonly terminal: string }
  | { readonly at: 'over'; readonly terminal: string | null; readonly text: string; readonly isFailure: boolean }

/** A terminal on a server, for those who may have one. `onChange`: one was opened or has ended. */
export function TerminalCard({ server, onChange }: { server: Server; onChange: () => void }) {
  const [state, setState] = useState<State>({ at: 'none' })
  const { checked, dialog } = usePasswordCheck()
  const screenReader = usePreference('terminal_screen_reader')
  const start = async () => {
    setState({ at: 'asking' })
    try {
      const allowed = await checked(async () =>
        checkedResult(openedTerminal, await runAction('Server', server.name, 'open_terminal')),
      )
      setState(allowed ? { at: 'opening', terminal: allowed.terminal } : { at: 'none' })
    } catch (failure) {
      setState({ at: 'over', terminal: null, text: fullMessage(toApiError(failure)), isFailure: true })
    }
  }
  const over = (terminal: string, outcome: TerminalOutcome) => {
    setState({ at: 'over', terminal, ...textOf(outcome) })
    onChange()
  }
  const terminal = 'terminal' in state ? state.terminal : null
  const isLive = state.at === 'opening' || state.at === 'open' || state.at === 'closing'
  return (
    <Card aria-label={tTerminal('terminal.title')}>
      <CardHead title={tTerminal('terminal.title')}>
        {isLive ? (
          <Button
            size="md"
            busy={state.at === 'closing'}
            onClick={() => {
              if (terminal !== null) setState({ at: 'closing', terminal })
            }}
          >
            {tTerminal('terminal.close')}
          </Button>
        ) : null}
      </CardHead>
      <CardBody className="grid grid-cols-[minmax(0,1fr)] gap-3 text-table">
        <p className="text-muted">
          {tTerminal('terminal.text', { user: server.ssh_user ?? 'root', count: terminalLimits.idleMinutes })}
        </p>
        <Checkbox
          label={tTerminal('terminal.screen_reader')}
          hint={tTerminal('terminal.screen_reader_hint')}
          checked={screenReader.value === true}
          disabled={!screenReader.loaded}
          onChange={({ target }) => void screenReader.set(target.checked)}
        />
        {state.at === 'over' ? <Notice tone={state.isFailure ? 'bad' : 'info'}>{state.text}</Notice> : null}
        {terminal === null ? null : (
          <LazyBoundary level="part">
            <Suspense fallback={<Skeleton className="h-60 w-full" />}>
              <View
                key={terminal}
                terminal={terminal}
                hostname={server.hostname}
                screenReader={screenReader.value === true}
                isClosing={state.at === 'closing'}
                isOver={!isLive}
                onOpen={() => {
                  setState({ at: 'open', terminal })
                  onChange()
                }}
                onOver={(outcome) => over(terminal, outcome)}
              />
            </Suspense>
          </LazyBoundary>
        )}
        <p role="status" className={state.at === 'opening' ? 'text-muted' : 'sr-only'}>
          {state.at === 'opening' ? tTerminal('terminal.connecting') : null}
        </p>
        {isLive ? null : (
          <span>
            <ActionButton
              type={ServerDoctype}
              doc={{ ...server, doctype: 'Server' }}
              name="open_terminal"
              label={tTerminal(state.at === 'over' ? 'terminal.again' : 'terminal.open')}
              size="md"
              onStart={() => {
                if (state.at !== 'asking') void start()
              }}
            />
          </span>
        )}
      </CardBody>
      {dialog}
    </Card>
  )
}

function textOf(outcome: TerminalOutcome): { text: string; isFailure: boolean } {
  if ('error' in outcome) return { text: fullMessage(outcome.error), isFailure: true }
  if ('isLost' in outcome) return { text: tTerminal('end.page_lost'), isFailure: true }
  const { end, code } = outcome
  if (end === 'exited' && code !== null && code !== 0)
    return { text: tTerminal('end.exited_code', { code }), isFailure: false }
  const known = isOneOf(terminalEnds, end) ? end : 'lost'
  return {
    text: tTerminal(`end.${known}`, { count: terminalLimits.idleMinutes }),
    isFailure: !['exited', 'left', 'idle'].includes(known),
  }
}
