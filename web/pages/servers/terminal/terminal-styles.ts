import type { ITheme, Terminal } from '@xterm/xterm'
import { pageNonce } from '#web/lib/browser/page-nonce.ts'

/**
 * xterm adds style sheets and sets style attributes, which our content security policy refuses without a nonce. It makes all sheets
 * while it opens, so they get the nonce of the page then.
 */
export function openTerminal(terminal: Terminal, host: HTMLElement): void {
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

/** The document as xterm uses it for text: style attributes, which it sets for colors, become properties. */
export function styledDocument(): Document {
  return new Proxy(document, {
    get(target, key) {
      if (key === 'createElement') return createStyled
      const value: unknown = Reflect.get(target, key)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
}

function createStyled(name: string): HTMLElement {
  const element = document.createElement(name)
  if (name !== 'span') return element
  const set = element.setAttribute.bind(element)
  element.setAttribute = (attribute, value) => {
    if (attribute === 'style') element.style.cssText = value
    else set(attribute, value)
  }
  return element
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
