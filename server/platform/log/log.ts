import { parseOwnJson } from '#shared/parse-json.ts'
import { join } from 'node:path'
import { pino } from 'pino'
import { openLogFile } from './log-file.ts'
import { redact } from './redact.ts'

/** In ascending order; a log writes its level and everything above it. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Structured fields next to the message. Errors belong under `error`. Everything passes through `redact`. */
export type LogFields = Record<string, unknown>

/** The log of a part of the program. Messages are sentences without secrets and without interpolated values. */
export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** A log that adds these fields to every line. */
  child(fields: LogFields): Log
  /** Closes the file; later lines only reach the terminal. */
  close(): void
}

/** Options of a log. */
export interface LogOptions {
  /** Folder of `easydash.log` (JSON lines, rotated at 10 MB, 4 old files). Null: no file. */
  directory?: string | null
  /** Terminal output: readable lines, JSON, or nothing. Default: readable on a TTY, else JSON. */
  terminal?: 'readable' | 'json' | 'none'
  /** Minimum level of the terminal. Default `warn` when readable (the startup prints its own lines), else `info`. */
  terminalLevel?: LogLevel
  /** Minimum level of the file. Default `info`. */
  level?: LogLevel
  /** Fields of every line, e.g. `{ process: 'worker' }`. */
  fields?: LogFields
  print?: (text: string) => void
}

const LEVELS: Record<number, LogLevel> = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'error' }
const COLORS: Record<LogLevel, string> = { debug: '\u001B[2m', info: '', warn: '\u001B[33m', error: '\u001B[31m' }

/** Formats one JSON line of pino for reading: time, level, message, fields. */
export function readableLine(json: string, color: boolean): string {
  const { level, time, msg, error, ...fields } = parseOwnJson<Record<string, unknown>>(json)
  const name = String(level) as LogLevel
  const parts = [String(time).slice(11, 19), name.padEnd(5), String(msg)]
  for (const [key, value] of Object.entries(fields))
    parts.push(`${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  if (error !== undefined) {
    const shown =
      typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : JSON.stringify(error)
    parts.push(`(${shown})`)
  }
  // Control characters in untrusted text must not reach the terminal.
  const text = parts.join(' ').replace(/[\u0000-\u001F\u007F-\u009F]+/g, ' ')
  return color && COLORS[name] ? `${COLORS[name]}${text}\u001B[0m` : text
}

/** Opens the program's log. Throws the file system's error if the folder is not writable. */
export function createLog(options: LogOptions = {}): Log {
  const terminal = options.terminal ?? (process.stdout.isTTY ? 'readable' : 'json')
  const print = options.print ?? ((text: string) => process.stdout.write(text))
  const color = terminal === 'readable' && process.stdout.isTTY === true && !process.env['NO_COLOR']
  const file = options.directory ? openLogFile({ path: join(options.directory, 'easydash.log') }) : null

  const streams: { level: LogLevel; stream: { write(line: string): void } }[] = []
  if (file) streams.push({ level: options.level ?? 'info', stream: file })
  if (terminal !== 'none') {
    const write = terminal === 'json' ? print : (line: string) => print(`${readableLine(line, color)}\n`)
    streams.push({ level: options.terminalLevel ?? (terminal === 'readable' ? 'warn' : 'info'), stream: { write } })
  }
  const root = pino(
    {
      base: null,
      level: 'debug',
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (_label, number) => ({ level: LEVELS[number] ?? 'error' }) },
    },
    pino.multistream(streams),
  )
  return wrap(root, options.fields ?? {}, () => file?.close())
}

function wrap(target: pino.Logger, fixed: LogFields, close: () => void): Log {
  const write = (level: LogLevel) => (message: string, fields?: LogFields) => {
    const redacted = redact({ ...fixed, ...fields }) as LogFields
    target[level](redacted, redact(message))
  }
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (fields) => wrap(target, { ...fixed, ...fields }, close),
    close,
  }
}

/** Discards everything, for tests and one-shot commands. */
export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLog,
  close: () => undefined,
}
