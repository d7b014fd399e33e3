import type { ITheme, Terminal } from '@xterm/xterm'
import { pageNonce } from '#web/lib/browser/page-nonce.ts'

/**
 * xterm adds style sheets, which our content security policy refuses without a nonce, and sets style attributes, which it refuses
 * altogether. All sheets are made while a terminal opens, so they get the nonce of the page then.
 */
export function openTerminal(terminal: Terminal, host: HTMLElement): void {
  allowSpanStyles()
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
}

/** Colors that are none of the theme's are style attributes of spans, which become properties instead. */
function allowSpanStyles(): void {
  const { prototype } = HTMLSpanElement
  if (Object.hasOwn(prototype, 'setAttribute')) return
  const { setAttribute } = prototype
  let isWriting = false
  prototype.setAttribute = function setSpanAttribute(name, value) {
    // Some DOMs write the property by the attribute.
    if (name !== 'style' || isWriting) return setAttribute.call(this, name, value)
    isWriting = true
    this.style.cssText = value
    isWriting = false
  }
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
