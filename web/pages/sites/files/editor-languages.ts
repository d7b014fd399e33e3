import type { Extension } from '@codemirror/state'

/** The colors of a file's language, loaded when one is opened; none for other files. */
export async function languageOf(name: string): Promise<Extension> {
  const ending = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''
  switch (ending) {
    case 'php':
    case 'phtml':
    case 'inc':
      return (await import('@codemirror/lang-php')).php()
    case 'html':
    case 'htm':
    case 'svg':
    case 'xml':
      return (await import('@codemirror/lang-html')).html()
    case 'css':
      return (await import('@codemirror/lang-css')).css()
    case 'js':
    case 'mjs':
    case 'cjs':
      return (await import('@codemirror/lang-javascript')).javascript()
    case 'jsx':
    case 'ts':
    case 'tsx':
      return (await import('@codemirror/lang-javascript')).javascript({ jsx: true, typescript: ending !== 'jsx' })
    case 'json':
    case 'webmanifest':
      return (await import('@codemirror/lang-json')).json()
    case 'md':
    case 'markdown':
      return (await import('@codemirror/lang-markdown')).markdown()
    default:
      return []
  }
}
