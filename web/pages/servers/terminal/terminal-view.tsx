import { FitAddon } from '@xterm/addon-fit'
import { Terminal } from '@xterm/xterm'
import '@xterm/xterm/css/xterm.css'
import { useEffect, useEffectEvent, useId, useRef } from 'react'
import { useTheme } from '#web/lib/browser/theme.ts'
import { openSocketStream, type SocketStream } from '#web/lib/events/socket-stream.ts'
import type { ApiError } from '#web/lib/api/api-error.ts'
import { tTerminal } from './messages.ts'
import { openTerminal, terminalTheme } from './terminal-styles.ts'

/** Lines that stay above the visible ones. */
const scrollback = 5000

/** How a terminal ended for the page. */
export type TerminalOutcome =
  | { readonly end: string; readonly code: number | null }
  | { readonly error: ApiError }
  | { readonly isLost: true }

/** A terminal of a server while it is open, and what it showed afterwards. `terminal` names one that the server allowed. */
export function TerminalView({
  terminal,
  hostname,
  screenReader,
  isClosing,
  isOver,
  onOpen,
  onOver,
}: {
  terminal: string
  hostname: string
  screenReader: boolean
  /** Asks the server to end it. */
  isClosing: boolean
  isOver: boolean
  onOpen: () => void
  onOver: (outcome: TerminalOutcome) => void
}) {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<Terminal>(null)
  const connection = useRef<SocketStream>(null)
  const hint = useId()
  const { dark } = useTheme()
  const opened = useEffectEvent(onOpen)
  const over = useEffectEvent(onOver)
  const label = tTerminal('terminal.label', { server: hostname })

  useEffect(() => {
    const element = host.current
    if (!element) return
    const shown = new Terminal({
      scrollback,
      fontFamily: getComputedStyle(element).fontFamily,
      fontSize: 13,
      minimumContrastRatio: 4.5,
      theme: terminalTheme(),
    })
    const fit = new FitAddon()
    shown.loadAddon(fit)
    const close = openTerminal(shown, element)
    fit.fit()
    view.current = shown
    shown.textarea?.setAttribute('aria-label', label)
    shown.textarea?.setAttribute('aria-describedby', hint)
    shown.attachCustomKeyEventHandler(leaveByEscapeAndTab())
    let isFirst = true
    const stream = openSocketStream(
      'server-terminal',
      { terminal, columns: shown.cols, rows: shown.rows },
      {
        data(bytes, done) {
          if (isFirst) opened()
          isFirst = false
          shown.write(bytes, done)
        },
        end: ({ end, code }) => over({ end: String(end), code: typeof code === 'number' ? code : null }),
        fail: (error) => over({ error }),
        lose: () => over({ isLost: true }),
      },
    )
    connection.current = stream
    shown.onData((text) => stream.send(text))
    shown.onResize(({ cols, rows }) => stream.control({ columns: cols, rows }))
    const observer = new ResizeObserver(() => fit.fit())
    observer.observe(element)
    shown.focus()
    return () => {
      observer.disconnect()
      stream.close()
      close()
      view.current = null
      connection.current = null
    }
  }, [terminal, hint, label])

  useEffect(() => {
    if (!view.current) return
    view.current.options.screenReaderMode = screenReader
    view.current.options.disableStdin = isOver
  }, [screenReader, isOver])

  useEffect(() => {
    if (isClosing) connection.current?.end()
  }, [isClosing])

  useEffect(() => {
    if (view.current) view.current.options.theme = terminalTheme()
  }, [dark])

  return (
    <div className="grid gap-1.5">
      <div
        ref={host}
        translate="no"
        className="h-[min(60vh,480px)] min-h-60 overflow-hidden rounded-sm border border-border bg-surface p-2 font-mono focus-within:outline-2 focus-within:outline-ring"
      />
      <p id={hint} className="text-meta text-muted">
        {tTerminal('terminal.leave')}
      </p>
    </div>
  )
}

/**
 * Shells use Tab, so it would never leave a terminal. After Escape it does: this is how editors in pages are left, too. The shell gets
 * the Escape.
 */
function leaveByEscapeAndTab(): (event: KeyboardEvent) => boolean {
  let isArmed = false
  return ({ type, key }) => {
    if (type !== 'keydown') return true
    if (key === 'Tab' && isArmed) return false
    if (key !== 'Shift') isArmed = key === 'Escape'
    return true
  }
}
