import { MASK, redactText } from '#server/platform/log/redact-text.ts'
import { stripControls } from '#server/platform/text-log/clean-line.ts'
import { terminalLimits } from '#shared/rules/terminal.ts'

/** A longer line is recorded in pieces. */
const maxLine = 4096
/**
 * What is hidden of one private key at most, in characters, and how many a line counts as at least: what only looks like one must
 * not hide all that follows. An RSA key of 16384 bits has 12,500.
 */
const maxKey = 16 * 1024
const keyLine = 64
const keyBegins = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/
const keyEnds = /-----END [A-Z ]{0,40}PRIVATE KEY-----/

/** What is looked through for secrets at once: texts of any length are not (redact-text.ts). */
const maxPiece = 32 * 1024

/**
 * Makes a readable recording of what a terminal shows: lines without escape sequences and without what looks like a secret. Input is
 * not recorded, so neither is a password, which a terminal does not show. What one input makes the server print is recorded up to a
 * limit, so that a flood cannot hide what comes after it.
 */
export class Recorder {
  #decoder = new TextDecoder()
  #line = ''
  #lines = ''
  #left: number = terminalLimits.recordedPerInput
  #skipped = 0
  #recorded = 0
  /**
   * What was hidden of a private key that has begun and not ended; null outside of one. Parts end anywhere, and what has no
   * beginning is not recognized.
   */
  #hidden: number | null = null

  /** Characters that wait to be stored. */
  get waiting(): number {
    return this.#lines.length
  }

  get isFull(): boolean {
    return this.#recorded >= terminalLimits.recorded
  }

  /** Notes that somebody typed something. */
  noteInput(): void {
    // Otherwise what only looks like the beginning of one would hide all that follows.
    this.#hidden = null
    if (this.#left > 0) this.#left = terminalLimits.recordedPerInput
    else this.#reopen()
  }

  /** Notes what the server printed. */
  add(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; at += maxPiece) {
      const piece = bytes.subarray(at, at + maxPiece)
      if (this.#left > 0) this.#addPiece(piece)
      else this.#skipped += piece.length
    }
  }

  #addPiece(bytes: Buffer): void {
    const text = this.#line + this.#decoder.decode(bytes, { stream: true })
    const lines = text.split('\n')
    this.#line = lines.pop() ?? ''
    for (const line of lines) this.#pushLine(shown(line))
    while (this.#line.length > maxLine) {
      const part = this.#line.slice(0, maxLine)
      this.#line = this.#line.slice(maxLine)
      if (this.#hidden === null) this.#push(shown(part))
      else this.#hide(part, this.#hidden)
    }
  }

  #pushLine(line: string): void {
    if (this.#hidden !== null) {
      if (keyEnds.test(line)) this.#hidden = null
      else this.#hide(line, this.#hidden)
      return
    }
    const begin = keyBegins.exec(line)
    const isBegun = begin !== null && !keyEnds.test(line)
    if (isBegun) this.#hidden = 0
    this.#push(`${isBegun ? line.slice(0, begin.index) + MASK : line}\n`)
  }

  /** Hides text of a private key, as long as it can be one. */
  #hide(text: string, before: number): void {
    this.#hidden = before + Math.max(text.length, keyLine)
    if (this.#hidden < maxKey) return
    this.#hidden = null
    this.#push('[Lines were hidden, because they began like a private key. It did not end.]\n')
  }

  /** Takes what waits to be stored. `isLast`: with the line that has not ended. */
  take(isLast = false): string {
    if (isLast) {
      if (this.#hidden === null) this.#push(shown(this.#line))
      this.#line = ''
      if (this.#skipped > 0) this.#reopen()
    }
    const taken = piecesOf(this.#lines).map(redactText).join('')
    this.#lines = ''
    return taken
  }

  #push(text: string): void {
    this.#lines += text
    this.#left -= text.length
    this.#recorded += text.length
  }

  #reopen(): void {
    // What was cut off in the middle belongs to no line.
    this.#decoder = new TextDecoder()
    this.#line = ''
    this.#push(`\n[${this.#skipped} bytes were not recorded]\n`)
    this.#skipped = 0
    this.#left = terminalLimits.recordedPerInput
  }
}

/** What remains of a line: programs that show progress write it again and again. */
function shown(line: string): string {
  const ended = line.endsWith('\r') ? line.slice(0, -1) : line
  return stripControls(ended.slice(ended.lastIndexOf('\r') + 1))
}

/** Whole lines in pieces of a length that can be looked through. */
function piecesOf(lines: string): string[] {
  const pieces: string[] = []
  for (let at = 0; at < lines.length;) {
    const isLast = at + maxPiece >= lines.length
    const end = isLast ? lines.length : lines.lastIndexOf('\n', at + maxPiece) + 1
    pieces.push(lines.slice(at, end > at ? end : at + maxPiece))
    at = end > at ? end : at + maxPiece
  }
  return pieces
}
