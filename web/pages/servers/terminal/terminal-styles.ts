import type { ITheme, Terminal } from '@xterm/xterm'
import { pageNonce } from '#web/lib/browser/page-nonce.ts'

/** Terminals that are open now. */
let openTerminals = 0

/**
 * Opens a terminal, and returns what closes it. xterm adds style sheets, which our content security policy refuses without a nonce, and
 * sets style attributes of spans, which it refuses altogether. All sheets are made while a terminal opens, so they get the nonce of the
 * page then. Spans are made as long as one is open.
 */
export function openTerminal(terminal: Terminal, host: HTMLElement): () => void {
  openTerminals += 1
  HTMLSpanElement.prototype.setAttribute = setSpanAttribute
  const create = document.createElement.bind(document)
  const own = Object.getOwnPropertyDescriptor(document, 'createElement')
  document.createElement = ((name: string, options?: ElementCreationOptions) => {
    const element = create(name, options)
    if (name === 'style') element.nonce = pageNonce()
    return element
  }) as typeof document.createElement
  try {
    terminal.open(host)
  } finally {
    if (own) Object.defineProperty(document, 'createElement', own)
    else Reflect.deleteProperty(document, 'createElement')
  }
  return () => {
    terminal.dispose()
    openTerminals -= 1
    if (openTerminals === 0) Reflect.deleteProperty(HTMLSpanElement.prototype, 'setAttribute')
  }
}

/** Colors that are none of the theme's are style attributes, which become properties instead. */
function setSpanAttribute(this: HTMLSpanElement, name: string, value: string): void {
  if (name === 'style') this.style.cssText = value
  else Element.prototype.setAttribute.call(this, name, value)
}

/** Colors of the current theme: text colors, which are readable on every surface. */
export function terminalTheme(): ITheme {
  const styles = getComputedStyle(document.documentElement)
  const token = (name: string) => styles.getPropertyValue(`--${name}`).trim()
  const [red, green, yellow, blue] = [token('bad'), token('ok'), token('warn'), token('info')]
  const [magenta, cyan, foreground, muted] = [token('brand-text'), token('info'), token('fg'), token('muted')]
  return {
    ...{ foreground, background: token('surface'), cursor: foreground, cursorAccent: token('surface') },
    ...{ selectionBackground: token('brand-line'), selectionForeground: foreground },
    ...{ black: muted, red, green, yellow, blue, magenta, cyan, white: foreground },
    ...{ brightBlack: muted, brightRed: red, brightGreen: green, brightYellow: yellow, brightBlue: blue },
    ...{ brightMagenta: magenta, brightCyan: cyan, brightWhite: foreground },
  }
}
