/** Maximum length of a line in bytes; longer lines are cut. */
export const maxLineBytes = 4096

/** Terminal escape sequences: colors, cursor movement, window titles, and others. */
const terminalSequences =
  /\u001B\[[0-?]*[ -/]*[@-~]|\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|\u001B[PX^_][^\u001B]*(?:\u001B\\)?|\u001B[ -/]*[0-~]|[\u0080-\u009F]/g
/** Remaining control characters, and invisible ones that change the reading direction. */
const controls = /[\u0000-\u0008\u000B-\u001F\u007F\u202A-\u202E\u2066-\u2069]/g

/** Removes escape sequences and control characters except tabs from one line. */
export function stripControls(line: string): string {
  return line.replace(terminalSequences, '').replace(controls, '')
}

/** Removes escape sequences and control characters from one line, turns tabs into spaces, and cuts it to `maxLineBytes`. */
export function cleanLine(line: string): string {
  return truncateBytes(stripControls(line).replaceAll('\t', '  '), maxLineBytes)
}

/** Truncates text to a number of UTF-8 bytes without splitting a character. */
function truncateBytes(text: string, bytes: number): string {
  const buffer = Buffer.from(text, 'utf8')
  if (buffer.length <= bytes) return text
  const mark = '…'
  let end = bytes - Buffer.byteLength(mark)
  while (end > 0 && ((buffer[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return buffer.toString('utf8', 0, end) + mark
}
