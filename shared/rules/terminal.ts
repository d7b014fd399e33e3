/** Limits of web terminals on servers. */
export const terminalLimits = {
  /** Terminals that are open at once on a server, and on all servers of an organization. */
  perServer: 3,
  perOrganization: 10,
  /** Minutes without input after which one ends. */
  idleMinutes: 15,
  /** Recordings that are kept of a server, and days. */
  recordings: 100,
  days: 90,
  /** Characters that are recorded of one, and of what is printed after one input: a flood must not hide what comes after it. */
  recorded: 4 * 1024 * 1024,
  recordedPerInput: 64 * 1024,
  /** Characters of a line, and lines. */
  columns: 500,
  rows: 300,
} as const

/** Why a terminal ended. */
export const terminalEnds = [
  /** Its shell ended. */
  'exited',
  /** The page was closed. */
  'left',
  'idle',
  /** The person or the server may no longer have one. */
  'denied',
  /** The connection to the server broke. */
  'lost',
  /** The recording reached its limit. */
  'full',
  /** It could not be recorded. */
  'unrecorded',
  /** Easydash was stopped. */
  'stopped',
  /** The process that had it ended without a word. */
  'interrupted',
] as const

/** Why a terminal ended. */
export type TerminalEnd = (typeof terminalEnds)[number]
