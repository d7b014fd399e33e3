import type { MessageTranslator } from './translate-message.ts'
import { descriptorIn } from '#shared/localized-message.ts'
import { format } from './format-message.ts'
import { pseudoLanguage, textLanguage } from './locale.ts'
import type { Translator } from './message.ts'

const loaded = await load()

/**
 * Translates texts; null for English, which is in the catalogs. All rendering waits for this module, so a language's code
 * must not import from the app: the circular import would deadlock.
 */
export const translator: Translator | null = loaded?.translate ?? null

/** Translates sentences of the server and of shared rules, which come in parts; null for English. */
export const translateMessage: MessageTranslator | null = loaded?.translateMessage ?? null

async function load(): Promise<{ translate: Translator; translateMessage: MessageTranslator } | null> {
  if (textLanguage !== pseudoLanguage) return null
  document.documentElement.lang = textLanguage
  const [{ pseudoTranslator: translate }, { messageTranslator }] = await Promise.all([
    import('./pseudo-language.ts'),
    import('./translate-message.ts'),
  ])
  return { translate, translateMessage: messageTranslator({ translate, descriptorIn, format }) }
}
