/**
 * Why the program can't start, shown at the terminal. `message` is one sentence that says what is wrong, `nextAction` one
 * sentence that says what to do next.
 */
export class StartupError extends Error {
  readonly nextAction: string
  constructor(message: string, nextAction: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'StartupError'
    this.nextAction = nextAction
  }
}

/** The two lines an entry point prints to stderr before it exits with a nonzero code. */
export function startupErrorText(error: StartupError): string {
  return `${forTerminal(error.message)}\n→ ${forTerminal(error.nextAction)}\n`
}

/**
 * File names, which sites control, must not send control sequences to the terminal: replaces control characters except line
 * breaks.
 */
export function forTerminal(text: string): string {
  return text.replace(/[[\p{Cc}\p{Bidi_C}]--\n]/gv, '\ufffd')
}

/** The `code` of a Node system error (`ENOSPC`, `EACCES` …), or '' for anything else. */
export function systemErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/**
 * Turns a file-system error in one of our folders into a message with a next step; other errors are returned unchanged.
 * `subject` starts the sentence, e.g. "The data folder /srv/data".
 */
export function explainFileError(error: unknown, subject: string, setting: string): unknown {
  switch (systemErrorCode(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new StartupError(
        `${subject} cannot be written: the disk is full.`,
        `Free some space or set ${setting} to a folder on another disk, then start again.`,
        error,
      )
    case 'EACCES':
    case 'EPERM':
      return new StartupError(
        `${subject} cannot be written: permission denied.`,
        `Give the user who starts Easydash write permission, or set ${setting} to a folder of theirs.`,
        error,
      )
    case 'EROFS':
      return new StartupError(
        `${subject} cannot be written: the file system is read-only.`,
        `Set ${setting} to a folder on a writable file system.`,
        error,
      )
    case 'ENOTDIR':
    case 'EEXIST':
      return new StartupError(
        `${subject} cannot be used: a file stands where a folder is needed.`,
        `Move that file away or set ${setting} to another folder.`,
        error,
      )
    default:
      return error
  }
}
